import Foundation
import StoreTools

/// One difference of two stores.
enum StoreDifference {
    case onlyInFirst(name: String, object: String)
    case onlyInSecond(name: String, object: String)
    /// The properties that differ, with both values.
    case changed(name: String, object: String, [(property: String, StoreQuery.Value, StoreQuery.Value)])
}

/// Compares the objects of one entity in two stores. Memory: about 100 bytes for each object of the first.
struct StoreDiff {
    private struct Key: Hashable {
        let values: [StoreQuery.Value]
        /// Tells objects with equal keys apart, in the order of their primary keys.
        let occurrence: Int
    }

    let plan: DiffPlan
    let first: OpenStore
    let second: OpenStore
    let check: () throws -> Void

    /// The number of rows of the first store that are read together.
    private static let pageSize = 256

    /// Passes the differences to `body`.
    func forEach(_ body: (StoreDifference) throws -> Void) throws {
        var known: [Key: (key: Int64, hash: Int)] = [:]
        try rows(first) { row, key in known[key] = (row.key, plan.values(row).hashValue) }
        // Rows that differ, with the keys of their originals; nil for those that the first store does not have.
        var page: [(row: StoreQuery.Row, original: Int64?)] = []
        try rows(second) { row, key in
            let other = known.removeValue(forKey: key)
            if let other, other.hash == plan.values(row).hashValue { return }
            page.append((row, other?.key))
            guard page.count == Self.pageSize else { return }
            try pass(page, body)
            page.removeAll()
        }
        try pass(page, body)
        let rest = known.values.map(\.key).sorted()
        for start in stride(from: 0, to: rest.count, by: Self.pageSize) {
            try check()
            let keys = Array(rest[start..<min(start + Self.pageSize, rest.count)])
            let rows = try first.rows(keys, ofEntity: plan.entity, columns: plan.paths)
            for row in keys.compactMap({ rows[$0] }) {
                try body(.onlyInFirst(name: name(row), object: object(row)))
            }
        }
    }

    private func pass(
        _ page: [(row: StoreQuery.Row, original: Int64?)], _ body: (StoreDifference) throws -> Void
    ) throws {
        let originals = try first.rows(page.compactMap(\.original), ofEntity: plan.entity, columns: plan.paths)
        for (row, key) in page {
            guard let key else {
                try body(.onlyInSecond(name: name(row), object: object(row)))
                continue
            }
            guard let original = originals[key] else { continue }
            let changes = zip(plan.columns, zip(plan.values(original), plan.values(row))).filter { $1.0 != $1.1 }
            guard !changes.isEmpty else { continue }
            try body(
                .changed(name: name(row), object: object(row), changes.map { ($0.property, $1.0, $1.1) }))
        }
    }

    private func rows(_ store: OpenStore, _ body: (StoreQuery.Row, Key) throws -> Void) throws {
        var query = store.query(entity: plan.entity)
        query.includesSubentities = false
        query.columns = plan.paths
        query.sortKeys = [.init("self")]
        var occurrences: [[StoreQuery.Value]: Int] = [:]
        var count = 0
        try query.forEach { row in
            if count & 255 == 0 { try check() }
            count += 1
            let values = plan.keyValues(row)
            let occurrence = occurrences[values, default: 0]
            occurrences[values] = occurrence + 1
            try body(row, Key(values: values, occurrence: occurrence))
            return true
        }
    }

    /// Returns the values of the key attributes, or the primary key.
    private func name(_ row: StoreQuery.Row) -> String {
        guard !plan.keys.isEmpty else { return object(row) }
        return row.values.prefix(plan.keys.count).map { value in
            value == .none ? "nil" : ValueText.cell(value, isExact: true).text
        }.joined(separator: ", ")
    }

    private func object(_ row: StoreQuery.Row) -> String { "\(row.entity)/p\(row.key)" }
}
