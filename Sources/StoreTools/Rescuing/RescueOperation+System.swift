import Foundation
import ModelFormat

#if canImport(ModelPredicates)
import ModelPredicates
#endif

extension RescueOperation {
    private static let historyNames = [16001: "CHANGE", 16002: "TRANSACTION", 16003: "TRANSACTIONSTRING"]

    /// Writes the entity numbers, the metadata and the model.
    func writeSystemTables() throws {
        try writeEntityNumbers()
        let uuid = content.uuid ?? UUID().uuidString
        if content.uuid == nil, content.list != nil {
            notes.add("The store's UUID was lost: object IDs that programs have saved are invalid.", isLoss: true)
        }
        let row = try out.prepare("INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)")
        try row.bind(.text(uuid), at: 1)
        try row.bind(.blob(metadataList()), at: 2)
        _ = try row.step()
        try writeModel()
    }

    private func writeModel() throws {
        guard try exists("Z_MODELCACHE"), chosen.keepsCache else { return }
        var cache = rescue.model == nil || content.cachedModel == rescue.model ? content.cache : nil
        if cache == nil, let stored = content.cachedModel,
            try Self.versionHashes(stored) == Self.versionHashes(model)
        {
            cache = content.cache
        }
        guard let cache = cache ?? archive() else {
            notes.add("The model could not be archived: the new store contains none.", isLoss: false)
            return
        }
        let row = try out.prepare("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
        try row.bind(.blob(cache), at: 1)
        _ = try row.step()
    }

    /// Returns the model's archive; nil for one with predicates where there is no parser for them.
    private func archive() -> Data? {
        #if canImport(ModelPredicates)
        try? model.cacheContent(parser: FormatTextParser())
        #else
        try? model.cacheContent()
        #endif
    }

    private func writeEntityNumbers() throws {
        let row = try out.prepare("INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, ?)")
        func write(_ number: Int, _ name: String, _ parent: Int, _ highest: Int64) throws {
            for (place, value) in [
                StoredValue.integer(Int64(number)), .text(name), .integer(Int64(parent)), .integer(highest),
            ].enumerated() {
                try row.bind(value, at: place + 1)
            }
            _ = try row.step()
            row.reset()
        }
        let byNumber = Dictionary(
            content.entities.map { ($1.number, ($0, $1)) }, uniquingKeysWith: { first, _ in first })
        for entity in schema.entities {
            let stored = byNumber[entity.number]
            // Migrations leave the former names of renamed subentities.
            let isFormer = stored.map { schema.entity(named: $0.0) == nil && $0.1.parent == entity.parent } ?? false
            var highest: Int64 = 0
            if entity.parent == 0 {
                let used = try highestKey(entity.table)
                highest = stored?.1.highest ?? 0
                if highest < used || highest > Int64.max / 2 {
                    if stored != nil {
                        notes.add("The highest key was corrected.", entity: entity.name, isMended: false)
                    }
                    highest = used
                }
            }
            if let stored, stored.1.parent != entity.parent || (stored.0 != entity.name && !isFormer) {
                notes.add("The entity's number or parent was corrected.", entity: entity.name, isMended: false)
            } else if stored == nil, !content.entities.isEmpty {
                notes.add("The entity's number was missing, and was added.", entity: entity.name, isMended: false)
            }
            try write(entity.number, isFormer ? stored?.0 ?? entity.name : entity.name, entity.parent, highest)
        }
        let known = Set(schema.entities.map(\.number))
        var written: Set<Int> = []
        for (name, stored) in content.entities.sorted(by: { $0.value.number < $1.value.number })
        where stored.number >= 16000 && !known.contains(stored.number) && written.insert(stored.number).inserted {
            var highest = stored.highest
            if let table = Self.historyTables.first(where: { $0.value == stored.number })?.key, try exists(table) {
                highest = max(try highestKey(table), highest)
            }
            try write(stored.number, name, stored.parent, highest)
        }
        for (table, number) in Self.historyTables.sorted(by: { $0.value < $1.value })
        where try exists(table) && !written.contains(number) && !known.contains(number) {
            try write(number, Self.historyNames[number] ?? table, 0, highestKey(table))
        }
    }

    private func highestKey(_ table: String) throws -> Int64 {
        guard try exists(table) else { return 0 }
        return max(try out.integer("SELECT MAX(Z_PK) FROM \(table.quotedIdentifier)") ?? 0, 0)
    }

    // MARK: Triggers, views, spatial indexes

    /// Creates what does not concern the rows themselves.
    func createRest() throws {
        for entry in entries where entry.type == "table" && isVirtual(entry) {
            let trigger = entries.first { $0.type == "trigger" && $0.name == entry.name + "_INSERT" }
            try createSpatialIndex(entry.name, entry.sql ?? "", of: trigger?.table)
        }
        for table in schema.spatialTables where try !exists(table.name) {
            try createSpatialIndex(table.name, table.sql, of: nil)
            if !entries.isEmpty { notes.add("The spatial index \(table.name) was missing, and was created.") }
        }
        let known = schema.triggers + schema.spatialTriggers
        for entry in entries where entry.type == "trigger" || entry.type == "view" {
            guard try !exists(entry.name) else { continue }
            // A program that opens the new store would run whatever a trigger or view computes.
            guard entry.type == "trigger", let sql = entry.sql, StatementRules.isOne(sql, of: known),
                (try? out.execute(sql)) != nil
            else {
                if !known.contains(where: { $0.name == entry.name }) {
                    notes.add("The \(entry.type) \(entry.name) is left out: its statement is not of a known form.")
                }
                continue
            }
        }
        for trigger in schema.triggers + schema.spatialTriggers
        where try !exists(trigger.name) && exists(trigger.table) {
            guard (try? out.execute(trigger.sql)) != nil else {
                notes.add("The trigger \(trigger.name) is left out: its statement cannot be used.")
                continue
            }
            if !entries.isEmpty { notes.add("The trigger \(trigger.name) was missing, and was created.") }
        }
    }

    /// Creates a spatial index, and fills it from the table of its entity.
    private func createSpatialIndex(_ name: String, _ sql: String, of known: String?) throws {
        guard StatementRules.isSpatialTable(sql, name: name), (try? out.execute(sql)) != nil else {
            return notes.add("The virtual table \(name) is left out.", isLoss: false)
        }
        let bounds = try SchemaReading.columns(of: name, out).map(\.name).filter { $0 != "Z_PK" }
        let table = schema.spatialTriggers.first { $0.name == name + "_INSERT" }?.table ?? known
        let columns = bounds.map { $0.hasSuffix("_MIN") || $0.hasSuffix("_MAX") ? String($0.dropLast(4)) : $0 }
        guard let table, try exists(table) else { return }
        let present = Set(try SchemaReading.columns(of: table, out).map(\.name))
        guard columns.allSatisfy(present.contains) else { return }
        let names = columns.map(\.quotedIdentifier)
        try out.execute(
            "INSERT INTO \(name.quotedIdentifier) (Z_PK, \(bounds.map(\.quotedIdentifier).joined(separator: ", "))) "
                + "SELECT Z_PK, \(names.joined(separator: ", ")) FROM \(table.quotedIdentifier) WHERE "
                + names.map { "\($0) IS NOT NULL" }.joined(separator: " AND "))
    }
}
