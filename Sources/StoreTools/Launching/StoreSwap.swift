import CoreDataStoreFiles
import Foundation

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// The exchange of a damaged store for a rescued one, which keeps the old files in a folder beside the store.
///
/// 1. The pages of the rescued store are written to a log, the ``SuccessorLog``, and the old files are copied, both
///    into one folder, with the state of the store's files at that time. Then the folder gets its name beside the
///    store.
/// 2. The store is locked as SQLite does it, and its state compared: no process has it open or has changed it.
/// 3. The new log replaces the old one by renaming. From this moment on the store is the rescued one, for every
///    program.
/// 4. The old journal is deleted (rolled back, it would change pages that the log replaces), and the store is
///    unlocked.
/// 5. SQLite merges the log into the file. The state is deleted from the folder.
///
/// A process that is killed leaves a folder with a state: with the new log if it was killed before step 3. The next
/// call completes the exchange if the store is unchanged, and discards the folder otherwise. All calls are made while
/// the replacement folder is locked.
struct StoreSwap {
    private let store: URL
    private let working: URL
    private let step: (LaunchStep) throws -> Void

    init(_ store: URL, _ working: URL, _ step: @escaping (LaunchStep) throws -> Void) {
        self.store = store
        self.working = working
        self.step = step
    }

    /// The place of the rescued store.
    var rescued: URL { working.appendingPathComponent(store.lastPathComponent) }

    private static let logName = ".rescued-wal"
    private static let stateName = ".exchange"
    private static func prefix(of store: URL) -> String { store.lastPathComponent + ".damaged-" }

    // MARK: Exchanging

    /// Puts the rescued store into the place of the store.
    ///
    /// - Parameters:
    ///   - leftovers: The file of rows that the rescued store cannot hold.
    ///   - state: The state of the files that were rescued.
    /// - Returns: The folder of the old files; nil if another process, or the package's Core Data, has the store open, or has
    ///   changed it.
    func run(leftovers: URL?, state: StoreFileState) throws -> URL? {
        let folder: URL
        do {
            folder = try prepare(leftovers, state)
        } catch is OpenDatabases.IsOpen {
            return nil
        } catch let error as StoreToolError {
            throw error
        } catch let error as LaunchStep.Stop {
            throw error
        } catch {
            throw Self.failure(store, "\(error)")
        }
        do {
            try step(.kept)
            if try exchange(folder, state) { return folder }
        } catch let error as LaunchStep.Stop {
            throw error
        } catch {
            discard(folder)
            throw error
        }
        discard(folder)
        return nil
    }

    /// Prepares the new log and the copies of the old files in a folder, and gives it its name.
    private func prepare(_ leftovers: URL?, _ state: StoreFileState) throws -> URL {
        let manager = FileManager.default
        let prepared = working.appendingPathComponent("old", isDirectory: true)
        try manager.createDirectory(at: prepared, withIntermediateDirectories: false)
        let log = prepared.appendingPathComponent(Self.logName)
        try SuccessorLog.write(rescued, to: log)
        OldFiles.setAttributes(of: log, to: store)
        try manager.removeItem(at: rescued)
        try step(.logWritten)
        try OldFiles.copy(store, to: prepared)
        if let leftovers {
            try manager.moveItem(at: leftovers, to: prepared.appendingPathComponent(OldFiles.leftovers))
        }
        let record = prepared.appendingPathComponent(Self.stateName)
        try Data(state.description.utf8).write(to: record)
        for url in [record, prepared] { OldFiles.synchronize(url) }
        try step(.filesCopied)
        let folder = freeName()
        try move(prepared, to: folder)
        OldFiles.synchronize(store.deletingLastPathComponent())
        return folder
    }

    /// Returns a name for the folder of the old files that ends in the time.
    private func freeName() -> URL {
        let time = ISO8601DateFormatter().string(from: Date()).replacingOccurrences(of: ":", with: "")
        let parent = store.deletingLastPathComponent()
        var number = 0
        while true {
            let name = Self.prefix(of: store) + time + (number == 0 ? "" : "-\(number)")
            let url = parent.appendingPathComponent(name, isDirectory: true)
            guard (try? FileManager.default.attributesOfItem(atPath: url.path)) != nil else { return url }
            number += 1
        }
    }

