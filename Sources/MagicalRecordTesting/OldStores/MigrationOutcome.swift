import Foundation

/// The result of migrating one old store; see ``MigrationOutcomes``.
public struct MigrationOutcome: Sendable {
    /// One entity of a store.
    public struct Entity: Sendable {
        /// The name in the current model; for a removed entity, the name in the store's version.
        public let name: String
        /// The name in the store's version, if it was another.
        public let formerName: String?
        /// The number of objects before the migration, without subentities.
        public let before: Int
        /// The number of objects after the migration, without subentities.
        public let after: Int
        /// The number of values, other than nil, that were compared.
        public let values: Int
        /// The number of links that were compared. Of a relationship and its inverse, one is compared; the ordered one, or both if
        /// both are ordered.
        public let links: Int
    }

    /// The path of the store in the folder.
    public let store: String
    /// The version of the model that wrote the store: its position from 1, and its identifiers if it has any. Nil if unknown.
    public internal(set) var version: String?
    /// The duration of opening the store, with its migration, in seconds.
    public internal(set) var seconds: Double = 0
    /// The entities that have objects, by name.
    public internal(set) var entities: [Entity] = []
    /// The data that are lost by design, in words: those of removed entities and properties, and the allowed differences.
    public internal(set) var losses: [String] = []
    /// The findings, in words; each was recorded as an issue.
    public internal(set) var failures: [String] = []
}

/// The results of migrating the stores of a folder, from `expectMigration(of:)`. Prints as a table.
public struct MigrationOutcomes: Sendable, CustomStringConvertible {
    /// The stores, sorted by path; numbers in paths are compared as numbers.
    public internal(set) var stores: [MigrationOutcome] = []
    /// Failures that belong to no store: of the folder, the model or an allowed name.
    var errors: [String] = []

    /// The failures of all stores, with their paths, and those of the folder, the model and the allowed names.
    public var failures: [String] {
        errors + stores.flatMap { store in store.failures.map { "\(store.store): \($0)" } }
    }

    public var description: String {
        let header = ["store", "version", "seconds", "entity", "before", "after", "values", "links"]
        let blocks = stores.map(Self.rows)
        let rows = [header] + blocks.flatMap(\.self)
        let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        func line(_ row: [String]) -> String {
            let cells = row.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                return [2, 4, 5, 6, 7].contains(column) ? space + row[column] : row[column] + space
            }
            return cells.joined(separator: "  ")
        }
        var lines = [line(header)]
        for (store, rows) in zip(stores, blocks) {
            lines += rows.map(line)
            lines += store.losses.map { "    by design: \($0)" } + store.failures.map { "    failed: \($0)" }
        }
        return (lines + errors.map { "failed: \($0)" }).joined(separator: "\n")
    }

    private static func rows(_ store: MigrationOutcome) -> [[String]] {
        let start = [store.store, store.version ?? "?", String(format: "%.3f", store.seconds)]
        guard !store.entities.isEmpty else { return [start + Array(repeating: "", count: 5)] }
        return store.entities.enumerated().map { index, entity in
            let name = entity.name + (entity.formerName.map { " (\($0))" } ?? "")
            let numbers = [entity.before, entity.after, entity.values, entity.links].map(String.init)
            return (index == 0 ? start : ["", "", ""]) + [name] + numbers
        }
    }
}
