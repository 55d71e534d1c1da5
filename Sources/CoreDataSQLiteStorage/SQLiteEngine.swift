import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite
import CoreDataRuntimeSupport
import Foundation
import Synchronization

/// One open SQLite store: its connections, its schema, and its cached statements.
///
/// All functions may be called from any thread. Each read has exclusive access to a connection; writes are serialized.
package final class SQLiteEngine: StoreEngine, @unchecked Sendable {
    package var abilities: StoreAbilities { SQLiteDriver.abilities }
    package let pool: ConnectionPool
    package let layouts: ModelLayouts
    /// Retained, because layouts refer to it.
    private let model: (any StoredModel)?
    let schema: SQLSchema
    package let files: ExternalFiles
    package let fileCollector: ExternalFileCollector
    var allocator: KeyAllocator { writing.allocator }
    var writePlans: WritePlans { writing.plans }
    /// Whether rows of any table have order keys of ordered relationships.
    let keepsOrders: Bool
    /// Whether another store has replaced this one. Guarded by the writer lock.
    @exclusivity(unchecked) private var isRetired = false
    var numbering: EntityNumbering { schema.numbering }

    private let madeWriting = MadeOnce<Writing>()
    private var writing: Writing { madeWriting.value { Writing(layouts, schema) } }
    /// The lock of the four tables below.
    private let memory = Lock()
    @exclusivity(unchecked) private var keyReads: [Int: KeyRead] = [:]
    /// The plans by twice the entity number, plus one if subentities are included.
    @exclusivity(unchecked) private var rowPlans = ObjectTable<Int, RowPlan>(minimumCapacity: 6)
    @exclusivity(unchecked) private var texts: [String: SQLText] = [:]
    /// The first columns of the file's indexes, by table.
    @exclusivity(unchecked) private var indexedColumns: [String: [String]] = [:]
    /// The reads of to-many relationships, by entity and relationship.
    let toManyReads = Locked<[Int: ToManyRead]>([:])
    let toManyReferences = Locked<[Int: ToManyReferences]>([:])
    let compiledFetches = Locked(CompiledFetches())
    /// Whether changes are recorded in persistent history, and whether history has a table of strings.
    let recordsHistory: Bool
    let ownTransactions = OwnTransactions()
    let historyHasStrings: Bool
    /// Guarded by the writer lock.
    @exclusivity(unchecked) private var modelCheck: ModelCheck
    /// The transaction that is held open for further writes. Guarded by the writer lock.
    @exclusivity(unchecked) var hold: WriteHold?
    /// The store's UUID, which distinguishes its objects from those of other stores.
    let identifier: String
    /// The file, if it is temporary.
    private let temporaryFile: URL?

    /// The plan and statements for reading rows by key, for all entities of a hierarchy.
    private final class KeyRead: Sendable {
        let plan: RowPlan
        let one: SQLText
        let many: SQLText
        let range: SQLText

        init(_ plan: RowPlan, of root: EntityLayout, _ engine: SQLiteEngine) throws {
            let query = try KeyQuery(selecting: SQLFragment(raw: plan.selectList), of: root, engine)
            self.plan = plan
            one = SQLText(query.one.text)
            many = SQLText(query.many.text)
            range = SQLText(query.range.text)
        }
    }

    /// The state that only writes need, created at the first write.
    private final class Writing: Sendable {
        let allocator: KeyAllocator
        let plans: WritePlans
        /// Uniqueness constraints by entity number, inherited ones included.
        let constraints: ContiguousArray<[SQLSchema.Constraint]>

        init(_ layouts: ModelLayouts, _ schema: SQLSchema) {
            allocator = KeyAllocator(schema: schema, layouts: layouts)
            plans = WritePlans(schema: schema)
            // A superentity comes before its subentities.
            var constraints: ContiguousArray<[SQLSchema.Constraint]> = []
            constraints.reserveCapacity(layouts.byNumber.count)
            for layout in layouts.byNumber {
                let inherited = layout?.superlayout.map { constraints[$0.number] } ?? []
                let own = layout.map(schema.constraints(of:)) ?? []
                constraints.append(own.isEmpty ? inherited : own + inherited)
            }
            self.constraints = constraints
        }
    }

    init(
        pool: ConnectionPool, layouts: ModelLayouts, model: (any StoredModel)?, schema: SQLSchema, url: URL,
        isTemporary: Bool,
        identifier: String, recordsHistory: Bool, historyHasStrings: Bool, check: ModelCheck
    ) {
        modelCheck = check
        self.pool = pool
        self.recordsHistory = recordsHistory
        self.historyHasStrings = historyHasStrings
        temporaryFile = isTemporary ? url : nil
        self.identifier = identifier
        self.model = model
        self.layouts = layouts
        self.schema = schema
        files = ExternalFiles(store: url)
        fileCollector = ExternalFileCollector(files, pool)
        keepsOrders = schema.entities.values.contains { $0.own.contains { $0.order != nil } }
    }

    /// Returns true if a row belongs to this store.
    func holds(_ row: RowIdentity) -> Bool { row.storeUUID == identifier }

    func constraints(of layout: EntityLayout) -> [SQLSchema.Constraint] { writing.constraints[layout.number] }

    package func columns(of layout: EntityLayout) throws -> EntityColumns {
        if layout.number < layouts.byNumber.count, layouts.byNumber[layout.number] === layout,
            let columns = schema.entities[layout.number]
        {
            return columns
        }
        throw CoreDataError.make(
            NSPersistentStoreOperationError, description: "The entity is not part of the store's model.",
            reason: "\(layout.name) belongs to another model than the one the store was opened with.",
            entity: layout.name)
    }

    /// Returns the cached statement text, for texts of which the model bounds the number.
    func text(_ sql: String) -> SQLText {
        memory.withLock {
            if let known = texts[sql] { return known }
            let text = SQLText(sql)
            texts[sql] = text
            return text
        }
    }

    /// Returns true if the file has an index over all rows of a table that begins with a column. Read once per table.
    func hasIndex(ledBy column: String, of table: String) -> Bool {
        if let known = memory.withLock({ indexedColumns[table] }) { return known.contains(column) }
        guard let columns = try? readIndexedColumns(of: table) else { return false }
        memory.withLock { indexedColumns[table] = columns }
        return columns.contains(column)
    }

    private func readIndexedColumns(of table: String) throws -> [String] {
        try pool.read { connection in
            let statement = try connection.prepare(
                "SELECT upper(c.name) FROM pragma_index_list(?) i, pragma_index_xinfo(i.name) c "
                    + "WHERE NOT i.partial AND c.seqno = 0 AND c.coll = 'BINARY'")
            try statement.bind(table, at: 1)
            var columns: [String] = []
            while try statement.step() { if let column = statement.text(0) { columns.append(column) } }
            return columns
        }
    }

    /// Returns the plan for reading rows of an entity, and of its subentities if requested.
    func rowPlan(for layout: EntityLayout, includesSubentities: Bool) -> RowPlan {
        let key = layout.number * 2 + (includesSubentities ? 1 : 0)
        if let plan = memory.withLock({ rowPlans[key] }) { return plan }
        let plan = makeRowPlan(for: layout, includesSubentities: includesSubentities)
        memory.withLock { rowPlans[key] = plan }
        return plan
    }

    func makeRowPlan(for layout: EntityLayout, includesSubentities: Bool, ownerColumn: String? = nil) -> RowPlan {
        let family = includesSubentities ? layout.familyNumbers.compactMap { layouts.byNumber[$0] } : [layout]
        return RowPlan(
            family: family, selectsEntity: family.count > 1, schema: schema, numbering: numbering, files: files,
            ownerColumn: ownerColumn)
    }

    // MARK: Rows by key

    package func readRows(
        keys: ContiguousArray<Int64>, of layout: EntityLayout, into sink: any RowSink, on connection: SQLiteConnection
    ) throws {
        let read = try keyRead(layout)
        if keys.count == 1 {
            let statement = try connection.statement(read.one)
            try statement.bind(keys[0], at: 1)
            try deliver(statement, read.plan, expected: 1, into: sink)
        } else if let range = Self.closeRange(of: keys) {
            let statement = try connection.statement(read.range)
            try statement.bind(range.lowerBound, at: 1)
            try statement.bind(range.upperBound, at: 2)
            if range.count == keys.count {
                try deliver(statement, read.plan, expected: keys.count, into: sink)
            } else {
                var place = 0
                try deliver(statement, read.plan, expected: range.count, wanted: keys.count, into: sink) { values in
                    let key = values.integer(RowPlan.keyColumn)
                    while place < keys.count, keys[place] < key { place += 1 }
                    return place < keys.count && keys[place] == key
                }
            }
        } else {
            let statement = try connection.statement(read.many)
            try statement.bind(KeyArray(keys: keys), at: 1)
            try deliver(statement, read.plan, expected: keys.count, into: sink)
        }
    }

    /// Returns the range from the first to the last key if the keys ascend and are dense enough that scanning the range is
    /// faster than looking up each.
    private static func closeRange(of keys: ContiguousArray<Int64>) -> ClosedRange<Int64>? {
        guard let first = keys.first, let last = keys.last, first < last else { return nil }
        let (distance, isTooLarge) = last.subtractingReportingOverflow(first)
        guard !isTooLarge, distance < Int64(keys.count) * 3 else { return nil }
        for place in 1..<keys.count where keys[place] <= keys[place - 1] { return nil }
        return first...last
    }

    private func keyRead(_ layout: EntityLayout) throws -> KeyRead {
        let root = layout.root
        if let known = memory.withLock({ keyReads[root.number] }) { return known }
        let read = try KeyRead(rowPlan(for: root, includesSubentities: true), of: root, self)
        memory.withLock { keyReads[root.number] = read }
        return read
    }

    /// Delivers the rows of a running statement to the sink until it stops, and returns their number.
    ///
    /// - Parameters:
    ///   - expected: the maximum number of rows; 0 if unknown.
    ///   - wanted: the maximum number of rows that the sink takes; 0 if that is the same.
    ///   - usual: the number of rows of earlier runs, to size memory.
    ///   - owner: the key of the object that all rows belong to, for plans that do not read it from the rows.
    ///   - isWanted: called for each row before the sink is.
    @discardableResult
    func deliver(
        _ statement: SQLiteStatement, _ plan: RowPlan, expected: Int, wanted: Int = 0, usual: Int = 0,
        owner: Int64 = 0, into sink: any RowSink, isWanted: (borrowing RowValues) -> Bool = { _ in true }
    ) throws -> Int {
        let pointer = statement.pointer
        let only = plan.only.map(Unmanaged.passUnretained)
        var filler: SlabFiller?
        var values = RowValues(of: pointer, owner: owner)
        defer { statement.reset() }
        // Stops after the last possible row, without another step.
        let most = expected > 0 ? expected : Int.max
        var count = 0
        let operation = Probe.current
        let begin = operation == nil ? 0 : InstrumentClock.now
        statement.reportBeginning()
        defer { operation?.add(rows: count, since: begin) }
        reading: while count < most {
            let result = sqlite3_step(pointer)
            if result == SQLITE_DONE { break }
            guard result == SQLITE_ROW else { throw statement.failure(result) }
            count += 1
            values.advance()
            guard let decoder = only ?? plan.decoder(for: values), isWanted(values) else { continue }
            let key = values.integer(RowPlan.keyColumn)
            guard RowReference.isKey(key) else {
                throw unreadable(.outOfRange(column: RowPlan.keyColumn, value: key), plan, decoder, key: key)
            }
            let number = decoder._withUnsafeGuaranteedRef(\.number)
            switch sink.next(entityNumber: number, key: key) {
            case .take: break
            case .skip: continue
            case .stop: break reading
            }
            if filler == nil { filler = SlabFiller(plan, expected: wanted > 0 ? wanted : expected, usual: usual) }
            do {
                let row = try filler!.fill(decoder, from: values)
                Unmanaged.passUnretained(filler!.slab)._withUnsafeGuaranteedRef { sink.receive(row: row, in: $0) }
            } catch let failure as UnreadableRow {
                throw unreadable(failure, plan, decoder, key: key)
            }
        }
        filler?.finish()
        return count
    }

    // MARK: Writing

    /// Returns the recorder for the transaction in progress; nil if the store keeps no history.
    func historyRecorder(_ connection: SQLiteConnection, author: String?, contextName: String?) -> HistoryRecorder? {
        guard recordsHistory else { return nil }
        return HistoryRecorder(
            self, connection, hasStrings: historyHasStrings, author: author, contextName: contextName)
    }

    package func reserveKeys(count: Int, of layout: EntityLayout) throws -> KeyRuns {
        let first = try write(endsHold: false) { try self.allocator.allocate(count, root: layout.root.number, $0) }
        return KeyRuns(first: first, count: count)
    }

    package func retiring<Result>(_ copy: () throws -> Result) throws -> Result {
        try pool.excludingWriters {
            let result = try copy()
            isRetired = true
            return result
        }
    }

    /// Begins a write transaction. The caller must hold the writer lock.
    func begin(_ connection: SQLiteConnection) throws {
        guard !isRetired else { throw StoreErrors.retired }
        try connection.statement(.begin).run()
        do {
            if try allocator.begin(connection) { modelCheck.isDue = true }
            if modelCheck.isDue { try modelCheck.run(connection) }
            try connection.requireFileInPlace()
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            allocator.didRollBack()
            throw error
        }
    }

    /// Runs `body` in a write transaction.
    ///
    /// - Parameter endsHold: whether to commit a transaction that is held open, see ``WriteHold``, with it.
    func write<Result>(endsHold: Bool = true, _ body: (SQLiteConnection) throws -> Result) throws -> Result {
        let operation = Probe.current
        let call = operation == nil ? 0 : InstrumentClock.now
        return try pool.write { connection in
            if let hold { return try write(in: hold, endsHold: endsHold, connection, body) }
            try begin(connection)
            let start = operation?.noteWaiting(since: call) ?? 0
            do {
                let result = try body(connection)
                let end = operation?.noteStatements(since: start) ?? 0
                try connection.statement(.commit).run()
                operation?.noteCommit(since: end)
                connection.commits.add()
                allocator.didCommit(connection)
                return result
            } catch {
                if connection.isInTransaction { try? connection.execute("ROLLBACK") }
                allocator.didRollBack()
                throw error
            }
        }
    }

    /// Closes the connections when the store is removed.
    package func close() {
        pool.writeIfOpen { connection in
            guard allocator.holdsUnusedKeys else { return }
            // Never waits: keys that are not returned are just never used.
            try? connection.setBusyTimeout(0)
            try? write { try self.allocator.returnUnusedKeys($0) }
        }
        toManyReads.withLock { for read in $0.values { read.ahead?.end() } }
        pool.close()
        fileCollector.close()
        if let temporaryFile { SQLiteFiles.remove(temporaryFile) }
    }

    func save(_ changes: StoreChanges) throws -> SavedKeys {
        var mode = SaveOperation.Mode()
        while true {
            do {
                return try save(changes, mode)
            } catch is SaveOperation.RowsToTellApart {
                mode.tellsRowsApart = true
            } catch let conflicts as StoreConflicts
                where !mode.clearsConstraints && !conflicts.duplicates.isEmpty
                && SaveOperation.mayMoveUniqueValues(changes, self)
            {
                mode.clearsConstraints = true
            }
        }
    }

    private func save(_ changes: StoreChanges, _ mode: SaveOperation.Mode) throws -> SavedKeys {
        var operation: SaveOperation?
        do {
            let keys = try write { connection in
                let save = SaveOperation(changes, self, connection, mode)
                operation = save
                return try save.run()
            }
            operation?.finish(committed: true)
            return keys
        } catch {
            operation?.finish(committed: false)
            throw error
        }
    }
}
