import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite

/// How the rows a to-many relationship leads to are read, worked out once.
final class ToManyRead: Sendable {
    let plan: RowPlan
    /// The rows of one object; nil where the query for many has to serve. All these rows have the object's key where they
    /// lead back to it, so that is not read from each.
    let one: (plan: RowPlan, sql: SQLText)?
    let many: SQLText
    /// Where a row of `many` or `scan` has the key of the object it belongs to.
    let ownerColumn: Int32
    /// nil for ordered relationships and those with a table of their own.
    let scan: ToManyScan?
    /// Where rows may be read before they are asked for.
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

/// Reading what to-many relationships lead to.
extension SQLiteEngine {
    /// The tables and columns a to-many relationship is read from.
    private struct Source {
        var columns: ToManyColumns
        var destination: EntityLayout
        var table: String
        var isPolymorphic: Bool
    }

    /// Where a to-many relationship is read from; nil for one without storage, which leads to nothing.
    private func source(_ relationship: EntityLayout.Relationship, of layout: EntityLayout) throws -> Source? {
        // Throws for entities of other models.
        _ = try columns(of: layout)
        guard let destination = layouts.byNumber[relationship.destinationNumber] else {
            throw CoreDataError.make(
                NSPersistentStoreOperationError, description: "A relationship cannot be read.",
                reason: "\(layout.name).\(relationship.name) leads to an entity that the store does not have.",
                entity: layout.name, key: relationship.name)
        }
        // Transient ones, and those whose inverse is the inverse of another.
        guard let toMany = schema.columns(of: relationship, in: layout) else { return nil }
        let mapping = try columns(of: destination)
        return Source(
            columns: toMany, destination: destination, table: mapping.table, isPolymorphic: mapping.hasSubentities)
    }

    func readToMany(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64, in session: SQLiteSession
    ) throws -> ContiguousArray<RowReference> {
        guard let source = try source(relationship, of: layout) else { return [] }
        let number = relationship.destinationNumber
        return try session.readObjects { connection in
            let statement = try connection.statement(text(referenceQuery(source)))
            try statement.bind(key, at: 1)
            return try references(statement, number: number, isPolymorphic: source.isPolymorphic)
        }
    }

    /// The primary key in a column of a statement's row.
    ///
    /// - Throws: `NSFileReadCorruptFileError` for a number that is none.
    @inline(__always)
    func checkedKey(_ statement: SQLiteStatement, _ column: Int32, of number: Int) throws -> Int64 {
        let key = statement.integer(column)
        guard RowReference.isKey(key) else {
            throw UnreadableRow.outOfRange(
                key, table: schema.entities[number]?.table ?? "", column: "Z_PK", key: nil, path: pool.path)
        }
        return key
    }

    /// The rows of a statement that selects keys and, where several entities are possible, entity numbers.
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

    private func referenceQuery(_ source: Source) -> String {
        let entity = source.isPolymorphic ? ", t0.Z_ENT" : ""
        switch source.columns {
        case .foreignKey(let table, let column, _, let order), .owned(let table, let column, let order):
            let sort = order.map { " ORDER BY t0.\($0), t0.Z_PK" } ?? ""
            return "SELECT t0.Z_PK\(entity) FROM \(table) t0 WHERE t0.\(column) = ?1\(sort)"
        case .join(let table, let own, let target, let order, _, let isReflexive):
            if isReflexive {
                return
                    "SELECT t0.Z_PK\(entity) FROM \(source.table) t0 WHERE t0.Z_PK IN (SELECT \(target) FROM \(table) "
                    + "WHERE \(own) = ?1 UNION SELECT \(own) FROM \(table) WHERE \(target) = ?1)"
            }
            let sort = order.map { " ORDER BY j.\($0), j.\(target)" } ?? ""
            guard source.isPolymorphic else {
                return "SELECT j.\(target) FROM \(table) j WHERE j.\(own) = ?1\(sort)"
            }
            return "SELECT j.\(target)\(entity) FROM \(table) j CROSS JOIN \(source.table) t0 ON t0.Z_PK = j.\(target) "
                + "WHERE j.\(own) = ?1\(sort)"
        }
    }

