import Foundation

extension RescueOperation {
    /// Removes pairs without an object at both ends, and pairs that occur twice.
    func mendJoins() throws {
        for join in schema.joins where try exists(join.name) {
            guard let first = schema.entity(join.first.entity), let second = schema.entity(join.second.entity) else {
                continue
            }
            let isSound = isSound(join)
            if !isSound { try removeDangling(join, first, second) }
            try removeRepeated(join)
            if join.isReflexive, !isSound || !isSymmetric(join) { try addReverse(join) }
        }
    }

    private func presence(_ entity: StoreEntity, _ column: String) -> String {
        let all = schema.entities.filter { $0.table == entity.table }.count
        let family =
            entity.family.count >= all
            ? "" : " AND Z_ENT IN (\(entity.family.map(String.init).joined(separator: ", ")))"
        return
            "EXISTS (SELECT 1 FROM \(entity.table.quotedIdentifier) WHERE Z_PK = j.\(column.quotedIdentifier)\(family))"
    }

    private func removeDangling(_ join: JoinTable, _ first: StoreEntity, _ second: StoreEntity) throws {
        let (a, b) = (join.first.column.quotedIdentifier, join.second.column.quotedIdentifier)
        let (hasA, hasB) = (presence(first, join.first.column), presence(second, join.second.column))
        let rows = try out.prepare(
            "SELECT rowid, \(a), \(b), \(hasA), \(hasB) FROM \(join.name.quotedIdentifier) j "
                + "WHERE NOT \(hasA) OR NOT \(hasB)")
        var found = KeySet()
        var (firstKeys, secondKeys) = (KeySet(), KeySet())
        while try rows.step() {
            found.insert(rows.integer(0))
            let (hasFirst, hasSecond) = (rows.integer(3) != 0, rows.integer(4) != 0)
            if !hasFirst { firstKeys.insert(rows.integer(1)) }
            if !hasSecond { secondKeys.insert(rows.integer(2)) }
            notes.add(
                "A pair without an object at one end was removed.", entity: hasFirst ? first.name : second.name,
                property: hasFirst ? join.first.relationship : join.second.relationship,
                key: hasFirst ? rows.integer(1) : rows.integer(2), isLoss: true)
        }
        guard !found.isEmpty else { return }
        let deletion = try out.prepare("DELETE FROM \(join.name.quotedIdentifier) WHERE rowid = ?")
        try found.forEach { row in
            try run(deletion, row)
            return true
        }
        try noteMissing(firstKeys, first.name, in: first.table)
        try noteMissing(secondKeys, second.name, in: second.table)
    }

    /// Removes repeated pairs from tables of old frameworks, which have no key.
    private func removeRepeated(_ join: JoinTable) throws {
        guard try !hasKey(join.name) else { return }
        let (a, b) = (join.first.column.quotedIdentifier, join.second.column.quotedIdentifier)
        let name = join.name.quotedIdentifier
        try out.execute(
            "DELETE FROM \(name) WHERE rowid NOT IN (SELECT MIN(rowid) FROM \(name) GROUP BY \(a), \(b))")
        if let count = try out.integer("SELECT changes()"), count > 0 {
            notes.add(
                "Pairs that occurred twice were removed.", entity: schema.entity(join.first.entity)?.name,
                property: join.first.relationship, count: Int(clamping: count))
            try addKey(join)
        }
    }

    /// Creates a table of pairs again, with the key that prevents repeated pairs, unless it has other columns than the model's.
    private func addKey(_ join: JoinTable) throws {
        let columns = join.columns.map(\.name)
        guard try Set(SchemaReading.columns(of: join.name, out).map(\.name)) == Set(columns) else { return }
        let (name, former) = (join.name.quotedIdentifier, (join.name + "_FORMER").quotedIdentifier)
        let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
        try out.execute("ALTER TABLE \(name) RENAME TO \(former)")
        try out.execute(join.sql)
        try out.execute("INSERT INTO \(name) (\(list)) SELECT \(list) FROM \(former)")
        try out.execute("DROP TABLE \(former)")
        for index in schema.indexes where index.table == join.name { try out.execute(index.sql) }
    }

    /// Adds the other direction of pairs of a relationship that is its own inverse.
    private func addReverse(_ join: JoinTable) throws {
        let (a, b) = (join.first.column.quotedIdentifier, join.second.column.quotedIdentifier)
        let name = join.name.quotedIdentifier
        try out.execute(
            "INSERT OR IGNORE INTO \(name) (\(a), \(b)) SELECT j.\(b), j.\(a) FROM \(name) j WHERE NOT EXISTS "
                + "(SELECT 1 FROM \(name) k WHERE k.\(a) = j.\(b) AND k.\(b) = j.\(a))")
        if let count = try out.integer("SELECT changes()"), count > 0 {
            notes.add(
                "The other direction of pairs was missing, and was added.",
                entity: schema.entity(join.first.entity)?.name, property: join.first.relationship,
                count: Int(clamping: count))
        }
    }

    // MARK: Positions

    /// Numbers the objects of ordered relationships again where positions are missing or not distinct.
    func mendOrders() throws {
        for reference in references where try exists(reference.table) {
            guard let order = reference.orderColumn else { continue }
            let all = schema.entities.filter { $0.table == reference.table }.count
            let owners =
                reference.owners.count >= all
                ? "" : " AND Z_ENT IN (\(reference.owners.sorted().map(String.init).joined(separator: ", ")))"
            try renumber(
                reference.table, owner: reference.column, order: order, key: "Z_PK", condition: owners,
                entity: reference.destination, property: reference.inverse ?? reference.property)
        }
        for join in schema.joins where try exists(join.name) {
            for (side, other) in [(join.first, join.second), (join.second, join.first)] {
                guard let order = side.order else { continue }
                try renumber(
                    join.name, owner: other.column, order: order, key: side.column, condition: "",
                    entity: schema.entity(other.entity)?.name ?? "", property: other.relationship)
                if join.isReflexive { break }
            }
        }
    }

    private func renumber(
        _ table: String, owner: String, order: String, key: String, condition: String, entity: String, property: String
    ) throws {
        let (name, owner, order) = (table.quotedIdentifier, owner.quotedIdentifier, order.quotedIdentifier)
        let rows = try out.prepare(
            "SELECT \(owner), \(order) FROM \(name) NOT INDEXED WHERE \(owner) IS NOT NULL\(condition) ORDER BY 1, 2")
        var owners = KeySet()
        var last: (owner: Int64, position: Int64) = (0, 0)
        while try rows.step() {
            let current = (owner: rows.integer(0), position: rows.integer(1))
            if rows.isNull(1) || current.position <= 0 || current == last { owners.insert(current.owner) }
            last = current
        }
        guard !owners.isEmpty else { return }
        let selection = try out.prepare(
            "SELECT rowid FROM \(name) WHERE \(owner) = ?\(condition) "
                + "ORDER BY \(order) IS NULL, \(order), \(key.quotedIdentifier)")
        let update = try out.prepare("UPDATE \(name) SET \(order) = ?2 WHERE rowid = ?1")
        try owners.forEach { number in
            try selection.bind(.integer(number), at: 1)
            var rows: [Int64] = []
            while try selection.step() { rows.append(selection.integer(0)) }
            selection.reset()
            for (place, row) in rows.enumerated() { try run(update, row, .integer(2048 + 1024 * Int64(place))) }
            notes.add(
                "Positions that were missing or not distinct were numbered again.", entity: entity, property: property,
                key: number)
            return true
        }
    }
}
