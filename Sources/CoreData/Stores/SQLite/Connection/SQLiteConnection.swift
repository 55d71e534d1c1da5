import CSQLite
import Foundation

/// One connection to a database file and the statements prepared on it.
///
/// A connection belongs to one thread at a time: the one that took it from the ``ConnectionPool``. SQLite's own mutexes
/// are off.
final class SQLiteConnection: @unchecked Sendable {
    let handle: OpaquePointer
    let path: String
    /// What triggers of derived attributes changed since the last look; see ``DerivedChanges``.
    let derivedChanges = DerivedChanges()
    private var statements: [Int: SQLiteStatement] = [:]
    private var uses: UInt64 = 0

    /// How many statements a connection keeps prepared before it lets go of those not used for longest.
    private static let statementLimit = 300

    /// Opens the file at `path`.
    ///
    /// - Throws: a Cocoa file error (no such file, no permission, not a database, damaged) with SQLite's code.
    init(path: String, access: SQLiteAccess, busyTimeout: Double) throws {
        var pointer: OpaquePointer?
        let result = sqlite3_open_v2(path, &pointer, access.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard result == SQLITE_OK, let pointer else {
            let error = SQLiteFailure.error(result, handle: pointer, path: path, sql: nil, writing: access != .readOnly)
            sqlite3_close_v2(pointer)
            throw error
        }
        handle = pointer
        self.path = path
        sqlite3_busy_timeout(pointer, Int32(clamping: Int(max(0, min(busyTimeout, 1_000_000)) * 1000)))
        SQLFunctions.register(on: pointer, derivedChanges: derivedChanges)
        Collations.register(on: pointer)
        KeyArrayModule.register(on: pointer)
    }

    deinit { close() }

    private func close() {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    // MARK: Statements

    /// The statement for `sql`, prepared at its first use on this connection and kept.
    func statement(_ sql: SQLText) throws -> SQLiteStatement {
        uses &+= 1
        if let statement = statements[sql.id] {
            statement.lastUse = uses
            return statement
        }
        if statements.count >= Self.statementLimit { dropUnusedStatements() }
        let statement = try SQLiteStatement(sql.text, on: self, persistent: true)
        statement.lastUse = uses
        statements[sql.id] = statement
        return statement
    }

    /// Prepares `sql` for one use.
    func prepare(_ sql: String) throws -> SQLiteStatement { try SQLiteStatement(sql, on: self, persistent: false) }

    private func dropUnusedStatements() {
        let limit = statements.values.map(\.lastUse).sorted()[statements.count / 2]
        statements = statements.filter { $0.value.lastUse > limit || $0.value.isBusy }
    }

    /// Runs statements that return nothing of interest.
    func execute(_ sql: String) throws {
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw error(result, sql: sql, writing: true) }
    }

    func error(_ result: Int32, sql: String?, writing: Bool = false) -> NSError {
        SQLiteFailure.error(result, handle: handle, path: path, sql: sql, writing: writing)
    }

    // MARK: State

    /// True when another table than `table` — none at all, that is — answers to this name.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// How many rows the statement that ran last inserted, updated or deleted itself.
    var changedRows: Int { Int(sqlite3_changes64(handle)) }

    /// A number that moves whenever somebody, this connection included, has committed a change. Right only inside a
    /// transaction or directly after one.
    var dataVersion: UInt32 {
        var version: UInt32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return version
    }

    /// Keeps the write-ahead log's file beside the closed database, as Apple's stores do.
    func keepLogFile() {
        var on: Int32 = 1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &on)
    }

    /// The first column of the first row, as text.
    func text(_ sql: String) throws -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.text(0) : nil
    }

    /// The first column of the first row, as an integer; 0 without one.
    func integer(_ sql: String) throws -> Int64 {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }
}

/// What a connection may do to its file.
enum SQLiteAccess: Sendable {
    case readOnly, readWrite, create

    fileprivate var flags: Int32 {
        switch self {
        case .readOnly: SQLITE_OPEN_READONLY
        case .readWrite: SQLITE_OPEN_READWRITE
        case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        }
    }
}
