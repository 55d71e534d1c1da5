import CoreDataRowStorage
import CCoreDataSQLite
import CoreDataRuntimeSupport
import CoreDataStoreFiles
import Foundation

/// One connection to a database file and the statements prepared on it.
///
/// Used by one thread at a time: the one that took the connection from the ``ConnectionPool``. SQLite's own mutexes are
/// disabled.
package final class SQLiteConnection: @unchecked Sendable {
    package let handle: OpaquePointer
    package let path: String
    private let registration: OpenDatabases.Registration?
    /// The counter of this process's commits to the file.
    let commits: CommitCount
    let serial = SQLiteConnection.nextSerial()
    /// The rows that triggers of derived attributes changed since they were last cleared; see ``DerivedChanges``.
    let derivedChanges = DerivedChanges()
    @exclusivity(unchecked) private var statements = ObjectTable<Int, SQLiteStatement>(minimumCapacity: 24)
    /// A direct-mapped cache of recently used statements, indexed by statement number.
    private let recent: UnsafeMutablePointer<SQLiteStatement?>
    @exclusivity(unchecked) private var uses: UInt64 = 0
    /// The transaction that the last read has left open.
    @exclusivity(unchecked) var kept: KeptTransaction?
    /// Whether the file had a complete header at the last check. Used by the writer only.
    @exclusivity(unchecked) private var hadContent = false
    var hasLog = false
    var looksForLog = 0

    private static let recentCount = 8
    /// The size of a database file's header, in bytes.
    private static let headerSize: Int64 = 100
    /// The maximum number of statements kept prepared; the least recently used are finalized first.
    private static let statementLimit = 300

    /// Opens the file at `path`.
    ///
    /// - Throws: a Cocoa file error (no such file, no permission, not a database, damaged) with SQLite's code; 259 for a file
    ///   that belongs to an open database, such as its log.
    package init(path: String, access: SQLiteAccess, busyTimeout: Double) throws {
        var pointer: OpaquePointer?
        var result = SQLITE_OK
        do throws(OpenDatabases.IsOpen) {
            registration = try OpenDatabases.opening(path) {
                result = sqlite3_open_v2(
                    access.name(of: path), &pointer, access.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                    access.vfs)
                // A VFS of the program opens no file.
                guard result == SQLITE_OK, access.vfs == nil, let name = sqlite3_db_filename(pointer, "main"),
                    name.pointee != 0
                else { return nil }
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
            // Core Data's files have no views, and a view in place of a table could return endless rows.
            try require(csqlite_enable_views(pointer, 0))
            try require(SQLFunctions.register(on: pointer, derivedChanges: derivedChanges))
            try require(Collations.register(on: pointer))
            try require(KeyArrayModule.register(on: pointer))
        }
    }

    /// Enables or disables views, which the file's triggers may read.
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
        // Never blocks and cannot fail: statements still in use keep the connection open until they end. That moment is not
        // reported, so the file is registered as open for good.
        _ = sqlite3_close_v2(handle)
        if let registration, !isInUse { OpenDatabases.closed(registration) }
    }

    // MARK: Statements

    /// Returns the statement for `sql`, prepared at its first use on this connection and cached.
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

    /// Runs one statement and ignores its rows.
    package func execute(_ sql: String) throws {
        let statement = try SQLiteStatement(sql, on: self, persistent: false, isWriting: true)
        while try statement.step() {}
    }

    /// Sets how many seconds SQLite waits for a file that another connection has locked.
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

    /// The maximum size of a value or a row, in bytes.
    var lengthLimit: Int { Int(sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, -1)) }

    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The number of rows that the last statement inserted, updated or deleted directly.
    var changedRows: Int { Int(sqlite3_changes64(handle)) }

    /// Returns SQLite's data version, which changes with every commit to the file by any connection, this one included. Valid
    /// only inside or directly after a transaction.
    func dataVersion() throws -> UInt32 {
        var version: UInt32 = 0
        let result = sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        guard result == SQLITE_OK else { throw error(result, sql: nil) }
        return version
    }

    /// Copies the write-ahead log into the database. Returns false if a reader of an older snapshot, or a writer, blocks it
    /// for longer than the busy timeout; true for a database without a log, where no reader is open while another commits.
    func checkpointFully() throws -> Bool {
        let result = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_FULL, nil, nil)
        if result == SQLITE_OK { return true }
        guard result & 0xFF == SQLITE_BUSY || result & 0xFF == SQLITE_LOCKED else {
            throw error(result, sql: "PRAGMA wal_checkpoint(FULL)", writing: true)
        }
        return false
    }

    /// Checks that the path still names the open file, and that the file has not been truncated.
    ///
    /// - Throws: An error if the file was deleted, moved, replaced or emptied since it was opened: a commit would be lost.
    func requireFileInPlace() throws {
        var hasMoved: Int32 = 0
        let result = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        // A VFS that does not support the check leaves the answer at 0.
        guard result == SQLITE_OK || result == SQLITE_NOTFOUND else { throw error(result, sql: nil, writing: true) }
        guard hasMoved == 0 else { throw SQLiteFailure.fileIsGone(path) }
        guard let size = fileSize() else { return }
        // Commits would go to the log. The next process to open the file deletes a log beside an empty file, and refuses a
        // file without a complete header.
        guard size >= Self.headerSize || !hadContent else { throw SQLiteFailure.fileIsCutOff(path, size: size) }
        hadContent = size >= Self.headerSize
    }

    /// Returns the size of the database file in bytes; nil if it is unknown.
    private func fileSize() -> Int64? {
        guard let file = openFile() else { return nil }
        var size: Int64 = 0
        return file.methods.xFileSize(file.file, &size) == SQLITE_OK ? size : nil
    }

    /// Returns SQLite's handle of the database file and its methods. Opening and closing the file another way would drop the
    /// process's POSIX locks on it.
    private func openFile() -> (file: UnsafeMutablePointer<sqlite3_file>, methods: sqlite3_io_methods)? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let methods = file.pointee.pMethods
        else { return nil }
        return (file, methods.pointee)
    }

    /// Returns the first 100 bytes of the database file; nil if it is shorter.
    func fileHeader() -> [UInt8]? {
        guard let file = openFile() else { return nil }
        var bytes = [UInt8](repeating: 0, count: 100)
        return file.methods.xRead(file.file, &bytes, 100, 0) == SQLITE_OK ? bytes : nil
    }

    /// Keeps the file of the write-ahead log when the database is closed, as Apple's stores do.
    func keepLogFile() throws {
        var on: Int32 = 1
        let result = sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &on)
        guard result == SQLITE_OK || result == SQLITE_NOTFOUND else { throw error(result, sql: nil, writing: true) }
    }

    /// Returns the schema version, which every change of the file's tables, indexes and triggers increments, and each
    /// migration.
    package func schemaVersion() throws -> Int64 { try integer("PRAGMA schema_version") }

    /// Returns the first column of the first row as text.
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

    /// Returns the first column of the first row as an integer; 0 if there is no row.
    package func integer(_ sql: String) throws -> Int64 {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }
}

