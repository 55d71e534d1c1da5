import Foundation

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// Writes the rows of one table into the new store.
final class RowWriter {
    private let table: RescueTable
    private unowned let operation: RescueOperation
    private let insertion: Statement
    private let replacement: Statement
    private let version: Statement?
    private let columns: ContiguousArray<RescueTable.Rule>
    private let count: Int32

    init(_ table: RescueTable, _ operation: RescueOperation) throws {
        self.table = table
        self.operation = operation
        count = Int32(table.columns.count)
        columns = ContiguousArray(table.columns.map(\.rule))
        let name = table.name.quotedIdentifier
        var names = table.columns.map(\.name.quotedIdentifier)
        var marks = names.indices.map { "?\($0 + 1)" }
        // Tables of the program's own may have keys that only SQLite knows.
        if case .foreign = table.kind, table.keyColumn == nil, !table.columns.contains(where: { $0.name == "rowid" }),
            (try? operation.out.prepare("SELECT rowid FROM \(name)")) != nil
        {
            names.append("rowid")
            marks.append("?\(names.count)")
        }
        let tail = "INTO \(name) (\(names.joined(separator: ", "))) VALUES (\(marks.joined(separator: ", ")))"
        insertion = try operation.out.prepare("INSERT \(tail)")
        replacement = try operation.out.prepare("INSERT OR REPLACE \(tail)")
        if let version = table.versionColumn, let key = table.keyColumn {
            self.version = try operation.out.prepare(
                "SELECT \(table.columns[version].name.quotedIdentifier) FROM \(name) "
                    + "WHERE \(table.columns[key].name.quotedIdentifier) = ?")
        } else {
            version = nil
        }
    }

    /// True if rows have keys of SQLite's own that are copied.
    var copiesHiddenKeys: Bool { sqlite3_bind_parameter_count(insertion.handle) > count }

    // MARK: Rows of a statement

    /// Copies the current row of a statement that selects the table's columns in order. Takes the slow path for rows that
    /// violate a rule.
    ///
    /// - Returns: False for a row that belongs to another table.
    func copy(_ row: Statement, sourceCount: Int32) throws -> Bool {
        let handle = row.handle
        guard isClean(handle, sourceCount) else {
            if isOfOtherTable(row) { return false }
            var values = (0..<Int(sourceCount)).map { row.value($0) }
            for place in values.indices {
                guard case .text = values[place], !RescueTable.Rule.isText(handle, Int32(place)) else { continue }
                operation.notes.add(
                    RescueTable.Rule.invalidText, entity: entityName(values),
                    property: table.columns[place].property ?? table.columns[place].name,
                    key: table.keyColumn.map { row.integer($0) }, isLoss: false)
                values[place] = row.value(place)
            }
            let hidden = copiesHiddenKeys ? row.integer(Int(sourceCount)) : 0
            try write(values, key: table.keyColumn.map { row.integer($0) } ?? hidden, rank: 0)
            return true
        }
        let total = copiesHiddenKeys ? sourceCount + 1 : sourceCount
        for column in 0..<total {
            let parameter = column < sourceCount ? column + 1 : count + 1
            let result = sqlite3_bind_value(insertion.handle, parameter, sqlite3_column_value(handle, column))
            guard result == SQLITE_OK else { throw DatabaseError(result, operation.out.handle, sql: nil) }
        }
        let result = sqlite3_step(insertion.handle)
        _ = sqlite3_reset(insertion.handle)
        if result & 0xff == SQLITE_CONSTRAINT {
            try refuse((0..<Int(sourceCount)).map { row.value($0) }, key: table.keyColumn.map { row.integer($0) })
        } else if result != SQLITE_DONE {
            throw DatabaseError(result, operation.out.handle, sql: "INSERT INTO \(table.name)")
        }
        return true
    }

    /// Returns true for a row of another entity than the table's, or without the keys of a pair.
    private func isOfOtherTable(_ row: Statement) -> Bool {
        if table.join != nil { return hasMissingKey(row.handle) }
        guard let entity = table.entityColumn, table.isEntity else { return false }
        return table.entities[row.integer(entity)] == nil
    }

