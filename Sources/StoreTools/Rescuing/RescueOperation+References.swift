import Foundation

extension RescueOperation {
    /// Makes the keys of relationships refer to existing rows, with the right entity numbers, and both sides of one-to-one
    /// relationships agree.
    func mendReferences() throws {
        var areSound: [Bool] = []
        for reference in references {
            areSound.append(isSound(reference))
            guard try exists(reference.table), try exists(reference.destinationTable) else { continue }
            if reference.isRequired { try noteMissing(reference) }
            if areSound[areSound.count - 1] { continue }
            try removeDangling(reference)
            try mendEntityNumbers(reference)
        }
        let pairs = references.enumerated().compactMap { place, reference -> (StoredReference, StoredReference)? in
            guard let name = reference.inverse, !reference.isInverseToMany,
                let other = references.firstIndex(where: {
                    $0.table == reference.destinationTable && $0.property == name
                        && !$0.owners.isDisjoint(with: reference.family)
                })
            else { return nil }
            if areSound[place], areSound[other], agree(reference, references[other]) { return nil }
            return (reference, references[other])
        }
        for (reference, inverse) in pairs { try removeRefuted(reference, inverse) }
        for (reference, inverse) in pairs { try mendInverse(reference, inverse) }
        // Mending one side may have left the old reference of another object.
        for (reference, inverse) in pairs { try removeMismatches(reference, inverse) }
    }

    /// Returns a condition for rows of some entities; nil if all rows of the table are.
    private func condition(_ numbers: Set<Int>, _ table: String, _ alias: String) -> String? {
        let all = Set(schema.entities.filter { $0.table == table }.map(\.number))
        guard !numbers.isSuperset(of: all) else { return nil }
        return "\(alias).Z_ENT IN (\(numbers.sorted().map(String.init).joined(separator: ", ")))"
    }

    private func entityName(_ number: Int64) -> String? { Int(exactly: number).flatMap { schema.entity($0)?.name } }

    private func clearing(_ reference: StoredReference) -> String {
        let columns = [reference.column, reference.entityColumn, reference.orderColumn].compactMap { $0 }
        return "UPDATE \(reference.table.quotedIdentifier) SET "
            + columns.map { "\($0.quotedIdentifier) = NULL" }.joined(separator: ", ") + " WHERE Z_PK = ?"
    }

    /// Notes the rows without a required object, which cannot be invented.
    private func noteMissing(_ reference: StoredReference) throws {
        let owners = condition(reference.owners, reference.table, "s").map { " AND \($0)" } ?? ""
        let rows = try out.prepare(
            "SELECT s.Z_PK, s.Z_ENT FROM \(reference.table.quotedIdentifier) s "
                + "WHERE s.\(reference.column.quotedIdentifier) IS NULL\(owners)")
        while try rows.step() {
            notes.add(
                "A required relationship is nil in the damaged store already.", entity: entityName(rows.integer(1)),
                property: reference.property, key: rows.integer(0), isMended: false)
        }
    }

    private func removeDangling(_ reference: StoredReference) throws {
        let column = "s.\(reference.column.quotedIdentifier)"
        let kind = reference.entityColumn.map { "s.\($0.quotedIdentifier)" } ?? "NULL"
        let owners = condition(reference.owners, reference.table, "s").map { " AND \($0)" } ?? ""
        let family = condition(reference.family, reference.destinationTable, "d").map { " AND \($0)" } ?? ""
        let rows = try out.prepare(
            "SELECT s.Z_PK, s.Z_ENT, \(column), \(kind) FROM \(reference.table.quotedIdentifier) s WHERE \(column) IS NOT "
                + "NULL\(owners) AND NOT EXISTS (SELECT 1 FROM \(reference.destinationTable.quotedIdentifier) d "
                + "WHERE d.Z_PK = \(column)\(family))")
        // The keys by entity, and what they refer to by its entity.
        var found: [Int64: KeySet] = [:]
        var targets: [Int64: KeySet] = [:]
        while try rows.step() {
            found[rows.integer(1), default: KeySet()].insert(rows.integer(0))
            targets[rows.integer(3), default: KeySet()].insert(rows.integer(2))
        }
        guard !found.isEmpty else { return }
        let update = try out.prepare(clearing(reference))
        let message =
            reference.isRequired
            ? "A required relationship referred to a row that does not exist, and is nil now."
            : "A relationship referred to a row that does not exist, and is nil now."
        for (entity, keys) in found.sorted(by: { $0.key < $1.key }) {
            let name = entityName(entity)
            try keys.forEach { key in
                try run(update, key)
                notes.add(message, entity: name, property: reference.property, key: key, isLoss: true)
                return true
            }
        }
        for (kind, keys) in targets.sorted(by: { $0.key < $1.key }) {
            let name = entityName(kind) ?? reference.destination
            try noteMissing(keys, name, in: reference.destinationTable)
        }
    }

    /// Counts rows as lost to which others refer, unless their keys were never in use.
    func noteMissing(_ keys: KeySet, _ entity: String, in table: String) throws {
        let root = schema.entity(named: entity).flatMap { schema.entity($0.root) }?.name ?? entity
        let highest = content.entities[root]?.highest ?? 0
        let present = self.table(named: table)?.facts
        keys.forEach { key in
            guard key > 0, key <= highest || highest == 0, present?.contains(key) != true else { return true }
            notes.lose(key, of: entity)
            return true
        }
    }

