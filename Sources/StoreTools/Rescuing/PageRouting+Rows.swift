extension PageRouting {
    /// Gives a row to a table; returns that.
    @discardableResult
    func route(_ row: SalvagedRow, _ owner: RescueTable?, _ rank: Int) throws -> RescueTable? {
        let values = row.values
        if let owner, case .foreign = owner.kind {
            guard values.count <= owner.sourceCount, rank < 2 else { return nil }
            try operation.writer(owner).write(values, key: row.key, rank: rank)
            return owner
        }
        if values.count >= 3, values[0] == .null, case .integer(let number) = values[1], let table = byNumber[number],
            RowShape.isPlausible(values, table)
        {
            try accept(row, table, rank)
            return table
        }
        if let owner, owner.isEntity, rank < 2 || rank == 5, values.count >= 3, values.count <= owner.sourceCount,
            values[0] == .null, RowShape.share(values, owner) >= 0.6
        {
            try accept(row, owner, rank)
            return owner
        }
        if RowShape.isPair(values), row.isComplete {
            if let owner, owner.join != nil, rank < 2, values.count == owner.sourceCount {
                try operation.writer(owner).write(values, key: row.key, rank: rank)
                return owner
            }
            if rank < 3 || rank == 4 { pairs.note(currentPage, root: root(currentPage), isRemains: rank == 4) }
            return nil
        }
        guard rank < 3, isDamaged, !RowShape.isOfSystem(values) else { return nil }
        operation.notes.add("Rows of no known table were moved to the leftovers.", key: row.key, isLoss: true)
        try operation.leftovers.add(
            entity: nil, table: owner?.name, key: row.key, reason: "a row of no known table, on page \(row.page)",
            values: values.enumerated().map { (name: "\($0)", value: $1) })
        return nil
    }

    private func accept(_ row: SalvagedRow, _ table: RescueTable, _ rank: Int) throws {
        if table.isEntity, rank > 0 || table.isIntact {
            let isLive = table.isIntact ? false : isLive(row, table)
            let isDeleted = isLive.map { !$0 } ?? (rank == 3 || table.isKnownAsDeleted(row.key))
            if isDeleted || rank >= 3 {
                if try isPresent(row.key, table) { return }
                guard !isDeleted || operation.rescue.restoresDeletedRows else {
                    table.deletedKeys.insert(row.key)
                    return
                }
                table.deletedKeys.remove(row.key)
                if rank == 5 {
                    operation.notes.add(
                        "Values at the end of a row could not be read.", entity: name(row, table), key: row.key,
                        isLoss: true)
                    return try operation.writer(table).write(row.values, key: row.key, rank: rank)
                }
                operation.notes.add(
                    isDeleted
                        ? "A deleted row was restored." : "A row was found in a place that is no longer in use.",
                    entity: name(row, table), key: row.key, isMended: false)
            }
        } else if table.isIntact || rank >= 3 {
            return
        }
        try operation.writer(table).write(row.values, key: row.key, rank: rank)
    }

    private func name(_ row: SalvagedRow, _ table: RescueTable) -> String? {
        guard case .integer(let number) = row.values[1] else { return nil }
        return table.entities[number]?.name
    }

    /// Returns whether an intact index contains the row; nil if that is unknown.
    private func isLive(_ row: SalvagedRow, _ table: RescueTable) -> Bool? {
        guard let evidence = table.evidence,
            let place = table.columns.firstIndex(where: { $0.name == evidence.columnName })
        else { return nil }
        return evidence.contains(place < row.values.count ? row.values[place] : .null, key: row.key)
    }

    private func isPresent(_ key: Int64, _ table: RescueTable) throws -> Bool {
        let statement = try presence(of: table.name)
        try statement.bind(.integer(key), at: 1)
        defer { statement.reset() }
        return try statement.step()
    }

    /// Returns a statement that finds a row by its key, prepared once.
    private func presence(of table: String) throws -> Statement {
        if let statement = presence[table] { return statement }
        let statement = try operation.out.prepare("SELECT 1 FROM \(table.quotedIdentifier) WHERE Z_PK = ?")
        presence[table] = statement
        return statement
    }
}
