import Foundation
import ModelFormat

extension RescueOperation {
    /// Computes the derived attributes again that count a relationship, follow a to-one one, or have the value of another
    /// attribute.
    func mendDerivedValues() throws {
        for entity in model.entities {
            guard let stored = schema.entity(named: entity.name) else { continue }
            for attribute in entity.attributes where attribute.derivationFilter == nil {
                guard let derivation = attribute.derivation.flatMap(Derivation.init),
                    let place = stored.attributes.first(where: { $0.path == attribute.name }),
                    let value = value(derivation, of: place, stored)
                else { continue }
                try refresh(place, of: stored, value)
            }
        }
    }

    private func refresh(
        _ attribute: StoredAttribute, of entity: StoreEntity, _ value: (sql: String, condition: String)
    ) throws {
        let (table, column) = (entity.table.quotedIdentifier, attribute.column.quotedIdentifier)
        let numbers = entity.family.map(String.init).joined(separator: ", ")
        let rows = try out.prepare(
            "SELECT Z_PK, Z_ENT, v FROM (SELECT s.Z_PK, s.Z_ENT, s.\(column) AS own, \(value.sql) AS v FROM \(table) s "
                + "WHERE s.Z_ENT IN (\(numbers))) WHERE own IS NOT v\(value.condition) AND Z_PK > ? ORDER BY Z_PK LIMIT 4096"
        )
        let update = try out.prepare("UPDATE \(table) SET \(column) = ?2 WHERE Z_PK = ?1")
        var last = Int64.min
        while true {
            try rows.bind(.integer(last), at: 1)
            var found: [(key: Int64, entity: Int64, value: StoredValue)] = []
            while try rows.step() { found.append((rows.integer(0), rows.integer(1), rows.value(2))) }
            rows.reset()
            for row in found {
                try run(update, row.key, row.value)
                notes.add(
                    "A derived value was computed again.",
                    entity: schema.entity(Int(clamping: row.entity))?.name ?? entity.name,
                    property: attribute.path, key: row.key)
            }
            guard let key = found.map(\.key).max(), found.count == 4096 else { return }
            last = key
        }
    }

    /// Returns a derivation as an SQL expression over a row `s`, and a condition on its value `v`; nil for forms that SQL
    /// computes differently.
    private func value(
        _ derivation: Derivation, of attribute: StoredAttribute, _ entity: StoreEntity
    ) -> (sql: String, condition: String)? {
        switch derivation {
        case .count(let name):
            guard let toMany = entity.toManys.first(where: { $0.name == name }) else { return nil }
            let (table, column) =
                switch toMany.place {
                case .foreignKey(let table, let column, _, _): (table, column)
                case .join(let table, let source, _, _): (table, source)
                }
            return (
                "(SELECT COUNT(*) FROM \(table.quotedIdentifier) d WHERE d.\(column.quotedIdentifier) = s.Z_PK)", ""
            )
        case .value(let path, let function):
            guard let source = source(path, of: entity) else { return nil }
            guard let function else { return source.type == attribute.type ? (source.sql, "") : nil }
            guard source.type == .string, attribute.type == .string else { return nil }
            // SQL changes the case of ASCII only; that of other texts is left as it is.
            return ("\(function)(\(source.sql))", " AND (v IS NULL OR v NOT GLOB '*[^ -~]*')")
        }
    }

    private func source(_ path: [String], of entity: StoreEntity) -> (sql: String, type: AttributeType)? {
        let name = path.joined(separator: ".")
        if let own = entity.attributes.first(where: { $0.path == name }) {
            return own.isDerived ? nil : ("s.\(own.column.quotedIdentifier)", own.type)
        }
        guard path.count >= 2, let toOne = entity.toOnes.first(where: { $0.name == path[0] }),
            let destination = schema.entity(toOne.destination),
            let target = destination.attributes.first(where: { $0.path == path.dropFirst().joined(separator: ".") })
        else { return nil }
        return (
            "(SELECT d.\(target.column.quotedIdentifier) FROM \(destination.table.quotedIdentifier) d "
                + "WHERE d.Z_PK = s.\(toOne.column.quotedIdentifier))", target.type
        )
    }