    private func mendEntityNumbers(_ reference: StoredReference) throws {
        guard let entityColumn = reference.entityColumn else { return }
        let (column, kind) = ("s.\(reference.column.quotedIdentifier)", "s.\(entityColumn.quotedIdentifier)")
        let owners = condition(reference.owners, reference.table, "s").map { " AND \($0)" } ?? ""
        let rows = try out.prepare(
            "SELECT s.Z_PK, s.Z_ENT, d.Z_ENT FROM \(reference.table.quotedIdentifier) s LEFT JOIN "
                + "\(reference.destinationTable.quotedIdentifier) d ON d.Z_PK = \(column) "
                + "WHERE \(kind) IS NOT d.Z_ENT\(owners)")
        // The keys by the row's entity, and by the number that is right.
        var found: [[StoredValue]: KeySet] = [:]
        while try rows.step() {
            found[[rows.value(1), rows.value(2)], default: KeySet()].insert(rows.integer(0))
        }
        guard !found.isEmpty else { return }
        let update = try out.prepare(
            "UPDATE \(reference.table.quotedIdentifier) SET \(entityColumn.quotedIdentifier) = ?2 WHERE Z_PK = ?1")
        for (kinds, keys) in found.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            guard case .integer(let entity) = kinds[0] else { continue }
            try keys.forEach { key in
                try run(update, key, kinds[1])
                notes.add(
                    "The entity number of a reference was corrected.", entity: entityName(entity),
                    property: reference.property, key: key)
                return true
            }
        }
    }

    // MARK: One-to-one

    private struct Mismatch {
        let key, entity, version, other, otherVersion: Int64
        let back: StoredValue
    }

    private func mismatches(_ reference: StoredReference, _ inverse: StoredReference) throws -> [Mismatch] {
        let owners = condition(reference.owners, reference.table, "s").map { " AND \($0)" } ?? ""
        let rows = try out.prepare(
            "SELECT s.Z_PK, s.Z_ENT, s.Z_OPT, d.Z_PK, d.Z_OPT, d.\(inverse.column.quotedIdentifier) FROM "
                + "\(reference.table.quotedIdentifier) s JOIN \(reference.destinationTable.quotedIdentifier) d "
                + "ON d.Z_PK = s.\(reference.column.quotedIdentifier) "
                + "WHERE d.\(inverse.column.quotedIdentifier) IS NOT s.Z_PK\(owners)")
        var found: [Mismatch] = []
        while try rows.step() {
            found.append(
                Mismatch(
                    key: rows.integer(0), entity: rows.integer(1), version: rows.integer(2), other: rows.integer(3),
                    otherVersion: rows.integer(4), back: rows.value(5)))
        }
        return found
    }

    /// Clears references to objects that agree with another one.
    private func removeRefuted(_ reference: StoredReference, _ inverse: StoredReference) throws {
        let found = try mismatches(reference, inverse)
        guard !found.isEmpty else { return }
        let partner = try out.prepare(
            "SELECT 1 FROM \(reference.table.quotedIdentifier) WHERE Z_PK = ?1 "
                + "AND \(reference.column.quotedIdentifier) = ?2")
        let update = try out.prepare(clearing(reference))
        for row in found where row.back != .null {
            try partner.bind(row.back, at: 1)
            try partner.bind(.integer(row.other), at: 2)
            let agrees = try partner.step()
            partner.reset()
            guard agrees else { continue }
            try run(update, row.key)
            noteInverse(reference, row, isLoss: true)
        }
    }

    /// Makes the other side agree, the row with the higher version deciding.
    private func mendInverse(_ reference: StoredReference, _ inverse: StoredReference) throws {
        let found = try mismatches(reference, inverse)
        guard !found.isEmpty else { return }
        let clear = try out.prepare(clearing(reference))
        let kind = inverse.entityColumn.map { ", \($0.quotedIdentifier) = ?3" } ?? ""
        let set = try out.prepare(
            "UPDATE \(inverse.table.quotedIdentifier) SET \(inverse.column.quotedIdentifier) = ?2\(kind) "
                + "WHERE Z_PK = ?1")
        let back = try out.prepare(
            "SELECT \(inverse.column.quotedIdentifier) FROM \(inverse.table.quotedIdentifier) WHERE Z_PK = ?")
        for row in found.sorted(by: { ($0.version, $0.key) > ($1.version, $1.key) }) {
            try back.bind(.integer(row.other), at: 1)
            let current = try back.step() ? back.value(0) : .null
            back.reset()
            if current == .integer(row.key) { continue }
            if current == .null || (current == row.back && row.version > row.otherVersion) {
                try set.bind(.integer(row.other), at: 1)
                try set.bind(.integer(row.key), at: 2)
                if inverse.entityColumn != nil { try set.bind(.integer(row.entity), at: 3) }
                _ = try set.step()
                set.reset()
                noteInverse(reference, row, isLoss: current != .null)
            } else {
                try run(clear, row.key)
                noteInverse(reference, row, isLoss: true)
            }
        }
    }

    /// Clears references to objects that do not refer back.
    private func removeMismatches(_ reference: StoredReference, _ inverse: StoredReference) throws {
        let found = try mismatches(reference, inverse)
        guard !found.isEmpty else { return }
        let update = try out.prepare(clearing(reference))
        for row in found {
            try run(update, row.key)
            noteInverse(reference, row, isLoss: false)
        }
    }

    private func noteInverse(_ reference: StoredReference, _ row: Mismatch, isLoss: Bool) {
        notes.add(
            "The two sides of a one-to-one relationship did not agree.", entity: entityName(row.entity),
            property: reference.property, key: row.key, isLoss: isLoss)
    }

    /// Runs a statement with a key and a value.
    func run(_ statement: Statement, _ key: Int64, _ value: StoredValue? = nil) throws {
        try statement.bind(.integer(key), at: 1)
        if let value { try statement.bind(value, at: 2) }
        while try statement.step() {}
        statement.reset()
    }
}
