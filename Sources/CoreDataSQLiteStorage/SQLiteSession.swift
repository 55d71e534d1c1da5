import CoreDataRowStorage
import Synchronization

/// A session with one SQLite store.
///
/// Beginning and ending a read transaction costs as much as looking up a row. So from the second fault on, a session
/// continues the transaction that the previous read has left open; see ``KeptTransaction``. It does not hold the connection
/// in between: other sessions may take it and end the transaction.
final class SQLiteSession: StoreSession, @unchecked Sendable {
    let engine: SQLiteEngine
    /// The state that all reads show; nil for the latest commit.
    private let snapshot: Snapshot?
    /// The transaction of all writes; nil if each write has its own transaction.
    private let hold: WriteHold?
    /// The moment of the state that faults read.
    @exclusivity(unchecked) private var moment = SQLiteSession.firstMoment
    private static let lastNumber = Atomic<UInt64>(0)
    /// The first of a range of moments that no other session uses.
    private static var firstMoment: UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue << 32 }
    @exclusivity(unchecked) private var hasRead = false
    /// Whether a connection may have been left in a transaction.
    @exclusivity(unchecked) private var hasKept = false
    @exclusivity(unchecked) private var isOver = false

    private init(_ engine: SQLiteEngine, snapshot: Snapshot? = nil, hold: WriteHold? = nil) {
        self.engine = engine
        self.snapshot = snapshot
        self.hold = hold
    }

    convenience init(_ engine: SQLiteEngine) { self.init(engine, snapshot: nil) }
    convenience init(_ engine: SQLiteEngine, showing snapshot: Snapshot) { self.init(engine, snapshot: snapshot) }
    convenience init(_ engine: SQLiteEngine, holding hold: WriteHold) { self.init(engine, hold: hold) }

    // MARK: Connections

    /// Runs `body` with exclusive access to a connection that shows the latest commit.
    @inline(__always)
    func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        let connection = try take()
        defer { giveBack(connection) }
        return try body(connection)
    }

    /// Takes a connection that shows the latest commit. The caller must give it back.
    @inline(__always)
    func take() throws -> SQLiteConnection {
        if let snapshot { return try snapshot.take() }
        guard !isOver else { throw StoreErrors.sessionEnded }
        moment &+= 1
        return try engine.pool.take()
    }

    @inline(__always)
    func giveBack(_ connection: consuming SQLiteConnection) {
        if let snapshot { snapshot.giveBack() } else { engine.pool.giveBack(connection) }
    }

    /// Runs `body` with a connection for reading known objects: such reads share one transaction.
    @inline(__always)
    func readObjects<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        let connection = try takeForObjects()
        defer { giveBack(connection) }
        return try body(connection)
    }

    @inline(__always)
    private func takeForObjects() throws -> SQLiteConnection {
        if let snapshot { return try snapshot.take() }
        guard !isOver else { throw StoreErrors.sessionEnded }
        guard hasRead, engine.pool.noticesCommits else {
            hasRead = true
            return try engine.pool.take()
        }
        hasKept = true
        return try engine.pool.take(keeping: moment)
    }

    /// Runs a write. Later reads show its result, even if it fails.
    private func writing<Result>(_ body: (SQLiteEngine) throws -> Result) throws -> Result {
        guard snapshot == nil else { throw StoreErrors.snapshotIsWritten }
        guard !isOver else { throw StoreErrors.sessionEnded }
        moment &+= 1
        return try body(engine)
    }

    // MARK: States

    func renew() { moment &+= 1 }

    func rest() {
        hasRead = false
        guard hasKept else { return }
        hasKept = false
        engine.pool.endKeptTransactions()
    }

    func end() throws {
        guard !isOver else { return }
        isOver = true
        rest()
        snapshot?.end()
        if let hold { try engine.endHold(hold) }
    }

    // MARK: Reading

    func fetchRows(_ fetch: StoreFetch, into sink: any RowSink) throws {
        try engine.fetchRows(fetch, into: sink, in: self)
    }

    func fetchReferences(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference> {
        try engine.fetchReferences(fetch, in: self)
    }

    func countRows(_ fetch: StoreFetch) throws -> Int { try engine.countRows(fetch, in: self) }

    func fetchDictionaries(
        _ fetch: StoreFetch, object: @escaping (RowReference) -> Any
    ) throws -> [[String: Any]] {
        let run = DictionaryFetch(fetch, self, object: object)
        return try run.run()
    }

    func readRows(keys: ContiguousArray<Int64>, of layout: EntityLayout, into sink: any RowSink) throws {
        guard !keys.isEmpty else { return }
        try readObjects { try engine.readRows(keys: keys, of: layout, into: sink, on: $0) }
    }

    func readToMany(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64
    ) throws -> ContiguousArray<RowReference> {
        try engine.readToMany(relationship, of: layout, key: key, in: self)
    }

    func readToManyRows(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, keys: ContiguousArray<Int64>,
        into sink: any RowSink, group: (Int64) -> Void
    ) throws {
        try engine.readToManyRows(relationship, of: layout, keys: keys, into: sink, group: group, in: self)
    }

    func history(_ query: HistoryQuery) throws -> HistoryAnswer { try engine.history(query, in: self) }

    func lastHistoryMark() throws -> HistoryMark? { try engine.lastHistoryMark(in: self) }

    func historyReaders() throws -> [HistoryReader] { try engine.historyReaders(in: self) }

    func changeHistoryReaders(_ change: HistoryReaderChange) throws {
        try writing { try $0.changeHistoryReaders(change) }
    }

    // MARK: Writing

    func save(_ changes: StoreChanges) throws -> SavedKeys { try writing { try $0.save(changes) } }

    func run(_ work: BatchWork) throws -> BatchOutcome { try writing { try $0.run(work) } }

    func purgeHistory(before limit: HistoryLimit) throws -> Int {
        try writing { try $0.purgeHistory(before: limit) }
    }
}

extension SQLiteEngine {
    package func session() throws -> any StoreSession { SQLiteSession(self) }

    package func snapshot() throws -> (any StoreSession)? {
        try Snapshot(pool).map { SQLiteSession(self, showing: $0) }
    }

    package func exclusiveSession() throws -> any StoreSession { SQLiteSession(self, holding: try beginHold()) }
}
