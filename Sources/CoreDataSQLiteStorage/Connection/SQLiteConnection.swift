import CoreDataRowStorage
import CCoreDataSQLite
import CoreDataRuntimeSupport
import CoreDataStoreFiles
import Foundation

/// One connection to a database file and the statements prepared on it.
///
/// A connection belongs to one thread at a time: the one that took it from the ``ConnectionPool``. SQLite's own mutexes
/// are off.
package final class SQLiteConnection: @unchecked Sendable {
    package let handle: OpaquePointer
    package let path: String
    private let registration: OpenDatabases.Registration?
    /// What this process has committed to the file.
    let commits: CommitCount
    let serial = SQLiteConnection.nextSerial()
    /// What triggers of derived attributes changed since the last look; see ``DerivedChanges``.
    let derivedChanges = DerivedChanges()
    @exclusivity(unchecked) private var statements = ObjectTable<Int, SQLiteStatement>(minimumCapacity: 24)
    /// Statements asked for lately, which loops ask for again and again, each where its number says.
    private let recent: UnsafeMutablePointer<SQLiteStatement?>
    @exclusivity(unchecked) private var uses: UInt64 = 0
    /// The transaction the last read has left open.
    @exclusivity(unchecked) var kept: KeptTransaction?
    /// Of the connection that writes: whether the file had a whole header at the last check.
    @exclusivity(unchecked) private var hadContent = false
    var hasLog = false
    var looksForLog = 0

    private static let recentCount = 8
    /// The bytes at the start of a database file that say what it is.
    private static let headerSize: Int64 = 100
    /// How many statements a connection keeps prepared before it lets go of those not used for longest.
    private static let statementLimit = 300

    /// Opens the file at `path`.
    ///
    /// - Throws: a Cocoa file error (no such file, no permission, not a database, damaged) with SQLite's code; 259 for what lies
    ///   beside a database that is open, such as its log.
    package init(path: String, access: SQLiteAccess, busyTimeout: Double) throws {
        var pointer: OpaquePointer?
        var result = SQLITE_OK
        do throws(OpenDatabases.IsOpen) {
            registration = try OpenDatabases.opening(path) {
                result = sqlite3_open_v2(
                    access.name(of: path), &pointer, access.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                    nil)
                guard result == SQLITE_OK, let name = sqlite3_db_filename(pointer, "main"), name.pointee != 0 else {
                    return nil
                }
                return String(cString: name)
            }
        } catch {
            throw SQLiteFailure.liesBesideStore(path)
        }
        guard result == SQLITE_OK, let pointer else {
            let error = SQLiteFailure.error(
                result, handle: pointer, path: path, sql: nil, writing: access.isWriting, opening: access)
            _ = sqlite3_close_v2(pointer)
            throw error
        }
        handle = pointer
        commits = registration?.commits ?? CommitCount()
        self.path = path
        recent = .allocate(capacity: Self.recentCount)
        recent.initialize(repeating: nil, count: Self.recentCount)
        do {
            try setBusyTimeout(busyTimeout)
            // Core Data's files have no views, and one in place of a table may have rows without end.
            try require(csqlite_enable_views(pointer, 0))
            try require(SQLFunctions.register(on: pointer, derivedChanges: derivedChanges))
            try require(Collations.register(on: pointer))
            try require(KeyArrayModule.register(on: pointer))
        }
    }

    /// Takes up views, which the file's triggers may read, or leaves them aside again.
    func enableViews(_ enables: Bool = true) throws { try require(csqlite_enable_views(handle, enables ? 1 : 0)) }

    deinit {
        close()
        recent.deinitialize(count: Self.recentCount)
        recent.deallocate()
    }

    private func close() {
        forgetRecent()
        statements.removeAll()
        let isInUse = sqlite3_next_stmt(handle, nil) != nil
        // Waits for nothing and has no way to fail: statements still in use keep the connection until they end. That moment is
        // not reported, so its file counts as open from then on.
        _ = sqlite3_close_v2(handle)
        if let registration, !isInUse { OpenDatabases.closed(registration) }
    }

    // MARK: Statements

    /// The statement for `sql`, prepared at its first use on this connection and kept.
    func statement(_ sql: SQLText) throws -> SQLiteStatement {
        uses &+= 1
        let place = sql.id & (Self.recentCount - 1)
        if let statement = recent[place], statement.id == sql.id {
            statement.lastUse = uses
            return statement
        }
        let statement = try statements[sql.id] ?? prepare(sql)
        statement.lastUse = uses
        recent[place] = statement
        return statement
    }

    private func prepare(_ sql: SQLText) throws -> SQLiteStatement {
        if statements.count >= Self.statementLimit { dropUnusedStatements() }
        let statement = try SQLiteStatement(sql.text, on: self, persistent: true, id: sql.id)
        statements[sql.id] = statement
        return statement
    }

    /// Prepares `sql` for one use.
    package func prepare(_ sql: String) throws -> SQLiteStatement {
        try SQLiteStatement(sql, on: self, persistent: false)
    }

    private func forgetRecent() {
        for place in 0..<Self.recentCount { recent[place] = nil }
    }

    private func dropUnusedStatements() {
        forgetRecent()
        let limit = statements.values.map(\.lastUse).sorted()[statements.count / 2]
        statements.keepAll { $0.lastUse > limit || $0.isBusy }
    }

    /// Runs one statement that returns nothing of interest.
    package func execute(_ sql: String) throws {
        let statement = try SQLiteStatement(sql, on: self, persistent: false, isWriting: true)
        while try statement.step() {}
    }

    /// Lets SQLite wait for so many seconds for a file that another connection has locked.
    func setBusyTimeout(_ seconds: Double) throws {
        try require(sqlite3_busy_timeout(handle, Int32(max(0, min(seconds, 1_000_000)) * 1000)))
    }

    private func require(_ result: Int32, sql: String? = nil) throws {
        guard result == SQLITE_OK else { throw error(result, sql: sql) }
    }

    package func error(_ result: Int32, sql: String?, writing: Bool = false) -> NSError {
        SQLiteFailure.error(result, handle: handle, path: path, sql: sql, writing: writing)
    }

    // MARK: State

    /// The most bytes that a value or a row may have.
    var lengthLimit: Int { Int(sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, -1)) }

    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// How many rows the statement that ran last inserted, updated or deleted itself.
    var changedRows: Int { Int(sqlite3_changes64(handle)) }

    /// A number that moves whenever somebody, this connection included, has committed a change. Right only inside a
    /// transaction or directly after one.
    func dataVersion() throws -> UInt32 {
        var version: UInt32 = 0
        let result = sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        guard result == SQLITE_OK else { throw error(result, sql: nil) }
        return version
    }

    /// Copies the write-ahead log into the database. False where a reader of an older snapshot, or a writer, is in the way
    /// for longer than the busy timeout; true too for a database without a log, which nobody reads while another commits.
    func checkpointFully() throws -> Bool {
        let result = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_FULL, nil, nil)
        if result == SQLITE_OK { return true }
        guard result & 0xFF == SQLITE_BUSY || result & 0xFF == SQLITE_LOCKED else {
            throw error(result, sql: "PRAGMA wal_checkpoint(FULL)", writing: true)
        }
        return false
    }

    /// - Throws: when the file was deleted, moved, replaced or emptied since it was opened: what is written now would be lost.
    func requireFileInPlace() throws {
        var hasMoved: Int32 = 0
        let result = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        // A file layer that cannot tell leaves the answer at “no”.
        guard result == SQLITE_OK || result == SQLITE_NOTFOUND else { throw error(result, sql: nil, writing: true) }
        guard hasMoved == 0 else { throw SQLiteFailure.fileIsGone(path) }
        guard let size = fileSize() else { return }
        // Commits would go to the log. The next process to open the file deletes a log beside an empty file, and refuses a
        // file without a whole header.
        guard size >= Self.headerSize || !hadContent else { throw SQLiteFailure.fileIsCutOff(path, size: size) }
        hadContent = size >= Self.headerSize
    }

    /// How long the database file is, in bytes; nil where that cannot be told.
    private func fileSize() -> Int64? {
        guard let file = openFile() else { return nil }
        var size: Int64 = 0
        return file.methods.xFileSize(file.file, &size) == SQLITE_OK ? size : nil
    }

    /// The database file and its methods, as SQLite has it open: closing a file opened otherwise would drop the process's locks
    /// on it.
    private func openFile() -> (file: UnsafeMutablePointer<sqlite3_file>, methods: sqlite3_io_methods)? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let methods = file.pointee.pMethods
        else { return nil }
        return (file, methods.pointee)
    }

    /// The first 100 bytes of the database file; nil if there are fewer.
    func fileHeader() -> [UInt8]? {
        guard let file = openFile() else { return nil }
        var bytes = [UInt8](repeating: 0, count: 100)
        return file.methods.xRead(file.file, &bytes, 100, 0) == SQLITE_OK ? bytes : nil
    }

    /// Keeps the write-ahead log's file beside the closed database, as Apple's stores do.
    func keepLogFile() throws {
        var on: Int32 = 1
        let result = sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &on)
        guard result == SQLITE_OK || result == SQLITE_NOTFOUND else { throw error(result, sql: nil, writing: true) }
    }

    /// A number in the file that each change of its tables, indexes and triggers moves, and each migration.
    package func schemaVersion() throws -> Int64 { try integer("PRAGMA schema_version") }

    /// The first column of the first row, as text.
    package func text(_ sql: String) throws -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.text(0) : nil
    }

    /// Runs `body`, which only reads, in one transaction.
    func inOneTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        guard !isInTransaction else { return try body() }
        try execute("BEGIN")
        let result = Swift.Result { try body() }
        try execute("COMMIT")
        return try result.get()
    }

    /// The first column of the first row, as an integer; 0 without one.
    package func integer(_ sql: String) throws -> Int64 {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }
}

