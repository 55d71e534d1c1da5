import CoreDataStoreFiles
import Foundation

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// A store opened for reading, at one moment where possible. Changes no byte.
///
/// A store that no other process uses is read from an image, without locks. One that is in use is read by an SQLite connection
/// within one transaction, protected by SQLite's locks. Used by one thread at a time.
package final class StoreReader {
    package let url: URL
    package let condition: StoreCondition
    package let database: Database
    /// The image, nil if others have the store open and SQLite's locks protect the reading.
    package let image: FileImage?

    /// Opens a store.
    ///
    /// - Throws: ``StoreToolError`` with the message and advice of the store's condition if it cannot be read.
    package init(_ url: URL) throws {
        self.url = url
        let (condition, found) = StoreDetermination(url.path).run()
        self.condition = condition
        switch condition {
        case .readable:
            let image = try found ?? FileImage(url.path)
            self.image = image
            database = try Self.opening(url) { try Database(image) }
        case .inUse:
            if let connection = try Self.connection(to: url) {
                database = connection
                image = nil
            } else {
                let image = try FileImage(url.path)
                self.image = image
                database = try Self.opening(url) { try Database(image) }
            }
        default: throw condition.error(url)
        }
    }

    /// Checks that the store is unchanged since it was opened.
    ///
    /// - Throws: ``StoreToolError`` with the code `changed`.
    package func requireUnchanged() throws {
        guard let image, image.hasChanged() else { return }
        throw StoreToolError(
            .changed, "The store \(url.lastPathComponent) was changed while it was read.",
            advice: "Try again, or copy the store's files and read the copy.", url: url)
    }

    private static func opening(_ url: URL, _ open: () throws -> Database) throws -> Database {
        do {
            return try open()
        } catch let error as DatabaseError {
            throw StoreToolError(
                .failed, "The store \(url.lastPathComponent) cannot be opened: \(error.message).",
                advice: "Check it, and rescue what is there.", url: url, underlying: error.description)
        }
    }

    /// Opens a connection and begins to read; nil if SQLite cannot do that without changing files.
    private static func connection(to url: URL) throws -> Database? {
        let path = url.path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? url.path
        do {
            // The index of the log is mapped for reading only, and not created.
            let database = try Database(
                "file:\(path)?mode=ro&readonly_shm=1", flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
            let result = sqlite3_busy_timeout(database.handle, 1000)
            guard result == SQLITE_OK else { throw DatabaseError(result, database.handle, sql: nil) }
            let sizes = ["", "-wal"].compactMap { SourceSize(url.path + $0) }
            try database.distrust(
                fileSize: sizes.reduce(0) { $0 + $1.size }, allocatedSize: sizes.reduce(0) { $0 + $1.allocatedSize })
            try database.execute("BEGIN")
            _ = try database.integer("SELECT count(*) FROM sqlite_master")
            return database
        } catch let error as DatabaseError {
            switch error.primaryCode {
            case SQLITE_BUSY, SQLITE_LOCKED: throw StoreCondition.locked.error(url)
            default:
                guard !OpenDatabases.contains(url.path) else {
                    throw StoreToolError(
                        .failed, "The store \(url.lastPathComponent) cannot be read: \(error.message).",
                        advice: "Check it, and rescue what is there.", url: url, underlying: error.description)
                }
                return nil
            }
        } catch is OpenDatabases.IsOpen {
            throw StoreCondition.inUse.error(url)
        }
    }
}