    /// Replaces the store if no process has it open, and it is in the given state; returns whether it was replaced.
    private func exchange(_ folder: URL, _ state: StoreFileState) throws -> Bool {
        let isDone = try Self.locked(store) { lock -> Bool in
            guard StoreFileState(store) == state else { return false }
            try step(.storeLocked)
            var status = stat()
            // SQLite deletes the log of an empty file.
            guard fstat(lock.descriptor, &status) == 0, status.st_size > 0 || ftruncate(lock.descriptor, 512) == 0
            else {
                throw Self.failure(store, "could not extend \(store.path): \(String(cString: strerror(errno)))")
            }
            try move(folder.appendingPathComponent(Self.logName), to: URL(fileURLWithPath: store.path + "-wal"))
            for folder in [store.deletingLastPathComponent(), folder] { OldFiles.synchronize(folder) }
            try step(.exchanged)
            removeJournal(state)
            try step(.cleaned)
            return true
        }
        guard isDone == true else { return false }
        try step(.unlocked)
        try complete(folder)
        return true
    }

    /// Deletes the old journal, and the index of the old log, which SQLite makes again.
    private func removeJournal(_ state: StoreFileState) {
        if state.isSame("-journal", of: store) { unlink(store.path + "-journal") }
        unlink(store.path + "-shm")
    }

    /// Merges the log into the file, if no process reads it, and deletes the state.
    private func complete(_ folder: URL) throws {
        merge()
        try step(.merged)
        try? FileManager.default.removeItem(at: folder.appendingPathComponent(Self.stateName))
        OldFiles.synchronize(folder)
    }

    private func merge() {
        // The store is complete with its log: what fails here is done by the next program that closes it.
        guard let database = try? Database(store.path, flags: SQLITE_OPEN_READWRITE) else { return }
        _ = sqlite3_busy_timeout(database.handle, 1000)
        _ = try? database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Runs a closure while the store is locked; returns nil if another process has it open.
    static func locked<Result>(_ store: URL, _ body: (ExclusiveFileLock) throws -> Result) throws -> Result? {
        let lock: ExclusiveFileLock
        do {
            lock = try ExclusiveFileLock(store.path)
        } catch .held {
            return nil
        } catch .system(let code) {
            throw StoreToolError(
                .destination, "The damaged store \(store.lastPathComponent) cannot be locked and replaced.",
                advice: "Give the process the permission to write to it, on a file system that is not read-only.",
                url: store, underlying: String(cString: strerror(code)))
        }
        defer { lock.release() }
        return try body(lock)
    }

    // MARK: Completing what was interrupted

    /// Returns whether a process has left an exchange that is not finished.
    static func hasUnfinished(beside store: URL) -> Bool { !unfinished(beside: store).isEmpty }

    private static func unfinished(beside store: URL) -> [URL] {
        let parent = store.deletingLastPathComponent()
        let prefix = prefix(of: store)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        return names.filter { $0.hasPrefix(prefix) }.sorted().map {
            parent.appendingPathComponent($0, isDirectory: true)
        }.filter { FileManager.default.fileExists(atPath: $0.appendingPathComponent(stateName).path) }
    }

    /// Completes the exchange that a process has begun, or discards it if the store has changed.
    ///
    /// - Parameter exchanges: Whether the store is replaced if it has not been yet.
    /// - Returns: The folder of the old files of an exchange that is complete now; nil if there is none.
    func finishOthers(exchanges: Bool) throws -> URL? {
        var finished: URL?
        for folder in Self.unfinished(beside: store) {
            let record = folder.appendingPathComponent(Self.stateName)
            let state = (try? Data(contentsOf: record)).flatMap { StoreFileState(String(decoding: $0, as: UTF8.self)) }
            let log = folder.appendingPathComponent(Self.logName)
            if !FileManager.default.fileExists(atPath: log.path) {
                if let state, state.isSame("-journal", of: store) { unlink(store.path + "-journal") }
                try complete(folder)
                finished = folder
            } else if exchanges {
                if let state, state == StoreFileState(store) {
                    if try exchange(folder, state) { finished = folder }
                } else {
                    discard(folder)
                }
            }
        }
        return finished
    }

    /// Deletes the folder of an exchange that has not happened.
    private func discard(_ folder: URL) {
        guard FileManager.default.fileExists(atPath: folder.appendingPathComponent(Self.logName).path) else { return }
        // With another name it is no longer taken for one that has happened.
        let discarded = working.appendingPathComponent(UUID().uuidString)
        guard rename(folder.path, discarded.path) == 0 else { return }
        try? FileManager.default.removeItem(at: discarded)
    }

    // MARK: Files

    private func move(_ source: URL, to destination: URL) throws {
        guard rename(source.path, destination.path) == 0 else {
            throw Self.failure(store, "could not move \(source.path): \(String(cString: strerror(errno)))")
        }
    }

    private static func failure(_ store: URL, _ underlying: String) -> StoreToolError {
        StoreToolError(
            .destination, "The rescued store could not be put into the place of \(store.lastPathComponent).",
            advice: "Check the permissions of \(store.deletingLastPathComponent().path) and the free space.",
            url: store, underlying: underlying)
    }
}
