import CCoreDataSQLite
import Foundation

/// A database written over another, page by page and in one transaction of the destination, by SQLite's backup.
///
/// Neither connection may be used otherwise until the copy has ended, except that the source may be read.
final class PageCopy {
    private let source: SQLiteConnection
    private let destination: SQLiteConnection
    private var backup: OpaquePointer?

    init(from source: SQLiteConnection, to destination: SQLiteConnection) throws {
        self.source = source
        self.destination = destination
        guard let backup = sqlite3_backup_init(destination.handle, "main", source.handle, "main") else {
            throw destination.error(sqlite3_errcode(destination.handle), sql: nil, writing: true)
        }
        self.backup = backup
    }

    /// A copy that was not completed is undone.
    deinit { _ = sqlite3_backup_finish(backup) }

    /// Locks the destination for writing, as the first page does, until the copy is complete or given up. A source that is
    /// changed afterwards is copied from its beginning again.
    ///
    /// - Throws: `NSPersistentStoreTimeoutError`; an SQLite error.
    func lock() throws {
        let result = step(1)
        // A source of one page would be complete, and the destination overwritten.
        precondition(result != SQLITE_DONE, "The source of a backup that is to be continued has several pages.")
        guard result == SQLITE_OK else { throw destination.error(result, sql: nil, writing: true) }
    }

    /// Copies all pages, and commits them.
    func complete() throws {
        let result = step(-1)
        let finish = sqlite3_backup_finish(backup)
        backup = nil
        guard result == SQLITE_DONE else { throw destination.error(result, sql: nil, writing: true) }
        guard finish == SQLITE_OK else { throw destination.error(finish, sql: nil, writing: true) }
    }

    private func step(_ pages: Int32) -> Int32 {
        while true {
            let result = sqlite3_backup_step(backup, pages)
            // The source is being written to by this process.
            guard result == SQLITE_LOCKED else { return result }
            sqlite3_sleep(20)
        }
    }
}
