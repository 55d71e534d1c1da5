import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite

/// The statements and plans for reading the rows of a to-many relationship, created once.
final class ToManyRead: Sendable {
    let plan: RowPlan
    /// The plan and statement for the rows of one object; nil if the statement for many has to serve. If the rows contain the
    /// object's key, it is not read from each of them.
    let one: (plan: RowPlan, sql: SQLText)?
    let many: SQLText
    /// The position of the owner's key in a row of `many` or `scan`.
    let ownerColumn: Int32
    /// The scan of the whole table; nil for ordered relationships and those with a join table.
    let scan: ToManyScan?
    /// The prefetching of rows; nil if the relationship does not support it.
    let ahead: ReadAhead?
    let usualRows = UsualRows()
    let usualRowsOfMany = UsualRows()

    init(
        plan: RowPlan, one: (plan: RowPlan, sql: SQLText)?, many: SQLText, ownerColumn: Int32, scan: ToManyScan?,
        ahead: ReadAhead?
    ) {
        self.plan = plan
        self.one = one
        self.many = many
        self.ownerColumn = ownerColumn
        self.scan = scan
        self.ahead = ahead
    }
}

/// The statement for reading the references of a to-many relationship, created once.
final class ToManyReferences: Sendable {
    let sql: SQLText
    /// The number of the destination entity.
    let number: Int
    let selectsEntity: Bool

    init(_ query: ToManyQuery) throws {
        sql = SQLText(try query.references().text)
        number = query.destination.number
        selectsEntity = query.selectsEntity
    }
}

/// Reading of to-many relationships.
extension SQLiteEngine {
    /// Returns the query for a to-many relationship; nil for one without storage, which is always empty.
    private func query(_ relationship: EntityLayout.Relationship, of layout: EntityLayout) throws -> ToManyQuery? {
        guard let destination = layouts.byNumber[relationship.destinationNumber] else {
            throw CoreDataError.make(
                NSPersistentStoreOperationError, description: "A relationship cannot be read.",
                reason: "\(layout.name).\(relationship.name) leads to an entity that the store does not have.",
                entity: layout.name, key: relationship.name)
        }
        // Relationships that are transient, or the inverse of one that has another inverse.
        guard let columns = schema.columns(of: relationship, in: layout) else { return nil }
        return try ToManyQuery(columns, to: destination, self)
    }

    func readToMany(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64, in session: SQLiteSession
    ) throws -> ContiguousArray<RowReference> {
        guard let read = try referenceRead(relationship, of: layout) else { return [] }
        return try session.readObjects { connection in
            let statement = try connection.statement(read.sql)
            try statement.bind(key, at: 1)
            return try references(statement, number: read.number, isPolymorphic: read.selectsEntity)
        }
    }

    func referenceRead(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout
    ) throws -> ToManyReferences? {
        // Throws for entities of other models.
        _ = try columns(of: layout)
        let place = layout.number << 16 | relationship.index
        if let known = toManyReferences.withLock({ $0[place] }) { return known }
        guard let query = try query(relationship, of: layout) else { return nil }
        let made = try ToManyReferences(query)
        toManyReferences.withLock { $0[place] = made }
        return made
    }

    /// Returns the primary key in a column of a statement's row.
    ///
    /// - Throws: `NSFileReadCorruptFileError` for a number that is not a valid key.
    @inline(__always)
    func checkedKey(_ statement: SQLiteStatement, _ column: Int32, of number: Int) throws -> Int64 {
        let key = statement.integer(column)
        guard RowReference.isKey(key) else {
            throw UnreadableRow.outOfRange(
                key, table: schema.entities[number]?.table ?? "", column: "Z_PK", key: nil, path: pool.path)
        }
        return key
    }

    /// Returns the references in a statement that selects keys and, if several entities are possible, entity numbers.
    func references(
        _ statement: SQLiteStatement, number: Int, isPolymorphic: Bool
    ) throws -> ContiguousArray<RowReference> {
        let pointer = statement.pointer
        let destination = layouts.byNumber[number]
        var result: ContiguousArray<RowReference> = []
        let operation = Probe.current
        let begin = operation == nil ? 0 : InstrumentClock.now
        statement.reportBeginning()
        defer {
            statement.reset()
            operation?.add(rows: result.count, since: begin)
        }
        while true {
            let code = sqlite3_step(pointer)
            if code == SQLITE_DONE { return result }
            guard code == SQLITE_ROW else { throw statement.failure(code) }
            var entity = number
            if isPolymorphic {
                guard let known = numbering.inModel(Int(sqlite3_column_int64(pointer, 1))),
                    known == number || destination.flatMap({ layouts.byNumber[known]?.isKind(of: $0) }) == true
                else { continue }
                entity = known
            }
            result.append(RowReference(entityNumber: entity, key: try checkedKey(statement, 0, of: entity)))
        }
    }

