import Foundation

/// The rows of `Z_PRIMARYKEY`: numbers and parents of entities, and the highest keys.
struct EntityNumberRules {
    private let check: CheckRun
    private let schema: StoreSchema

    init(_ check: CheckRun, _ schema: StoreSchema) {
        self.check = check
        self.schema = schema
    }

    func run() throws {
        guard check.facts.has("Z_PRIMARYKEY", ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"]), !check.isDamaged("Z_PRIMARYKEY")
        else { return }
        let names = Set(schema.entities.map(\.name))
        var missing: [String] = []
        for entity in schema.entities {
            let named = check.facts.numbers.filter { $0.name == entity.name }
            if named.count > 1 {
                add(entity, "The entity has \(named.count) rows in Z_PRIMARYKEY.")
            } else if named.isEmpty {
                // Migrations by Apple's framework leave the former name of a renamed subentity.
                let former = check.facts.numbers.first { $0.number == Int64(entity.number) && !names.contains($0.name) }
                if former == nil { missing.append(entity.name) }
            }
            guard let row = check.facts.numbers.first(where: { $0.number == Int64(entity.number) }) else { continue }
            if row.parent != Int64(entity.parent) {
                add(
                    entity, "The parent of the entity in Z_PRIMARYKEY is \(row.parent), and should be \(entity.parent)."
                )
            }
        }
        for name in missing {
            check.add(
                StoreFinding(
                    .entityNumbers, table: "Z_PRIMARYKEY", entity: name,
                    "The entity has no row in Z_PRIMARYKEY, or a wrong name there.", remedy: .mended))
        }
        for table in schema.tables where check.facts.has(table.name, "Z_PK") { try highest(table) }
    }

    private func add(_ entity: StoreEntity, _ message: String) {
        check.add(
            StoreFinding(.entityNumbers, table: "Z_PRIMARYKEY", entity: entity.name, message, remedy: .mended))
    }

    private func highest(_ table: EntityTable) throws {
        guard let row = check.facts.numbers.first(where: { $0.number == Int64(table.root) }) else { return }
        var highest: Int64?
        try check.reading(table.name) {
            highest = try check.database.integer("SELECT max(Z_PK) FROM \(table.name.quotedIdentifier)")
        }
        guard let highest, highest > row.highestKey ?? 0 || row.highestKey == nil else { return }
        check.add(
            StoreFinding(
                .highestKey, table: "Z_PRIMARYKEY", entity: schema.entity(table.root)?.name, keys: [highest],
                "Z_MAX is \(row.highestKey.map(String.init) ?? "missing"), below the highest key \(highest) of "
                    + "\(table.name).",
                cause: "Rows were written without Core Data, or the file was copied while it was being written.",
                remedy: .mended))
    }
}
