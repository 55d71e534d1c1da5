import CoreDataFileStorage
import CoreDataRowStorage
import CoreDataStoreFiles
import Foundation

extension SQLiteFiles {
    /// Empties a store. The file remains, as an ``EmptiedStore``, so that other processes that have it open notice. If there
    /// is no file, one is created, unless its folder is missing. Crash-safe: the store is either complete or empty.
    ///
    /// - Throws: `NSPersistentStoreTimeoutError` if another process is using the store, unless `force` is true: then the
    ///   files are deleted and created again.
    package static func destroy(_ url: URL, force: Bool, timeout: Double) throws {
        let url = StoreFiles.resolvingLinks(in: url)
        guard url.path != StoreFiles.nowhere else { return }
        guard !OpenDatabases.isBesideOne(url.path) else { throw SQLiteFailure.liesBesideStore(url.path) }
        guard FileManager.default.fileExists(atPath: url.path) else {
            // A log or a journal without its database would be taken for part of the next database of that name.
            remove(url)
            return try makeEmpty(url, timeout)
        }
        let files = ExternalFiles(store: url)
        // Nil if the folder belongs to this store alone.
        var names: Set<String>?
        do {
            let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: timeout)
            if files.areShared { names = try ExternalFiles.named(in: connection) }
            try empty(connection, EmptiedStore.write)
        } catch {
            guard force else { throw error }
            remove(url)
            return try makeEmpty(url, timeout)
        }
        if let names { files.discard(names) } else { files.discardFolder() }
    }

    private static func makeEmpty(_ url: URL, _ timeout: Double) throws {
        guard FileManager.default.fileExists(atPath: url.deletingLastPathComponent().path) else { return }
        let connection = try SQLiteConnection(path: url.path, access: .create, busyTimeout: timeout)
        try connection.execute("PRAGMA auto_vacuum = 2")
        try connection.execute("BEGIN EXCLUSIVE")
        do {
            // Another process may have created a store there while this one waited.
            if try ActualSchema(connection).isEmpty { try EmptiedStore.write(connection) }
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Drops all tables of a database, which remains in place.
    package static func clear(_ url: URL, timeout: Double) throws {
        let url = StoreFiles.resolvingLinks(in: url)
        try empty(SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: timeout)) { _ in }
        let files = ExternalFiles(store: url)
        if !files.areShared { files.discardFolder() }
    }

    /// Drops everything in the database in one transaction, then compacts the file.
    ///
    /// - Parameter complete: writes the new content in the same transaction.
    private static func empty(_ connection: SQLiteConnection, _ complete: (SQLiteConnection) throws -> Void) throws {
        try connection.execute("PRAGMA foreign_keys = OFF")
        try connection.execute("BEGIN EXCLUSIVE")
        do {
            try dropAll(connection)
            try complete(connection)
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
        // Compacting the file is optional: the store is empty without it.
        guard (try? connection.execute("VACUUM")) != nil else { return }
        try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Drops all tables, views and triggers except SQLite's own.
    static func dropAll(_ connection: SQLiteConnection) throws {
        for (kind, name) in try objects(connection) {
            try connection.execute("DROP \(kind.uppercased()) IF EXISTS \(SQLName.quoted(name))")
        }
    }

    private static func objects(_ connection: SQLiteConnection) throws -> [(String, String)] {
        let statement = try connection.prepare(
            "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view', 'table') "
                + "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
                + "ORDER BY CASE type WHEN 'trigger' THEN 0 WHEN 'view' THEN 1 ELSE 2 END")
        var found: [(String, String)] = []
        while try statement.step() { found.append((statement.text(0) ?? "", statement.text(1) ?? "")) }
        return found
    }
}
