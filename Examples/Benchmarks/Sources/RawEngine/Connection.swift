import Foundation
import GRDBSQLite
import Workloads

/// A SQLite connection with the settings of all engines.
final class Connection {
    let handle: OpaquePointer
    private var statements: [String: Statement] = [:]

    init(_ url: URL, synchronous: Synchronous) throws {
        var status = stat()
        let isNew = stat(url.path, &status) != 0 || status.st_size == 0
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(url.path, &opened, flags, nil)
        guard let opened, code == SQLITE_OK else {
            sqlite3_close(opened)
            throw BenchmarkError("SQLite cannot open \(url.path): code \(code)")
        }
        handle = opened
        sqlite3_busy_timeout(handle, 10_000)
        // Setting `auto_vacuum` on a file with tables would write to the file and sync it.
        for setting in StoreLayout.settings(synchronous) where isNew || setting.name != "auto_vacuum" {
            try execute("PRAGMA \(setting.name) = \(setting.value)")
        }
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    /// Returns the cached statement for the SQL text, and prepares it on first use.
    func statement(_ sql: String) throws -> Statement {
        if let statement = statements[sql] { return statement }
        let statement = try Statement(self, sql)
        statements[sql] = statement
        return statement
    }

    func transaction<Result>(_ begin: String = "BEGIN IMMEDIATE", _ work: () throws -> Result) throws -> Result {
        try statement(begin).run()
        do {
            let result = try work()
            try statement("COMMIT").run()
            return result
        } catch {
            try? statement("ROLLBACK").run()
            throw error
        }
    }

    func failure(_ sql: String) -> BenchmarkError {
        BenchmarkError("SQLite: \(String(cString: sqlite3_errmsg(handle))) in \(sql)")
    }

    func close() {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }
}

/// A prepared statement. Texts are hashed in SQLite's memory, without a copy.
final class Statement {
    let handle: OpaquePointer
    private unowned let connection: Connection

    init(_ connection: Connection, _ sql: String) throws {
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(connection.handle, sql, -1, &prepared, nil) == SQLITE_OK, let prepared else {
            throw connection.failure(sql)
        }
        handle = prepared
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Advances to the next row. Returns false after the last one, when the statement has been reset for its next use.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            sqlite3_reset(handle)
            return false
        default:
            defer { sqlite3_reset(handle) }
            throw connection.failure(String(cString: sqlite3_sql(handle)))
        }
    }

    /// Runs a statement that returns no rows.
    func run() throws {
        while try step() {}
    }

    func reset() {
        sqlite3_reset(handle)
    }

    func bind(_ index: Int32, _ value: Int64) {
        sqlite3_bind_int64(handle, index, value)
    }

    func bind(_ index: Int32, _ value: Double) {
        sqlite3_bind_double(handle, index, value)
    }

    func bind(_ index: Int32, _ value: String?) {
        guard let value else {
            sqlite3_bind_null(handle, index)
            return
        }
        sqlite3_bind_text(handle, index, value, Int32(value.utf8.count), Self.transient)
    }

    func int64(_ index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }
    func int32(_ index: Int32) -> Int32 { sqlite3_column_int(handle, index) }
    func double(_ index: Int32) -> Double { sqlite3_column_double(handle, index) }

    func mark(_ index: Int32) -> UInt64 {
        let bytes = sqlite3_column_text(handle, index)
        return Checksum.mark(bytes, count: Int(sqlite3_column_bytes(handle, index)))
    }

    func text(_ index: Int32) -> String? {
        guard let bytes = sqlite3_column_text(handle, index) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, index))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