/// What a connection may do to its file.
package enum SQLiteAccess: Sendable {
    case readOnly, readWrite, create
    /// For files on read-only file systems: SQLite takes no locks and needs no files beside the database.
    case immutable

    /// Read-only access to a file, in the way its place allows.
    ///
    /// That this process may not write to a folder does not keep others from it: without locks it would read pages of different
    /// moments as one. So only a file system that is read-only itself is taken for a place where no process writes.
    static func reading(_ path: String) -> SQLiteAccess {
        reading(path, isOnReadOnlyFileSystem: StoreFiles.isOnReadOnlyFileSystem(path))
    }

    package static func reading(_ path: String, isOnReadOnlyFileSystem: Bool) -> SQLiteAccess {
        // A log's content would be left out; an index is there while a writer has the file open by another mount.
        guard isOnReadOnlyFileSystem, StoreFiles.size(path + "-wal") == 0,
            !StoreFiles.exists(URL(fileURLWithPath: path + "-shm"))
        else { return .readOnly }
        // A database in write-ahead mode needs a file for its index, which cannot be made there.
        return .immutable
    }

    fileprivate var isWriting: Bool { self == .readWrite || self == .create }

    fileprivate var flags: Int32 {
        switch self {
        case .readOnly: SQLITE_OPEN_READONLY
        case .readWrite: SQLITE_OPEN_READWRITE
        case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        }
    }

    /// What SQLite is given to open.
    fileprivate func name(of path: String) -> String {
        self == .immutable ? URL(fileURLWithPath: path).absoluteString + "?immutable=1" : path
    }
}