/// A way to read a database that differs from opening the file at its path, such as a VFS of the program over a state of it.
package struct SQLiteSource: Sendable, Hashable {
    /// The name of a registered VFS that opens no file; nil for the system's.
    package let vfs: String?
    /// SQLite's URI of the database.
    package let uri: String

    package init(vfs: String?, uri: String) {
        self.vfs = vfs
        self.uri = uri
    }
}

/// The access mode of a connection.
package enum SQLiteAccess: Sendable, Equatable {
    case readOnly, readWrite, create
    /// Access to a file on a read-only file system: SQLite takes no locks and needs no files beside the database.
    case immutable
    /// Access for reading by another way than the file's path.
    case source(SQLiteSource)

    /// Returns the mode of read-only access that the file's location allows.
    ///
    /// Immutable access takes no locks and would mix pages of different commits, so it is used only if the whole file system
    /// is read-only. A folder that only this process may not write to does not qualify: others may still write to it.
    static func reading(_ path: String) -> SQLiteAccess {
        reading(path, isOnReadOnlyFileSystem: StoreFiles.isOnReadOnlyFileSystem(path))
    }

    package static func reading(_ path: String, isOnReadOnlyFileSystem: Bool) -> SQLiteAccess {
        // Immutable access would ignore the log's content. An index file exists while a writer has the file open by another
        // mount.
        guard isOnReadOnlyFileSystem, StoreFiles.size(path + "-wal") == 0,
            !StoreFiles.exists(URL(fileURLWithPath: path + "-shm"))
        else { return .readOnly }
        // A database in write-ahead mode needs a file for its index, which cannot be created there.
        return .immutable
    }

    fileprivate var isWriting: Bool { self == .readWrite || self == .create }

    fileprivate var flags: Int32 {
        switch self {
        case .readOnly: SQLITE_OPEN_READONLY
        case .readWrite: SQLITE_OPEN_READWRITE
        case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .immutable, .source: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        }
    }

    /// The name of the VFS; nil for the system's.
    fileprivate var vfs: String? {
        if case .source(let source) = self { source.vfs } else { nil }
    }

    /// Returns the file name to pass to SQLite.
    fileprivate func name(of path: String) -> String {
        switch self {
        case .immutable: URL(fileURLWithPath: path).absoluteString + "?immutable=1"
        case .source(let source): source.uri
        case .readOnly, .readWrite, .create: path
        }
    }
}
