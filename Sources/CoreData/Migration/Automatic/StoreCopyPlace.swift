#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Foundation

/// A place beside a store where its successor is made, in the same folder so that it can take the store's place at once.
struct StoreCopyPlace {
    let url: URL
    private let original: URL
    private let type: String

    /// Also clears away what a migration that was killed has left.
    init(for original: URL, type: String) throws {
        self.original = original
        self.type = type
        let folder = original.deletingLastPathComponent()
        let prefix = ".\(original.deletingPathExtension().lastPathComponent).migration-"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let process = name.dropFirst(prefix.count).prefix { $0.isNumber }
            guard let number = Int32(process), number != getpid(), kill(number, 0) != 0, errno == ESRCH else {
                continue
            }
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
        let suffix = original.pathExtension.isEmpty ? "" : ".\(original.pathExtension)"
        url = folder.appendingPathComponent("\(prefix)\(getpid())-\(UUID().uuidString)\(suffix)")
    }

    /// Copies the original, which may be in use.
    func copyOriginal(timeout: Double?) throws {
        if type == NSSQLiteStoreType {
            try SQLiteFiles.replace(url, with: original, timeout: timeout ?? ConnectionSettings().busyTimeout)
        } else {
            try StoreRegistry.requireClass(for: type).replaceStore(
                at: url, options: StoreOptions(nil), from: original, sourceOptions: StoreOptions(nil))
        }
    }

    /// Puts the copy in the original's place. Killed at any moment, the original is either the old store or the new one.
    func replaceOriginal(timeout: Double?) throws {
        guard type == NSSQLiteStoreType else {
            guard rename(url.path, original.path) == 0 else {
                throw CoreDataError.make(
                    NSMigrationError, description: "The migrated store could not be put in place.",
                    reason: String(cString: strerror(errno)), userInfo: [NSURLErrorKey: original])
            }
            return
        }
        try SQLiteFiles.replace(original, with: url, timeout: timeout ?? ConnectionSettings().busyTimeout)
    }

    /// Deletes the copy, if it is still there.
    func remove() {
        if type == NSSQLiteStoreType {
            SQLiteFiles.remove(url)
        } else {
            try? FileManager.default.removeItem(at: url)
        }
    }
}

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