    /// The maximum size of rows and text to group by owner, in bytes, including those already in memory.
    private static let mostBytesOfMembers = 1 << 28

    func readToManyRows(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, keys: ContiguousArray<Int64>,
        into sink: any RowSink, group: (Int64) -> Void, in session: SQLiteSession
    ) throws {
        guard !keys.isEmpty else { return }
        guard let read = try toManyRead(relationship, of: layout) else { return }
        try session.readObjects { connection in
            if keys.count == 1, let one = read.one {
                if let rows = try read.ahead?.rows(of: keys[0], on: connection) {
                    if rows.count > 0 { group(keys[0]) }
                    rows.touch()
                    rows.deliver(into: sink)
                    return
                }
                let start = read.ahead == nil ? 0 : ReadAhead.now
                let statement = try connection.statement(one.sql)
                try statement.bind(keys[0], at: 1)
                var isFirst = true
                let count = try deliver(
                    statement, one.plan, expected: 0, usual: read.usualRows.count, owner: keys[0], into: sink
                ) { _ in
                    if isFirst { group(keys[0]) }
                    isFirst = false
                    return true
                }
                read.usualRows.note(count)
                noteRead(count, of: keys[0], since: start, read, connection)
                return
            }
            if let scan = read.scan, let owners = KeyPositions(keys),
                let usual = try scan.rowsOfOwner(paysFor: keys, on: connection),
                let rows = try readTable(
                    read, scan, of: owners.range, usual: usual, mostBytes: Self.mostBytesOfMembers, connection,
                    isWanted: { owners.position(of: $0) != nil })
            {
                for key in keys {
                    let rows = rows.rows(of: key)
                    guard rows.count > 0 else { continue }
                    group(key)
                    guard rows.deliver(into: sink) else { break }
                }
                return
            }
            let statement = try connection.statement(read.many)
            try statement.bind(KeyArray(keys: keys), at: 1)
            var owner: Int64 = -1
            let usual = read.usualRowsOfMany.count
            let count = try deliver(statement, read.plan, expected: 0, usual: usual, into: sink) { values in
                let key = values.integer(read.ownerColumn)
                if key != owner {
                    owner = key
                    group(key)
                }
                return true
            }
            read.usualRowsOfMany.note(count)
        }
    }

    private func toManyRead(_ relationship: EntityLayout.Relationship, of layout: EntityLayout) throws -> ToManyRead? {
        let place = layout.number << 16 | relationship.index
        if let known = toManyReads.withLock({ $0[place] }) { return known }
        _ = try columns(of: layout)
        guard let query = try query(relationship, of: layout) else { return nil }
        let plan = rowPlan(for: query.destination, includesSubentities: true)
        let list = SQLFragment(raw: plan.selectList)
        let position = query.ownerColumn.flatMap { plan.position(of: $0) }
        let many = try query.rowsOfMany(selecting: list, selectsOwner: position == nil)
        let scan = scan(query, plan)
        let read = ToManyRead(
            plan: plan, one: try readOfOne(query, plan), many: SQLText(many.text),
            ownerColumn: position ?? plan.columnCount, scan: scan,
            ahead: scan != nil && pool.noticesCommits ? ReadAhead() : nil)
        toManyReads.withLock { $0[place] = read }
        return read
    }

    private func readOfOne(_ query: ToManyQuery, _ plan: RowPlan) throws -> (plan: RowPlan, sql: SQLText)? {
        let plan =
            query.ownerColumn == nil
            ? plan : makeRowPlan(for: query.destination, includesSubentities: true, ownerColumn: query.ownerColumn)
        // Finds the keys by the index first, then the rows: in one step, SQLite reads each key from the index twice.
        let statement = try query.rowsOfOne(selecting: SQLFragment(raw: plan.selectList), findsKeysFirst: true)
        return statement.map { (plan, SQLText($0.text)) }
    }

    private func scan(_ query: ToManyQuery, _ plan: RowPlan) -> ToManyScan? {
        switch query.columns {
        case .foreignKey(let table, let column, _, nil), .owned(let table, let column, nil):
            let list = plan.position(of: column) == nil ? "\(plan.selectList), t0.\(column)" : plan.selectList
            return ToManyScan(list: list, table: table, column: column)
        default: return nil
        }
    }
}
