import CoreDataFileStorage
import CoreDataRowStorage
import CoreDataRuntimeSupport
import CoreDataStoreFiles
import Foundation

/// The sole right to write to an SQLite store while its successor is made beside it, up to and including the moment in which
/// the successor takes its place. Other processes may read the store meanwhile; those that write wait for as long as they
/// usually do, and get SQLite's "busy".
///
/// SQLite locks the destination of a backup from the first page to the last, and begins again when the source has changed
/// meanwhile. So the copying of the successor over the store begins before there is a successor, and goes on when it is
/// complete: no moment is left to others. That takes a log. Without one, where a file system has no shared memory, the lock
/// that lets others read has to be given up before the one that does not is taken; a commit in between is noticed, and the
/// store then stays as it is.
package final class StoreHold: StoreHolding {
    private let store: URL
    private let successor: URL
    private let timeout: Double
    private let file: FileIdentity?
    private let source: SQLiteConnection
    private let destination: SQLiteConnection
    private var copy: PageCopy?
    private var withoutLog: WithoutLog?

    /// What is known of a store that is held without a log.
    private struct WithoutLog {
        /// Reads the file's header.
        let witness: SQLiteConnection
        let changes: ArraySlice<UInt8>?
    }

    /// For tests: runs in the moment in which a store without a log is not locked.
    package var beforeLocking: (() -> Void)?

    private static let held = Locked<[FileIdentity: Int]>([:])

    /// Whether this process holds a store, which it may then not lock otherwise.
    static func isHeld(_ store: URL) -> Bool {
        held.withLock { held in !held.isEmpty && FileIdentity(store.path).map { held[$0] != nil } ?? false }
    }

    /// Waits for the store and holds it until the object is gone.
    ///
    /// - Parameters:
    ///   - successor: where the successor is to be made. A database without tables is there afterwards; a store may be created
    ///     in it or copied over it, but the file has to stay.
    ///   - usesLog: false for tests of what is done where there can be no log.
    /// - Throws: `NSPersistentStoreTimeoutError` when others use the store for longer than the timeout; an SQLite error.
    package init(_ store: URL, successor: URL, timeout: Double, usesLog: Bool = true) throws {
        (self.store, self.successor, self.timeout) = (store, successor, timeout)
        destination = try SQLiteConnection(path: store.path, access: .readWrite, busyTimeout: timeout)
        source = try SQLiteConnection(path: successor.path, access: .create, busyTimeout: timeout)
        file = FileIdentity(store.path)
        for pragma in ["page_size", "auto_vacuum"] {
            try source.execute("PRAGMA \(pragma) = \(destination.integer("PRAGMA \(pragma)"))")
        }
        try source.execute("CREATE TABLE HOLD (A)")
        // A store without a log is not given one, which would stay where there is no successor in the end.
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

    /// Puts the successor, which no longer changes, in the store's place. Killed at any instant, the store is what it was or
    /// the successor.
    ///
    /// - Throws: `NSPersistentStoreTimeoutError` where there is no log, and another process has written in between; an error
    ///   of SQLite or the file system. The store is as it was then.
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
    /// What each transaction that changes a database without a log changes in its header.
    fileprivate var changeCounter: ArraySlice<UInt8>? { fileHeader()?[24..<28] }
}
