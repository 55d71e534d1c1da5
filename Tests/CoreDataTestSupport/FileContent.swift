import CCoreDataSQLite
import CoreData
import CoreDataRowStorage
import CoreDataSQLQueries
import CoreDataSQLiteStorage
import Foundation

/// Everything a store's tables hold, read with plain SQL.
package struct FileContent: Equatable {
    package enum Value: Equatable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob(Data)

        /// Whether a value of key-value coding is what the cell says.
        package func agrees(with value: Any?) -> Bool {
            switch (self, value) {
            case (.null, nil): true
            case (.integer(let stored), let number as NSNumber): number.int64Value == stored
            case (.real(let stored), let number as NSNumber):
                abs(number.doubleValue - stored) < 1e-9 * max(1, abs(stored))
            case (.integer(let stored), let date as Date): date.timeIntervalSinceReferenceDate == Double(stored)
            case (.real(let stored), let date as Date): date.timeIntervalSinceReferenceDate == stored
            case (.text("NaN"), let number as NSDecimalNumber): number == .notANumber
            case (.text(let stored), let text as String): text == stored
            case (.text(let stored), let url as URL): url.absoluteString == stored
            case (.blob(let stored), let uuid as UUID): withUnsafeBytes(of: uuid.uuid) { Data($0) } == stored
            case (.blob(let stored), let data as Data): data == stored || data == stored.dropFirst()
            // What a transformer makes of the bytes is not the store's affair.
            case (.blob, _): true
            default: false
            }
        }
    }

    private var tables: [String: [[String: Value]]] = [:]
    private var byKey: [String: [Int64: [String: Value]]] = [:]

    package init(_ url: URL) throws {
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 5)
        let names = try connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
        while try names.step() {
            guard let name = names.text(0) else { continue }
            let statement = try connection.prepare("SELECT * FROM \"\(name)\"")
            var rows: [[String: Value]] = []
            while try statement.step() {
                var row: [String: Value] = [:]
                for column in 0..<statement.columnCount {
                    row[String(cString: sqlite3_column_name(statement.pointer, column))] = Self.value(statement, column)
                }
                rows.append(row)
                if case .integer(let key)? = row["Z_PK"] { byKey[name, default: [:]][key] = row }
            }
            tables[name] = rows
        }
    }

    private static func value(_ statement: SQLiteStatement, _ column: Int32) -> Value {
        switch statement.type(column) {
        case SQLITE_INTEGER: .integer(statement.integer(column))
        case SQLITE_FLOAT: .real(statement.double(column))
        case SQLITE_TEXT: .text(statement.text(column) ?? "")
        case SQLITE_BLOB: .blob(statement.data(column) ?? Data())
        default: .null
        }
    }

    package func rows(_ table: String) -> [[String: Value]] { tables[table] ?? [] }
    package func row(_ table: String, _ key: Int64) -> [String: Value]? { byKey[table]?[key] }

    package func rowCount(_ layouts: ModelLayouts) throws -> Int {
        try SQLSchema(layouts, numbering: EntityNumbering(layouts)).tables.map { rows($0.name).count }.reduce(0, +)
    }

    /// Keys of the rows a relationship leads to, in stored order if it has one.
    package func related(_ place: ToManyColumns, _ key: Int64) -> [Int64] {
        func find(_ table: String, _ own: String, _ other: String, _ order: String?) -> [Int64] {
            let found = rows(table).filter { $0[own] == .integer(key) }
            let sorted =
                order.map { order in found.sorted { Self.number($0[order]) < Self.number($1[order]) } } ?? found
            return sorted.map { Self.number($0[other]) }
        }
        switch place {
        case .foreignKey(let table, let column, _, let order), .owned(let table, let column, let order):
            return find(table, column, "Z_PK", order)
        case .join(let table, let own, let other, let order, _, _): return find(table, own, other, order)
        }
    }

    package static func number(_ value: Value?) -> Int64 {
        if case .integer(let number)? = value { return number }
        return 0
    }
}
