import CCoreDataSQLite
import Foundation

extension NSPersistentStoreCoordinator {
    /// Switches off the count of memory that the process's SQLite library keeps, and has connections set room for ten pages aside
    /// when they read the first, not twenty.
    ///
    /// The count takes a lock, one for all threads, whenever SQLite needs memory or frees some; SQLite's authors recommend
    /// leaving it off. Programs that use stores on several threads, or open many, run faster without it. In exchange
    /// `sqlite3_memory_used()` and its kin give 0, and SQLite's heap limits have no effect, for everything in the process that
    /// uses SQLite. Stores leave the library's settings alone otherwise.
    ///
    /// Call it first thing in the program, while there is one thread: SQLite takes such settings only before it is used. Apple's
    /// framework has no such function; the SQLite of its platforms is built without the count.
    ///
    /// - Returns: whether SQLite took the settings; false, with nothing changed, if the process has used it before.
    @discardableResult
    public static func disableSQLiteMemoryStatistics() -> Bool { csqlite_configure_memory() == SQLITE_OK }

    /// Runs `body` in transactions of all SQLite stores that may be written, begun before: what it reads stays as it is, for
    /// other processes too, until the first save inside commits. Other stores are not kept from changing.
    ///
    /// On the thread that calls, and for what this thread does. Other threads that save to these stores wait, so `body` must
    /// not wait for them.
    ///
    /// - Throws: what `body` throws, or the store's error when another writer has the file for too long.
    package func writingExclusively<Result>(_ body: () throws -> Result) throws -> Result {
        // Always in the same order, so that two callers cannot wait for each other.
        let stores = rowStores.filter { !$0.isReadOnly }.sorted { ($0.url?.path ?? "") < ($1.url?.path ?? "") }
        return try CurrentContexts.writingExclusively(to: stores, body)
    }
}
