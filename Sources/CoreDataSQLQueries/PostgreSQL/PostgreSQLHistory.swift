import CoreDataRowStorage
import Foundation
import PredicateFormat

/// The table and column names of a store's history in PostgreSQL.
///
/// A transaction's position consists of its era, its number in the order of commits, and its key. The number is the
/// transaction ID that the database assigned at its first write. IDs are not in the order of commits, so only transactions
/// are read before which no other can still commit. A database that was restored from a dump assigns IDs from the beginning
/// again: then a new era begins.
package struct PostgreSQLHistory: HistoryTableNames {
    package let storeID: String
    private let order: HistoryOrder
    private let layouts: ModelLayouts
    private let origin: UUID?

    /// - Parameter origin: The identifier of the engine in its own transactions.
    package init(storeID: String, _ order: HistoryOrder, _ layouts: ModelLayouts, origin: UUID? = nil) {
        self.origin = origin
        self.storeID = storeID
        self.order = order
        self.layouts = layouts
    }

    package var transactions: SQLFragment { "coredata_transaction" }
    package var changes: SQLFragment { "coredata_change" }

    package var place: [SQLFragment] { ["era", "commit_order", "id"] }
    package var timestamp: SQLFragment { "committed" }

    package func name(_ property: String) -> SQLFragment { "t.\(raw: PostgreSQLName.snakeCase(property))" }

    package var isOwn: SQLFragment? {
        origin.map { "t.origin IS NOT DISTINCT FROM '\(raw: $0.uuidString)'::uuid" }
    }

    package var changeNumber: SQLFragment { "id" }
    package var transaction: SQLFragment { "transaction" }
    package var changedEntity: SQLFragment { "entity" }
    package var changedKey: SQLFragment { "key" }
    package var kind: SQLFragment { "kind" }

    /// The changed row with the model's number of its entity.
    package var changedRow: SQLFragment? {
        let cases = layouts.all.map { layout -> SQLFragment in
            let first = RowReference(entityNumber: layout.number, key: 0).bits
            return "WHEN \(raw: PostgreSQLName.literal(layout.name)) THEN \(raw: first)"
        }
        return "(CASE c.entity \(cases.joined(separator: " ")) END + c.key)"
    }

    /// Positions as texts of a fixed length, in the order of positions.
    package var token: (sql: SQLFragment, kind: CellKind) {
        func digits(_ column: SQLFragment) -> SQLFragment {
            "lpad(to_hex(t.\(column)), \(raw: Self.digitCount), '0')"
        }
        return ("((\(place.map(digits).joined(separator: " || "))) COLLATE \"C\")", .string)
    }

    package func constant(for place: HistoryPlace) throws -> Any {
        if place == .start { return "" }
        return try Self.numbers(of: place).map { number in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: Self.digitCount - digits.count) + digits
        }.joined()
    }

    private static let digitCount = 16

    package func order(ofChangesIn alias: String) -> [SQLFragment] {
        place.map { "\(raw: alias).\($0)" } + ["c.id"]
    }

    package func isAfter(_ place: [SQLFragment], _ subject: HistoryQuery.Subject) -> [SQLFragment] {
        ["(\(self.place.map { "t.\($0)" }.joined(separator: ", "))) > (\(place.joined(separator: ", ")))"]
    }

    package var isSettled: SQLFragment? { order.isSettled.map { SQLFragment(raw: $0) } }

    package func condition(
        _ part: PredicateNode, _ subject: HistoryQuery.Subject, _ compiler: SQLCompiler
    ) -> SQLFragment? {
        nil
    }

    // MARK: Positions

    /// Returns the position after a transaction: its three numbers as big-endian bytes.
    package static func place(_ numbers: [Int64]) -> HistoryPlace {
        HistoryPlace(bytes: Data(numbers.flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }))
    }

    /// Returns the three numbers of a position; zeros for the start.
    ///
    /// - Throws: `NSCoreDataError` for a position of another engine.
    package static func numbers(of place: HistoryPlace) throws -> [Int64] {
        let bytes = Array(place.bytes)
        if bytes.isEmpty { return [0, 0, 0] }
        let numbers = stride(from: 0, to: bytes.count, by: 8).map { start in
            bytes[start..<min(start + 8, bytes.count)].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        }
        guard bytes.count == 24, numbers.allSatisfy({ $0 >= 0 }) else {
            throw CoreDataError.make(
                NSCoreDataError, description: "The history has no such place.",
                reason: "\(place) is no place in the history of a PostgreSQL store.",
                advice: "Use a token of this store.")
        }
        return numbers
    }
}
