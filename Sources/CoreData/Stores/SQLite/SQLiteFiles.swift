import Foundation

/// The files that belong to one SQLite store.
enum SQLiteFiles {
    static let suffixes = ["", "-wal", "-shm", "-journal"]

    /// Deletes the database and what lies beside it.
    static func remove(_ url: URL) {
        for suffix in suffixes { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        try? FileManager.default.removeItem(at: ExternalFiles(store: url).supportFolder)
    }
}
