import CoreDataStoreFiles
import Foundation

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// One connection to a database file, for the functions of this module.
///
/// Used by one thread at a time.
package final class Database {
    package let handle: OpaquePointer
    private let registration: OpenDatabases.Registration?
    /// The limits of a connection that reads a file of unknown origin.
    var readGuard: ReadGuard?

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - name: A path, or a URI if `flags` contain `SQLITE_OPEN_URI`.
    ///   - vfs: The name of the SQLite VFS; nil for the system's.
    /// - Throws: ``DatabaseError``; `OpenDatabases.IsOpen` for a file beside an open database.
    package init(_ name: String, flags: Int32, vfs: String? = nil) throws {
        var pointer: OpaquePointer?
        var result = SQLITE_OK
        func open() {
            result = sqlite3_open_v2(name, &pointer, flags | SQLITE_OPEN_NOMUTEX, vfs)
            // There is a flag for this since SQLite 3.37; iOS 15 has 3.36.
            if result == SQLITE_OK { result = sqlite3_extended_result_codes(pointer, 1) }
        }
        if vfs == nil {
            registration = try OpenDatabases.opening(name) {
                open()
                guard result == SQLITE_OK, let file = sqlite3_db_filename(pointer, "main"), file.pointee != 0 else {
                    return nil
                }
                return String(cString: file)
            }
        } else {
            // Another VFS may close files, which takes the lock of open databases.
            registration = nil
            open()
        }
        guard result == SQLITE_OK, let pointer else {
            let code = pointer.map { sqlite3_extended_errcode($0) } ?? result
            let error = DatabaseError(code, pointer, sql: nil)
            _ = sqlite3_close_v2(pointer)
            throw error
        }
        handle = pointer
    }

    deinit {
        // Refused only if statements are left, other than those of virtual tables.
        guard sqlite3_close(handle) == SQLITE_OK else {
            _ = sqlite3_close_v2(handle)
            return
        }
        if let registration { OpenDatabases.closed(registration) }
    }

    /// Prepares a statement.
    package func prepare(_ sql: String) throws -> Statement { try Statement(sql, on: self) }

    /// Runs a statement that returns no rows.
    package func execute(_ sql: String) throws {
        let statement = try prepare(sql)
        while try statement.step() {}
    }

    /// Returns the first column of the first row as an integer; nil if there is no row, or no value.
    package func integer(_ sql: String) throws -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() && !statement.isNull(0) ? statement.integer(0) : nil
    }

    /// Returns the first column of the first row as text; nil if there is no row, or no value.
    package func text(_ sql: String) throws -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.text(0) : nil
    }
}

/// A failed call of SQLite.
package struct DatabaseError: Error, Sendable, CustomStringConvertible {
    /// The extended result code.
    package let code: Int32
    package let message: String
    package let sql: String?
    /// The number of the system's error, if SQLite knows one; else 0.
    package let systemError: Int32

    package init(_ code: Int32, _ handle: OpaquePointer?, sql: String?) {
        self.code = code
        systemError = handle.map { sqlite3_system_errno($0) } ?? 0
        message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        self.sql = sql
    }

    /// The code without its extension.
    package var primaryCode: Int32 { code & 0xff }
    /// True if the call failed because the database, or one of SQLite's temporary files, could not be written.
    package var isOfWriting: Bool {
        switch primaryCode {
        case SQLITE_FULL, SQLITE_READONLY, SQLITE_PERM: true
        case SQLITE_IOERR:
            // SQLITE_IOERR_WRITE, _FSYNC, _DIR_FSYNC, _TRUNCATE, _GETTEMPPATH
            [3, 4, 5, 6, 25].contains(code >> 8)
        default: false
        }
    }
    package var description: String { "\(message) (SQLite \(code))" + (sql.map { " in \($0)" } ?? "") }
}