    private func hasMissingKey(_ pair: OpaquePointer) -> Bool {
        sqlite3_column_type(pair, 0) == SQLITE_NULL || sqlite3_column_type(pair, 1) == SQLITE_NULL
    }

    /// Returns whether a row obeys all rules that can be checked on the row alone.
    func isClean(_ row: OpaquePointer, _ sourceCount: Int32) -> Bool {
        if table.isEntity {
            guard let key = table.keyColumn, let entity = table.entityColumn, let version = table.versionColumn,
                sqlite3_column_int64(row, Int32(key)) > 0,
                let described = table.entities[sqlite3_column_int64(row, Int32(entity))], !described.isAbstract,
                sqlite3_column_type(row, Int32(entity)) == SQLITE_INTEGER,
                sqlite3_column_type(row, Int32(version)) == SQLITE_INTEGER,
                sqlite3_column_int64(row, Int32(version)) >= 1
            else { return false }
            if let requirements = table.requirements[Int64(described.number)] {
                for requirement in requirements where requirement.column < Int(sourceCount) {
                    if sqlite3_column_type(row, Int32(requirement.column)) == SQLITE_NULL { return false }
                }
            }
        }
        if table.join != nil, hasMissingKey(row) { return false }
        for column in 0..<sourceCount where !columns[Int(column)].accepts(row, column) { return false }
        return true
    }

    // MARK: Rows as values

    private func entityName(_ values: [StoredValue]) -> String? {
        guard let place = table.entityColumn, place < values.count, case .integer(let number) = values[place] else {
            return nil
        }
        return table.entities[number]?.name
    }

    /// Writes a row, mended if it violates rules.
    ///
    /// - Parameter rank: The reliability of the row's page; 0 for one that is in the table's tree.
    func write(_ raw: [StoredValue], key: Int64, rank: Int) throws {
        var values = raw
        guard values.count <= table.columns.count else { return try refuse(raw, key: key, "It has too many columns") }
        while values.count < table.columns.count { values.append(.null) }
        if let place = table.keyColumn { values[place] = .integer(key) }
        if table.isEntity {
            guard key > 0 else { return try refuse(raw, key: key, "Its key is not positive") }
            guard try mendEntity(&values, key) else {
                return try refuse(raw, key: key, "Its entity cannot be determined")
            }
        }
        try mendValues(&values, key)
        try insert(values, key, rank)
    }

    private func mendEntity(_ values: inout [StoredValue], _ key: Int64) throws -> Bool {
        guard let place = table.entityColumn, let versionPlace = table.versionColumn else { return true }
        var entity: StoreEntity?
        if case .integer(let number) = values[place], let found = table.entities[number], !found.isAbstract {
            entity = found
        } else if let found = operation.likelyEntity(values, in: table) {
            entity = found
            values[place] = .integer(Int64(found.number))
            operation.notes.add("The entity was determined by the row's values.", entity: found.name, key: key)
        }
        guard let entity else { return false }
        if case .integer(let version) = values[versionPlace], version >= 1 {
        } else {
            values[versionPlace] = .integer(1)
            operation.notes.add("The row's version was missing, and became 1.", entity: entity.name, key: key)
        }
        return true
    }

