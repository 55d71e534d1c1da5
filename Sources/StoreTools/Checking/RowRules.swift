import Foundation
import ModelFormat

/// The rules of an entity table's rows: numbers, attributes, references, derived values.
struct RowRules {
    let check: CheckRun
    let schema: StoreSchema
    let table: EntityTable

    init(_ check: CheckRun, _ schema: StoreSchema, _ table: EntityTable) {
        self.check = check
        self.schema = schema
        self.table = table
    }

    func run() throws {
        guard check.facts.has(table.name, ["Z_PK", "Z_ENT", "Z_OPT"]) else {
            check.externalFiles = nil
            return
        }
        var scan = RowScan(table.name)
        for condition in numberConditions() { scan.add(condition) }
        for entity in schema.declaring(in: table) {
            AttributeRules(self, entity).add(to: &scan)
            for toOne in entity.toOnes {
                try flush(&scan, ifFull: true)
                ReferenceRules(self).add(toOne, of: entity, to: &scan)
            }
            for attribute in entity.attributes where attribute.isDerived {
                try flush(&scan, ifFull: true)
                DerivedRules(self).add(attribute, of: entity, to: &scan)
            }
            try flush(&scan, ifFull: true)
        }
        for owner in schema.entities {
            guard let table = schema.table(of: owner) else { continue }
            for entity in schema.declaring(in: table) where entity.number == owner.number {
                for toMany in entity.toManys where toMany.inverse == nil {
                    try flush(&scan, ifFull: true)
                    ReferenceRules(self).add(owned: toMany, by: entity, to: &scan)
                }
            }
        }
        try flush(&scan, ifFull: false)
    }

    private func flush(_ scan: inout RowScan, ifFull: Bool) throws {
        guard !scan.isEmpty, scan.isFull || !ifFull else { return }
        let part = scan
        scan = RowScan(table.name)
        let folder = ExternalFolder(check.url)
        var missing = part.files.map { _ in (keys: [Int64](), count: 0) }
        var invalid = missing
        let isComplete = try check.reading(table.name, entity: schema.entity(table.root)?.name) {
            try part.run(check) { index, key, bytes in
                guard let name = ExternalFolder.fileName(in: bytes) else {
                    invalid[index].count += 1
                    if invalid[index].keys.count < StoreFinding.keyLimit { invalid[index].keys.append(key) }
                    return
                }
                check.externalFiles?.insert(name.uuid)
                guard !folder.contains(name.text) else { return }
                missing[index].count += 1
                if missing[index].keys.count < StoreFinding.keyLimit { missing[index].keys.append(key) }
            }
        }
        if !isComplete { check.externalFiles = nil }
        for (file, found) in zip(part.files, missing) where found.count > 0 {
            check.add(
                StoreFinding(
                    .missingFile, table: table.name, entity: file.entity, property: file.property, keys: found.keys,
                    count: found.count, "The file of the value is missing in \(folder.url.lastPathComponent).",
                    cause: folder.exists ? nil : "The store was copied or moved without its folder \(folder.name).",
                    remedy: .mendedWithLoss))
        }
        for (file, found) in zip(part.files, invalid) where found.count > 0 {
            check.add(
                StoreFinding(
                    .valueType, table: table.name, entity: file.entity, property: file.property, keys: found.keys,
                    count: found.count, "The value names an external file in an invalid form.", remedy: .mendedWithLoss)
            )
        }
    }

    // MARK: Numbers

    private func numberConditions() -> [RowCondition] {
        let entities = table.family.compactMap(schema.entity)
        let numbers = entities.filter { !$0.isAbstract }.map { String($0.number) }.joined(separator: ", ")
        let root = schema.entity(table.root)?.name
        return [
            RowCondition(
                rule: .rowEntity, entity: root, sql: "t.Z_ENT IS NULL OR t.Z_ENT NOT IN (\(numbers))",
                message: entities.count == 1
                    ? "The entity number is not that of the entity."
                    : "The entity number is not that of an entity that has objects in this table.",
                remedy: entities.count == 1 ? .mended : .mendedWithLoss),
            RowCondition(
                rule: .rowKey, entity: root, sql: "t.Z_PK < 1", message: "The primary key is not positive.",
                remedy: .mendedWithLoss),
            RowCondition(
                rule: .valueType, entity: root, property: "Z_OPT",
                sql: "t.Z_OPT IS NULL OR t.Z_OPT < 1 OR t.Z_OPT >= ''",
                message: "The version for optimistic locking is not a positive number.", remedy: .mended),
        ]
    }
}
