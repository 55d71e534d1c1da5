import Foundation
import ModelFormat

extension RescueOperation {
    /// Computes the derived attributes again that count a relationship, or follow a to-one one.
    func mendDerivedValues() throws {
        for entity in model.entities {
            guard let stored = schema.entity(named: entity.name) else { continue }
            for attribute in entity.attributes {
                guard let derivation = attribute.derivation, attribute.derivationFilter == nil,
                    let place = stored.attributes.first(where: { $0.path == attribute.name }),
                    let value = value(derivation, of: stored)
                else { continue }
                try refresh(place, of: stored, value)
            }
        }
    }

    private func refresh(_ attribute: StoredAttribute, of entity: StoreEntity, _ value: String) throws {
        let (table, column) = (entity.table.quotedIdentifier, attribute.column.quotedIdentifier)
        let numbers = entity.family.map(String.init).joined(separator: ", ")
        let rows = try out.prepare(
            "SELECT s.Z_PK, s.Z_ENT, \(value) AS v FROM \(table) s WHERE s.Z_ENT IN (\(numbers)) AND s.\(column) IS NOT v"
        )
        var found: [(key: Int64, entity: Int64, value: StoredValue)] = []
        while try rows.step() { found.append((rows.integer(0), rows.integer(1), rows.value(2))) }
        guard !found.isEmpty else { return }
        let update = try out.prepare("UPDATE \(table) SET \(column) = ?2 WHERE Z_PK = ?1")
        for row in found {
            try run(update, row.key, row.value)
            notes.add(
                "A derived value was computed again.", entity: schema.entity(Int(row.entity))?.name ?? entity.name,
                property: attribute.path, key: row.key)
        }
    }

    /// Returns a derivation as an SQL expression over a row `s`; nil for other forms.
    private func value(_ derivation: String, of entity: StoreEntity) -> String? {
        let parts = derivation.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts.allSatisfy({ !$0.contains("(") && !$0.contains(" ") }) else { return nil }
        if parts[1] == "@count", let toMany = entity.toManys.first(where: { $0.name == parts[0] }) {
            switch toMany.place {
            case .foreignKey(let table, let column, _, _):
                return "(SELECT COUNT(*) FROM \(table.quotedIdentifier) d WHERE d.\(column.quotedIdentifier) = s.Z_PK)"
            case .join(let table, let source, _, _):
                return "(SELECT COUNT(*) FROM \(table.quotedIdentifier) d WHERE d.\(source.quotedIdentifier) = s.Z_PK)"
            }
        }
        guard let toOne = entity.toOnes.first(where: { $0.name == parts[0] }),
            let destination = schema.entity(toOne.destination),
            let target = destination.attributes.first(where: { $0.path == parts[1] })
        else { return nil }
        return "(SELECT d.\(target.column.quotedIdentifier) FROM \(destination.table.quotedIdentifier) d "
            + "WHERE d.Z_PK = s.\(toOne.column.quotedIdentifier))"
    }

    // MARK: History

    /// Removes changes of transactions that were lost, and references to texts that were.
    func mendHistory() throws {
        guard try exists("ACHANGE"), try exists("ATRANSACTION") else { return }
        try out.execute(
            "DELETE FROM ACHANGE WHERE ZTRANSACTIONID IS NULL "
                + "OR ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)")
        if let count = try out.integer("SELECT changes()"), count > 0 {
            notes.add("Changes of lost transactions were removed from the history.", count: Int(count), isLoss: true)
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
                    "Transactions of the history lost their \(Self.meaning(column)).", count: Int(count), isLoss: true)
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
            let presence = try out.prepare("SELECT 1 FROM \(table.name.quotedIdentifier) WHERE Z_PK = ?")
            let root = schema.entity(described.root)?.name ?? table.name
            let lost = Set(table.entities.values.flatMap { notes.lost[$0.name] ?? [] })
            try evidence.forEachKey { key, value in
                try presence.bind(.integer(key), at: 1)
                defer { presence.reset() }
                guard key > 0, try !presence.step(), !lost.contains(key) else { return }
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
