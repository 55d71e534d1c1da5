import CCoreDataSQLite
import Foundation

extension NSPersistentStoreCoordinator {
    /// Disables the memory statistics of the process's SQLite library, and halves the page-cache memory that a connection
    /// preallocates at its first read, from twenty pages to ten.
    ///
    /// The statistics take a process-wide mutex on every allocation and release of SQLite; SQLite's authors recommend disabling
    /// them. Programs that use stores on several threads, or open many stores, run faster without them. In exchange,
    /// `sqlite3_memory_used()` and related functions return 0, and SQLite's heap limits have no effect, for all code in the
    /// process that uses SQLite. Stores do not change the library's settings otherwise.
    ///
    /// Call it at the start of the program, while there is a single thread: SQLite accepts these settings only before it is
    /// initialized. Apple's framework has no such function; the SQLite of its platforms is built without the statistics.
    ///
    /// - Returns: whether SQLite accepted the settings. False, with nothing changed, if the process has already used SQLite.
    @discardableResult
    public static func disableSQLiteMemoryStatistics() -> Bool { csqlite_configure_memory() == SQLITE_OK }

    /// Runs `body` inside write transactions on all writable SQLite stores: until the first save inside commits, no other
    /// connection, of this process or another, can change what `body` reads. Stores of other types are not protected from
    /// changes.
    ///
    /// The transactions belong to the calling thread. Other threads that save to these stores block, so `body` must not wait
    /// for them.
    ///
    /// - Throws: what `body` throws, or the store's error if another writer holds the file for longer than the timeout.
    package func writingExclusively<Result>(_ body: () throws -> Result) throws -> Result {
        // The fixed order of the stores prevents a deadlock between two callers.
        let stores = rowStores.filter { !$0.isReadOnly }.sorted { ($0.url?.path ?? "") < ($1.url?.path ?? "") }
        return try CurrentContexts.writingExclusively(to: stores, body)
    }
}
