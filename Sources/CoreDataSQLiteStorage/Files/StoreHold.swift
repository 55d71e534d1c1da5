import CoreDataFileStorage
import CoreDataRowStorage
import CoreDataRuntimeSupport
import CoreDataStoreFiles
import Foundation

/// Exclusive write access to an SQLite store while its successor is created beside it, up to and including the moment when
/// the successor replaces it. Other processes may read the store meanwhile; writers wait for their busy timeout and then get
/// `SQLITE_BUSY`.
///
/// SQLite's backup locks its destination from the first page to the last, and restarts if the source has changed meanwhile.
/// So the backup of the successor onto the store begins before the successor exists, and finishes when it is complete: no
/// other process can write in between. That requires a log. Without one, on file systems without shared memory, the lock that
/// admits readers is released before the exclusive one is taken; a commit in between is detected, and the store is then left
/// as it is.
package final class StoreHold: StoreHolding {
    private let store: URL
    private let successor: URL
    private let timeout: Double
    private let file: FileIdentity?
    private let source: SQLiteConnection
    private let destination: SQLiteConnection
    private var copy: PageCopy?
    private var withoutLog: WithoutLog?

    /// The state of a store that is held without a log.
    private struct WithoutLog {
        /// The connection that reads the file's header.
        let witness: SQLiteConnection
        let changes: ArraySlice<UInt8>?
    }

    /// A hook for tests: runs while a store without a log is not locked.
    package var beforeLocking: (() -> Void)?

    private static let held = Locked<[FileIdentity: Int]>([:])

    /// Returns true if this process holds the store, and so must not lock it in another way.
    static func isHeld(_ store: URL) -> Bool {
        held.withLock { held in !held.isEmpty && FileIdentity(store.path).map { held[$0] != nil } ?? false }
    }

    /// Waits for the store and holds it until the object is deallocated.
    ///
    /// - Parameters:
    ///   - successor: the place of the successor. A database without tables is created there; the caller may create a store
    ///     in it or copy one over it, but must not replace the file.
    ///   - usesLog: false to test the case of a store without a log.
    /// - Throws: `NSPersistentStoreTimeoutError` if others use the store for longer than the timeout; an SQLite error.
    package init(_ store: URL, successor: URL, timeout: Double, usesLog: Bool = true) throws {
        (self.store, self.successor, self.timeout) = (store, successor, timeout)
        destination = try SQLiteConnection(path: store.path, access: .readWrite, busyTimeout: timeout)
        source = try SQLiteConnection(path: successor.path, access: .create, busyTimeout: timeout)
        file = FileIdentity(store.path)
        for pragma in ["page_size", "auto_vacuum"] {
            try source.execute("PRAGMA \(pragma) = \(destination.integer("PRAGMA \(pragma)"))")
        }
        try source.execute("CREATE TABLE HOLD (A)")
        // A store without a log is not given one, which would remain if there is no successor in the end.
        if usesLog, try destination.text("PRAGMA journal_mode")?.lowercased() == "wal" {
            try ConnectionSettings().configure(destination, writing: true)
            let copy = try PageCopy(from: source, to: destination)
            try copy.lock()
            self.copy = copy
        } else {
            let witness = try SQLiteConnection(path: store.path, access: .readOnly, busyTimeout: timeout)
            try destination.execute("BEGIN IMMEDIATE")
            withoutLog = WithoutLog(witness: witness, changes: witness.changeCounter)
        }
        try source.execute("DROP TABLE HOLD")
        if let file { Self.held.withLock { $0[file, default: 0] += 1 } }
    }

    deinit {
        guard let file else { return }
        Self.held.withLock { held in held[file] = held[file].flatMap { $0 > 1 ? $0 - 1 : nil } }
    }

    /// Replaces the store with the successor, which must no longer change. Crash-safe: the store has its former content or
    /// the successor's.
    ///
    /// - Throws: `NSPersistentStoreTimeoutError` if there is no log and another process has written in between; an error of
    ///   SQLite or the file system. The store is unchanged then.
    package func replaceStore() throws {
        try SQLiteFiles.copyExternalFiles(of: successor, source, to: store, timeout: timeout) {
            try (copy ?? copyWithoutLog()).complete()
        }
        copy = nil
    }

    private func copyWithoutLog() throws -> PageCopy {
        try destination.execute("ROLLBACK")
        beforeLocking?()
        let copy = try PageCopy(from: source, to: destination)
        try copy.lock()
        guard let withoutLog, let changes = withoutLog.changes, withoutLog.witness.changeCounter == changes else {
            throw SQLiteFailure.storeError(
                NSPersistentStoreTimeoutError, path: store.path,
                description: "The store could not be replaced by its successor.",
                reason: "Another process has written to it meanwhile; the store is as that process left it.",
                advice: "Try again, best while no other process uses the store.")
        }
        return copy
    }
}

extension SQLiteConnection {
    /// The header field that each transaction on a database without a log changes.
    fileprivate var changeCounter: ArraySlice<UInt8>? { fileHeader()?[24..<28] }
}
