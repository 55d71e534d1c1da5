import CSQLite
import Foundation

/// Deletes files of external values that no committed row names any more, once no reader can still be at a row that does.
///
/// A commit that replaces or deletes a value leaves its file in place: other threads, pinned query generations and other
/// processes may be reading an older snapshot, whose rows name it. A full checkpoint (`SQLITE_CHECKPOINT_FULL`) succeeds only
/// while every reader of the file, in whatever process, reads the newest snapshot; after one, files that had become obsolete
/// before it are safe to delete. Checkpoints are tried in the background, and again later while there are older readers.
///
/// Files can also be left by processes that were killed: written before a commit that never came, or obsolete and not
/// collected yet. They are found when a store is opened for writing, by comparing the folder with all rows.
final class ExternalFileCollector: Sendable {
    /// A file whose name no committed row has any more.
    private struct Obsolete {
        let name: String
        /// Tells the file from one of the same name that a copy of a store has put in its place.
        let identity: FileIdentity
    }

    private struct State {
        var obsolete: [Obsolete] = []
        var isScheduled = false
        var isClosed = false
        /// Seconds until the next attempt.
        var backOff = ExternalFileCollector.firstDelay
    }

    private let files: ExternalFiles
    private let pool: ConnectionPool
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "CoreData.ExternalFileCollector", qos: .utility)

    /// The search for files that no row names.
    private let search = DispatchGroup()

    /// Seconds that closing waits for that search.
    private static let longestWait = 2.0
    private static let firstDelay = 0.05
    private static let longestDelay = 30.0

    init(_ files: ExternalFiles, _ pool: ConnectionPool) {
        self.files = files
        self.pool = pool
    }

    // MARK: Obsolete files

    /// Deletes the files later. The transaction that made them obsolete must have been committed.
    func collect(_ names: some Sequence<String>) {
        let obsolete = names.compactMap { name in
            FileIdentity(files.url(of: name).path).map { Obsolete(name: name, identity: $0) }
        }
        let wait: Double? = state.withLock { state in
            state.obsolete += obsolete
            return Self.schedule(&state)
        }
        if let wait { attempt(after: wait) }
    }

    /// The seconds to wait before an attempt that is not on its way yet; nil if none is needed.
    private static func schedule(_ state: inout State) -> Double? {
        guard !state.obsolete.isEmpty, !state.isScheduled, !state.isClosed else { return nil }
        state.isScheduled = true
        return state.backOff
    }

    private func attempt(after seconds: Double) {
        queue.asyncAfter(deadline: .now() + seconds) { [self] in
            state.withLock { $0.isScheduled = false }
            let succeeded = collectNow()
            let wait: Double? = state.withLock { state in
                state.backOff = succeeded ? Self.firstDelay : min(state.backOff * 2, Self.longestDelay)
                return Self.schedule(&state)
            }
            if let wait { attempt(after: wait) }
        }
    }

    /// Deletes what is obsolete now, unless there are readers of older snapshots.
    private func collectNow() -> Bool {
        let obsolete = state.withLock(\.obsolete)
        guard !obsolete.isEmpty else { return true }
        // A database that is gone or cannot be read leaves them to whoever opens it next.
        guard (try? everyReaderIsCurrent()) == true else { return false }
        let succeeded: Void? = FolderLock.exclusive(files.folder) { _ in
            files.remove(obsolete.filter { FileIdentity(files.url(of: $0.name).path) == $0.identity }.map(\.name))
        }
        guard succeeded != nil || !StoreFiles.exists(files.folder) else { return false }
        state.withLock { $0.obsolete.removeFirst(obsolete.count) }
        return true
    }

    /// Whether every open read transaction on the file, of this and other processes, shows the newest commit.
    private func everyReaderIsCurrent() throws -> Bool {
        let connection = try pool.makeReader()
        try connection.setBusyTimeout(0.02)
        return try connection.checkpointFully()
    }

    /// Deletes what can be deleted now. What is still in use elsewhere is left to whoever opens the store next.
    func close() {
        _ = search.wait(timeout: .now() + Self.longestWait)
        state.withLock { $0.isClosed = true }
        queue.sync { _ = collectNow() }
    }

    // MARK: Orphans

    /// Looks in the background for files that no row names, and deletes them.
    func collectOrphans() {
        guard !pool.settings.isReadOnly, StoreFiles.exists(files.folder) else { return }
        queue.async(group: search) { [self] in try? deleteOrphans() }
    }

    private func deleteOrphans() throws {
        let connection = try pool.makeReader()
        var candidates = Set(files.names())
        guard !candidates.isEmpty else { return }
        candidates.subtract(try SQLiteFiles.externalFiles(connection, while: isOpen))
        guard !candidates.isEmpty, !files.areShared else { return }
        try FolderLock.exclusive(files.folder) { _ in collect(try orphans(among: candidates, connection)) }
    }

    private func orphans(among candidates: Set<String>, _ connection: SQLiteConnection) throws -> Set<String> {
        // Other writers may have made files for commits since, or be about to: without one, what is there and has no name
        // in any row has been left behind.
        try connection.execute("BEGIN IMMEDIATE")
        do {
            let orphans = candidates.intersection(files.names()).subtracting(
                try SQLiteFiles.externalFiles(connection, while: isOpen))
            try connection.execute("COMMIT")
            return orphans
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    private func isOpen() -> Bool { !state.withLock(\.isClosed) }
}