    // MARK: History

    /// Creates the tables of history that are missing beside others. Those of older frameworks have no table of texts.
    func createHistoryTables() throws {
        let present = try Self.historyTables.keys.filter { try exists($0) }
        guard !present.isEmpty else { return }
        let hasTexts =
            try exists("ATRANSACTIONSTRING") || !exists("ATRANSACTION")
            || SchemaReading.columns(of: "ATRANSACTION", out).contains { $0.name == "ZAUTHORTS" }
        for table in SystemTables.historyTables(tombstones: schema.tombstoneCount)
        where try !exists(table.name) && (hasTexts || table.name != "ATRANSACTIONSTRING") {
            try out.execute(table.sql)
            notes.add("The table \(table.name) of the history was lost.", isLoss: true)
        }
        guard hasTexts else { return }
        for index in SystemTables.historyIndexes where try !exists(index.name) {
            let columns = try columns(ofIndexStatement: index)
            guard try !indexedColumns(index.table).contains(columns) else { continue }
            try out.execute(index.sql)
            notes.add("The index \(index.name) was missing, and was created.")
        }
    }

    /// Removes changes that are of no transaction, entity or kind, and references to texts that were lost.
    func mendHistory() throws {
        guard try exists("ACHANGE"), try exists("ATRANSACTION") else { return }
        let numbers = Set(schema.entities.map(\.number) + content.entities.values.map(\.number))
        for (condition, message) in [
            (
                "ZTRANSACTIONID IS NULL OR ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)",
                "Changes of lost transactions were removed from the history."
            ),
            (
                "ZENTITY IS NULL OR ZENTITY NOT IN (\(numbers.sorted().map(String.init).joined(separator: ", "))) "
                    + "OR typeof(ZENTITYPK) <> 'integer' OR ZCHANGETYPE IS NULL OR ZCHANGETYPE NOT IN (0, 1, 2)",
                "Changes of unknown objects or kinds were removed from the history."
            ),
        ] {
            try out.execute("DELETE FROM ACHANGE WHERE \(condition)")
            if let count = try out.integer("SELECT changes()"), count > 0 {
                notes.add(message, count: Int(clamping: count), isLoss: true)
            }
        }
        guard try exists("ATRANSACTIONSTRING") else { return }
        let columns = try SchemaReading.columns(of: "ATRANSACTION", out).map(\.name)
        for column in columns where column.hasSuffix("TS") {
            let name = column.quotedIdentifier
            try out.execute(
                "UPDATE ATRANSACTION SET \(name) = NULL WHERE \(name) IS NOT NULL "
                    + "AND \(name) NOT IN (SELECT Z_PK FROM ATRANSACTIONSTRING)")
            if let count = try out.integer("SELECT changes()"), count > 0 {
                notes.add(
                    "Transactions of the history lost their \(Self.meaning(column)).", count: Int(clamping: count),
                    isLoss: true)
            }
        }
    }

    private static func meaning(_ column: String) -> String {
        switch column {
        case "ZAUTHORTS": "author"
        case "ZBUNDLEIDTS": "program"
        case "ZCONTEXTNAMETS": "context"
        default: "process"
        }
    }

    // MARK: Missing rows

    /// Counts the rows as lost that an index knows, and the new store does not have.
    func findMissingRows() throws {
        for table in tables where table.isEntity && !table.isIntact {
            guard let evidence = table.evidence, case .entity(let described) = table.kind else { continue }
            let root = schema.entity(described.root)?.name ?? table.name
            let lost = table.entities.values.compactMap { notes.lost[$0.name] }
            try evidence.forEachKey { key, value in
                guard key > 0, table.facts?.contains(key) != true,
                    !lost.contains(where: { $0.contains(key) })
                else { return }
                var name = root
                if evidence.columnName == "Z_ENT", case .integer(let number) = value {
                    name = table.entities[number]?.name ?? root
                }
                notes.lose(key, of: name)
                notes.add(
                    "Rows that an index contains could not be found.", entity: name, key: key, isLoss: true,
                    isMended: false)
            }
        }
    }
}
