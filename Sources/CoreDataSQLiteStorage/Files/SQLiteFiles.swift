import CoreDataFileStorage
import CoreDataRowStorage
import CoreDataStoreFiles
import CCoreDataSQLite
import Foundation

/// Operations on the files of stores that are not open, or are open elsewhere.
package enum SQLiteFiles: StoreFileKind {
    /// Returns true if the database contains no store, as after destroying one.
    package static func isEmpty(_ url: URL) -> Bool {
        guard StoreFiles.size(url.path) > 0 else { return true }
        let connection = try? SQLiteConnection(path: url.path, access: .reading(url.path), busyTimeout: 1)
        return connection.flatMap { try? EmptiedStore.holdsNothing($0) } ?? false
    }

    /// Deletes the database and the files beside it.
    package static func remove(_ url: URL) {
        let url = StoreFiles.resolvingLinks(in: url)
        guard url.path != StoreFiles.nowhere else { return }
        for suffix in DatabaseFiles.suffixes { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        let files = ExternalFiles(store: url)
        // In a folder that several stores share, this store's files can no longer be distinguished.
        if !files.areShared { files.discardFolder() }
    }

    /// Moves a closed database and its external files to a place where there is no store yet. Crash-safe: the destination has
    /// the whole store or none.
    ///
    /// - Throws: a Cocoa file error, `NSFileWriteFileExistsError` if a file has been created there meanwhile.
    package static func move(_ url: URL, to place: URL) throws {
        try mergeLog(of: url)
        try StoreFiles.synchronize(url)
        let (own, final) = (ExternalFiles(store: url), ExternalFiles(store: place))
        let names = own.names()
        guard !names.isEmpty else { return try StoreFiles.link(url, to: place) }
        try FileManager.default.createDirectory(at: final.folder, withIntermediateDirectories: true)
        // No row refers to these files until the database is in place: the lock keeps collectors from deleting them.
        try FolderLock.shared(final.folder) {
            for name in names { try StoreFiles.move(own.url(of: name), onto: final.url(of: name)) }
            try StoreFiles.link(url, to: place)
        }
    }

    package static func copy(_ source: URL, to destination: URL, timeout: Double) throws {
        try replace(destination, with: source, timeout: timeout)
    }

    package static func hold(_ store: URL, successor: URL, timeout: Double) throws -> (any StoreHolding)? {
        try StoreHold(store, successor: successor, timeout: timeout)
    }

    /// Merges the write-ahead log of a closed database into its main file.
    private static func mergeLog(of url: URL) throws {
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 10)
        guard try connection.text("PRAGMA journal_mode = DELETE") == "delete" else {
            throw SQLiteFailure.storeError(
                NSPersistentStoreOperationError, path: url.path, description: "The copy of the store is in use.",
                reason: "Its write-ahead log could not be ended.")
        }
    }

    // MARK: Copying

    /// Replaces `destination` with a copy of `source`, which may be in use: SQLite copies one committed state.
    ///
    /// Crash-safe: the destination has its former content or the whole copy.
    package static func replace(_ destination: URL, with source: URL, timeout: Double) throws {
        let destination = StoreFiles.resolvingLinks(in: destination)
        let source = StoreFiles.resolvingLinks(in: source)
        guard FileManager.default.fileExists(atPath: source.path) else {
            throw SQLiteFailure.storeError(
                CocoaError.fileReadNoSuchFile.rawValue, path: source.path, description: "There is no store to copy.",
                reason: "The file does not exist.")
        }
        let from = try SQLiteConnection(path: source.path, access: .reading(source.path), busyTimeout: timeout)
        guard try !EmptiedStore.holdsNothing(from) else { throw EmptiedStore.failure(source.path) }
        guard try ActualSchema(from).isCoreDataStore else {
            throw SQLiteFailure.storeError(
                CocoaError.fileReadCorruptFile.rawValue, path: source.path,
                description: "The file is not a Core Data store.", reason: "It has no table Z_METADATA.")
        }
        try StoreFiles.makeFolder(of: destination)
        let to = try SQLiteConnection(path: destination.path, access: .create, busyTimeout: timeout)
        try copyExternalFiles(of: source, from, to: destination, timeout: timeout) {
            if try from.integer("PRAGMA page_size") != to.integer("PRAGMA page_size") {
                // The page size cannot change in write-ahead mode.
                try to.execute("PRAGMA journal_mode = DELETE")
            }
            try PageCopy(from: from, to: to).complete()
        }
    }

    /// Copies the external files, calls `copyPages`, and deletes the files that belonged to the former database.
    ///
    /// - Parameter connection: a connection to the source.
    static func copyExternalFiles(
        of source: URL, _ connection: SQLiteConnection, to destination: URL, timeout: Double,
        copyPages: () throws -> Void
    ) throws {
        let (own, copied) = (ExternalFiles(store: source), ExternalFiles(store: destination))
        guard FileManager.default.fileExists(atPath: own.folder.path) else {
            try copyPages()
            if !copied.areShared { copied.discardFolder() }
            return
        }
        // External files are not part of the database: no process may commit between copying them and copying the database.
        try withoutWriters(source, timeout) {
            try FileManager.default.createDirectory(at: copied.folder, withIntermediateDirectories: true)
            let names = try FolderLock.shared(copied.folder) {
                let names = try copyFiles(ExternalFiles.named(in: connection), own, copied)
                try copyPages()
                return names
            }
            if !copied.areShared { copied.discard(copied.names().filter { !names.contains($0) }) }
        }
    }

    private static func withoutWriters(_ source: URL, _ timeout: Double, _ body: () throws -> Void) throws {
        guard FileManager.default.isWritableFile(atPath: source.path), !StoreHold.isHeld(source),
            !ExclusiveWrites.keepOthers(from: source.path),
            case .readOnly = SQLiteAccess.reading(source.path)
        else { return try body() }
        let holder = try SQLiteConnection(path: source.path, access: .readWrite, busyTimeout: timeout)
        try holder.execute("BEGIN IMMEDIATE")
        defer { try? holder.execute("ROLLBACK") }
        try body()
    }

    /// Copies the files with these names, and returns the names of those that exist.
    private static func copyFiles(
        _ names: Set<String>, _ from: ExternalFiles, _ to: ExternalFiles
    ) throws -> Set<String> {
        let manager = FileManager.default
        var copied = names
        for name in names {
            // The copy has another name until it is complete. An existing file is replaced: it may be obsolete, and about to
            // be deleted by a process that has the destination open; see `ExternalFileCollector`.
            let partial = to.url(of: name + ExternalFiles.partialSuffix)
            try? manager.removeItem(at: partial)
            do {
                try StoreFiles.copy(from.url(of: name).path, to: partial.path)
                try StoreFiles.move(partial, onto: to.url(of: name))
            } catch CocoaError.fileReadNoSuchFile {
                // A file that is missing in the source is missing in the copy.
                copied.remove(name)
            }
        }
        return copied
    }
}
