import Foundation

/// Keeps other processes from changing an SQLite store while it is being migrated. They may read it.
final class StoreHold {
    private var connection: SQLiteConnection?

    init(_ url: URL, type: String, options: StoreOptions) throws {
        guard type == NSSQLiteStoreType else { return }
        let timeout = options.number(NSPersistentStoreTimeoutOption) ?? ConnectionSettings().busyTimeout
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: timeout)
        try ConnectionSettings().configure(connection, writing: true)
        try connection.execute("BEGIN IMMEDIATE")
        self.connection = connection
    }

    func release() {
        try? connection?.execute("ROLLBACK")
        connection = nil
    }
}
