import CCoreDataSQLite
import Foundation

/// A copy of a database over another by SQLite's backup, page by page and in one transaction of the destination.
///
/// Until the copy has ended, the source may only be read, and the destination not be used at all.
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

    /// A backup that is not complete is rolled back.
    deinit { _ = sqlite3_backup_finish(backup) }

    /// Locks the destination for writing, by copying the first page, until the copy is complete or abandoned. If the source
    /// changes after that, the backup starts again.
    ///
    /// - Throws: `NSPersistentStoreTimeoutError`; an SQLite error.
    func lock() throws {
        let result = step(1)
        // A source of a single page would complete the backup and overwrite the destination.
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
            // This process is writing to the source.
            guard result == SQLITE_LOCKED else { return result }
            sqlite3_sleep(20)
        }
    }
}
