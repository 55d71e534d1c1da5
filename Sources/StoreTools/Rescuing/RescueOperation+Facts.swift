extension RescueOperation {
    /// Collects what the rows of all tables refer to, as far as it is not known from copying them.
    func collectFacts() throws {
        for table in tables where table.isEntity || table.join != nil {
            // Rows that were removed, or references that were changed.
            if !replaced.isEmpty { table.facts = nil }
            if table.facts == nil { table.facts = try readFacts(table) }
        }
    }

    private func readFacts(_ table: RescueTable) throws -> TableFacts {
        let facts = TableFacts(table, references)
        let wanted = facts.columns
        guard let last = wanted.last else { return facts }
        let names = (0...last).map { wanted.contains($0) ? table.columns[$0].name.quotedIdentifier : "NULL" }
        let rows = try out.prepare(
            "SELECT \(names.joined(separator: ", ")) FROM \(table.name.quotedIdentifier) NOT INDEXED")
        while try rows.step() { facts.add(rows, names.count) }
        return facts
    }

    /// Returns whether all keys of a reference are those of rows of its destination, with their entity numbers.
    func isSound(_ reference: StoredReference) -> Bool {
        guard let table = table(named: reference.table),
            let known = table.facts?.reference(reference.column, in: table),
            let destination = self.table(named: reference.destinationTable)?.facts
        else { return false }
        guard known.entityColumn != nil else {
            return known.targets.isSubset(of: reference.family.map { destination.keys(of: Int64($0)) })
        }
        guard !known.hasHalf else { return false }
        return known.targetsByEntity.allSatisfy { number, targets in
            Int(exactly: number).map { reference.family.contains($0) } == true
                && targets.isSubset(of: [destination.keys(of: number)])
        }
    }

    /// Returns whether two one-to-one relationships without dangling keys agree in all rows.
    func agree(_ reference: StoredReference, _ inverse: StoredReference) -> Bool {
        guard let table = table(named: reference.table), let other = self.table(named: inverse.table),
            let one = table.facts?.reference(reference.column, in: table),
            let two = other.facts?.reference(inverse.column, in: other), one.pairColumn != nil,
            two.pairColumn != nil
        else { return false }
        return one.pairs == two.inversePairs
    }

    /// Returns whether a join table that is its own inverse has each pair in both directions.
    func isSymmetric(_ join: JoinTable) -> Bool {
        guard let table = table(named: join.name), let known = table.facts?.reference(join.first.column, in: table),
            known.pairColumn != nil
        else { return false }
        return known.pairs == known.inversePairs
    }

    /// Returns whether all pairs of a join table have an object at both ends.
    func isSound(_ join: JoinTable) -> Bool {
        guard let table = table(named: join.name) else { return false }
        return [join.first, join.second].allSatisfy { side in
            guard let known = table.facts?.reference(side.column, in: table), let entity = schema.entity(side.entity),
                let destination = self.table(named: entity.table)?.facts
            else { return false }
            return !known.hasHalf && known.targets.isSubset(of: entity.family.map { destination.keys(of: Int64($0)) })
        }
    }
}