    /// So many bytes of rows and text at most are put together by what they belong to. Those that are in memory already are
    /// among them.
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
        guard let source = try source(relationship, of: layout) else { return nil }
        let plan = rowPlan(for: source.destination, includesSubentities: true)
        let (many, ownerColumn) = rowQuery(source, plan)
        let scan = scan(source, plan)
        let read = ToManyRead(
            plan: plan, one: singleRowQuery(source, plan), many: SQLText(many), ownerColumn: ownerColumn, scan: scan,
            ahead: scan != nil && pool.noticesCommits ? ReadAhead() : nil)
        toManyReads.withLock { $0[place] = read }
        return read
    }

    /// The rows of one object's relationship.
    private func singleRowQuery(_ source: Source, _ plan: RowPlan) -> (plan: RowPlan, sql: SQLText)? {
        switch source.columns {
        case .foreignKey(let table, let column, _, let order), .owned(let table, let column, let order):
            let plan = makeRowPlan(for: source.destination, includesSubentities: true, ownerColumn: column)
            guard let order else {
                // First the keys, from the index, then the rows: in one step, SQLite takes each key from the index twice.
                return (
                    plan,
                    SQLText(
                        "SELECT \(plan.selectList) FROM \(table) k CROSS JOIN \(table) t0 ON t0.Z_PK = k.Z_PK "
                            + "WHERE k.\(column) = ?1")
                )
            }
            return (
                plan,
                SQLText(
                    "SELECT \(plan.selectList) FROM \(table) t0 WHERE t0.\(column) = ?1 ORDER BY t0.\(order), t0.Z_PK")
            )
        case .join(let table, let own, let target, let order, _, let isReflexive):
            if isReflexive { return nil }
            let sort = order.map { " ORDER BY j.\($0), j.\(target)" } ?? ""
            return (
                plan,
                SQLText(
                    "SELECT \(plan.selectList) FROM \(table) j CROSS JOIN \(source.table) t0 ON t0.Z_PK = j.\(target) "
                        + "WHERE j.\(own) = ?1\(sort)")
            )
        }
    }

    /// The rows of many objects' relationships, one object's after the other's: the keys drive the query. With it the
    /// column of the result that has those keys.
    private func rowQuery(_ source: Source, _ plan: RowPlan) -> (String, ownerColumn: Int32) {
        // The key is taken from where it was found: asking the table of keys for it costs a call a row.
        var list = plan.selectList
        var ownerColumn = plan.columnCount
        switch source.columns {
        case .foreignKey(_, let column, _, _), .owned(_, let column, _):
            if let position = plan.position(of: column) {
                ownerColumn = position
            } else {
                list += ", t0.\(column)"
            }
        case .join(_, let own, _, _, _, let isReflexive): list += isReflexive ? ", k.value" : ", j.\(own)"
        }
        return ("SELECT \(list) FROM CDArray(?1) k \(rowSource(source))", ownerColumn)
    }

    private func scan(_ source: Source, _ plan: RowPlan) -> ToManyScan? {
        switch source.columns {
        case .foreignKey(let table, let column, _, nil), .owned(let table, let column, nil):
            let list = plan.position(of: column) == nil ? "\(plan.selectList), t0.\(column)" : plan.selectList
            return ToManyScan(list: list, table: table, column: column)
        default: return nil
        }
    }

    private func rowSource(_ source: Source) -> String {
        switch source.columns {
        case .foreignKey(let table, let column, _, let order), .owned(let table, let column, let order):
            let sort = order.map { " ORDER BY k.value, t0.\($0), t0.Z_PK" } ?? ""
            return "CROSS JOIN \(table) t0 ON t0.\(column) = k.value\(sort)"
        case .join(let table, let own, let target, let order, _, let isReflexive):
            if isReflexive {
                return "CROSS JOIN (SELECT \(own) AS a, \(target) AS b FROM \(table) UNION SELECT \(target), "
                    + "\(own) FROM \(table)) j ON j.a = k.value CROSS JOIN \(source.table) t0 ON t0.Z_PK = j.b "
                    + "ORDER BY k.value"
            }
            let sort = order.map { " ORDER BY k.value, j.\($0), j.\(target)" } ?? ""
            return "CROSS JOIN \(table) j ON j.\(own) = k.value CROSS JOIN \(source.table) t0 "
                + "ON t0.Z_PK = j.\(target)\(sort)"
        }
    }
}
