import CoreDataStoreFiles
import Foundation

/// The files of a SQLite database: the main file and those that SQLite creates beside it.
enum DatabaseFiles {
    static let suffixes = ["", "-wal", "-shm", "-journal"]

    /// Returns true if the file begins with SQLite's header or cannot be read; false for an empty file.
    static func mayBeDatabase(_ url: URL) -> Bool {
        if OpenDatabases.contains(url.path) { return true }
        do {
            return try StoreFiles.contents(url.path, first: 16) == Data("SQLite format 3\0".utf8)
        } catch {
            var isFolder: ObjCBool = false
            return !(FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && isFolder.boolValue)
        }
    }
}
