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

    /// Passes the differences to `body`.
    func forEach(_ body: (StoreDifference) throws -> Void) throws {
        var known: [Key: (key: Int64, hash: Int)] = [:]
        try rows(first) { row, key in known[key] = (row.key, plan.values(row).hashValue) }
        try rows(second) { row, key in
            guard let other = known.removeValue(forKey: key) else {
                return try body(.onlyInSecond(name: name(row), object: object(row)))
            }
            let values = plan.values(row)
            guard values.hashValue != other.hash else { return }
            let uri = ObjectAddress(storeUUID: first.identifier, entity: plan.entity, key: other.key).uri
            guard let original = try first.object(at: uri, columns: plan.paths) else { return }
            let changes = zip(plan.columns, zip(plan.values(original), values)).filter { $1.0 != $1.1 }
            try body(
                .changed(name: name(row), object: object(row), changes.map { ($0.property, $1.0, $1.1) }))
        }
        for (_, other) in known.sorted(by: { $0.value.key < $1.value.key }) {
            try check()
            let uri = ObjectAddress(storeUUID: first.identifier, entity: plan.entity, key: other.key).uri
            guard let row = try first.object(at: uri, columns: plan.paths) else { continue }
            try body(.onlyInFirst(name: name(row), object: object(row)))
        }
    }

    private func rows(_ store: OpenStore, _ body: (StoreQuery.Row, Key) throws -> Void) throws {
        var query = store.query(entity: plan.entity)
        query.includesSubentities = false
        query.columns = plan.paths
        var occurrences: [[StoreQuery.Value]: Int] = [:]
        var count = 0
        try query.forEach { row in
            if count & 255 == 0 { try check() }
            count += 1
            let values =
                plan.keys.isEmpty ? [.integer(row.key)] : Array(row.values.prefix(plan.keys.count))
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
