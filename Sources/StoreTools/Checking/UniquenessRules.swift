import Foundation

/// Uniqueness constraints without the index that enforces them. SQLite's own check finds violations in an index.
struct UniquenessRules {
    private let check: CheckRun
    private let schema: StoreSchema

    init(_ check: CheckRun, _ schema: StoreSchema) {
        self.check = check
        self.schema = schema
    }

    func run(_ table: EntityTable) throws {
        for entity in schema.declaring(in: table) {
            for columns in entity.uniqueColumns where check.facts.has(table.name, columns) && !columns.isEmpty {
                if check.facts.hasUniqueIndex(table.name, columns) { continue }
                let properties = columns.map { column in
                    schema.entity(entity.number)?.attributes.first { $0.column == column }?.path
                        ?? schema.entity(entity.number)?.toOnes.first { $0.column == column }?.name ?? column
                }.joined(separator: ", ")
                check.add(
                    StoreFinding(
                        .index, table: table.name, entity: entity.name, property: properties,
                        "The unique index of the constraint is missing.", remedy: .mended))
                try violations(table, entity, columns, properties)
            }
        }
    }

    private func violations(
        _ table: EntityTable, _ entity: StoreEntity, _ columns: [String], _ properties: String
    ) throws {
        let names = columns.map(\.quotedIdentifier)
        let present = names.map { "t.\($0) IS NOT NULL" } + [schema.restriction(to: entity, "t")].compactMap { $0 }
        let list = names.map { "t.\($0)" }.joined(separator: ", ")
        var keys: [Int64] = []
        var count = 0
        try check.reading(table.name, entity: entity.name) {
            let statement = try check.database.prepare(
                "SELECT max(t.Z_PK), count(*) - 1 FROM \(table.name.quotedIdentifier) t NOT INDEXED "
                    + "WHERE \(present.joined(separator: " AND ")) GROUP BY \(list) HAVING count(*) > 1")
            while try statement.step() {
                count += Int(clamping: statement.integer(1))
                if keys.count < StoreFinding.keyLimit { keys.append(statement.integer(0)) }
            }
        }
        guard count > 0 else { return }
        check.add(
            StoreFinding(
                .uniqueness, table: table.name, entity: entity.name, property: properties, keys: keys.sorted(),
                count: count, "Objects have the same values of a uniqueness constraint as earlier ones.",
                cause: "The unique index is missing.", remedy: .mendedWithLoss))
    }
}