    private func mendValues(_ values: inout [StoredValue], _ key: Int64) throws {
        let name = entityName(values)
        var removed: [(String, StoredValue)] = []
        for place in values.indices where place != table.keyColumn {
            let column = table.columns[place]
            let property = column.property ?? column.name
            switch column.rule.fit(values[place]) {
            case .fits: break
            case .converted(let value, let message):
                operation.notes.add(message, entity: name, property: property, key: key)
                values[place] = value
            case .unfit(let reason):
                operation.notes.add(
                    reason + ", and was removed.", entity: name, property: property, key: key, isLoss: true)
                removed.append((property, values[place]))
                values[place] = .null
            }
            if case .external = column.rule, case .blob(let cell) = values[place], let file = ExternalName(cell),
                try !operation.external.take(file.name)
            {
                operation.notes.add(
                    "The file of an external value is missing, and the value was removed.", entity: name,
                    property: property, key: key, isLoss: true)
                removed.append((property, .blob(cell)))
                values[place] = .null
            }
        }
        if !removed.isEmpty {
            try operation.leftovers.add(
                entity: name, table: table.name, key: key, reason: "values that the attributes cannot hold",
                values: removed.map { (name: $0.0, value: $0.1) })
        }
        guard let place = table.entityColumn, case .integer(let number) = values[place] else { return }
        for requirement in table.requirements[number] ?? [] where values[requirement.column] == .null {
            if let value = requirement.value {
                values[requirement.column] = value
                operation.notes.add(
                    "A required value was missing, and became the model's default.", entity: name,
                    property: requirement.path, key: key)
            } else if let value = requirement.neutralValue, operation.rescue.fillsRequiredValues {
                values[requirement.column] = value
                operation.notes.add(
                    "A required value was missing, and became the neutral value of its type.", entity: name,
                    property: requirement.path, key: key, isLoss: true)
            } else {
                operation.notes.add(
                    "A required value is missing, and the model has no default.", entity: name,
                    property: requirement.path, key: key, isMended: false)
            }
        }
    }

    private func insert(_ values: [StoredValue], _ key: Int64, _ rank: Int) throws {
        for (place, value) in values.enumerated() { try insertion.bind(value, at: place + 1) }
        if copiesHiddenKeys { try insertion.bind(.integer(key), at: Int(count) + 1) }
        let result = sqlite3_step(insertion.handle)
        _ = sqlite3_reset(insertion.handle)
        table.facts = nil
        if result == SQLITE_DONE {
            table.setRank(rank, of: key)
            return
        }
        guard result & 0xff == SQLITE_CONSTRAINT else {
            throw DatabaseError(result, operation.out.handle, sql: "INSERT INTO \(table.name)")
        }
        if result == SQLITE_CONSTRAINT_ROWID_CODE || result == SQLITE_CONSTRAINT_KEY_CODE {
            try settle(values, key, rank)
        } else {
            try refuse(values, key: key)
        }
    }

    /// Decides between two versions of a row: that on the more reliable page, else that with the higher version.
    private func settle(_ values: [StoredValue], _ key: Int64, _ rank: Int) throws {
        guard let version, let place = table.versionColumn, rank == table.rank(of: key) else { return }
        try version.bind(.integer(key), at: 1)
        defer { version.reset() }
        guard try version.step(), case .integer(let other) = values[place], other > version.integer(0) else { return }
        version.reset()
        for (place, value) in values.enumerated() { try replacement.bind(value, at: place + 1) }
        _ = try replacement.step()
        replacement.reset()
        operation.notes.add(
            "Two versions of a row were found, and the later one was kept.", entity: entityName(values), key: key,
            isMended: false)
    }

    private var rootName: String? {
        guard case .entity(let described) = table.kind else { return nil }
        return operation.schema.entity(described.root)?.name
    }

    private func refuse(_ values: [StoredValue], key: Int64?, _ reason: String = "Another row has its unique values")
        throws
    {
        if table.join != nil { return }
        // Of a row without a valid entity, the table's root entity is known.
        let name = entityName(values) ?? rootName
        operation.notes.add(
            "\(reason): the row was moved to the leftovers.", entity: name ?? table.name, key: key, isLoss: true,
            isMended: false)
        if let name, let key { operation.notes.lose(key, of: name) }
        try operation.leftovers.add(
            entity: name, table: table.name, key: key, reason: reason,
            values: zip(table.columns, values).map { (name: $0.property ?? $0.name, value: $1) })
    }
}

/// SQLite's extended codes of two rows with one key.
private let SQLITE_CONSTRAINT_ROWID_CODE: Int32 = 19 | (10 << 8)
private let SQLITE_CONSTRAINT_KEY_CODE: Int32 = 19 | (6 << 8)
