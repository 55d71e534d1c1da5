import CoreDataFileStorage
import CoreDataRowStorage
import CCoreDataSQLite
import CoreDataRuntimeSupport
import CoreDataStoreFiles
import Foundation

/// Deletes files of external values that no committed row names any more, once no reader can still be at a row that does.
///
/// A commit that replaces or deletes a value leaves its file in place: other threads, pinned query generations and other
/// processes may be reading an older snapshot, whose rows name it. A full checkpoint (`SQLITE_CHECKPOINT_FULL`) succeeds only
/// while every reader of the file, in whatever process, reads the newest snapshot; after one, files that had become obsolete
/// before it are found by no reader any more. Rows that were read earlier may still be in the memory of this process, with
/// values not read yet: files that they name are held back for as long as they are there, see ``NamedFiles``.
///
/// Checkpoints are tried in the background, and again later while there are older readers. A writer that saves without pause
/// leaves them no time: once obsolete files take much space, it makes the checkpoint itself, between two transactions.
///
/// Files can also be left by processes that were killed; see ``collectOrphans()``.
package final class ExternalFileCollector: Sendable {
    /// A file whose name no committed row has any more.
    private struct Obsolete {
        let name: String
        /// Tells the file from one of the same name that a copy of a store has put in its place.
        let identity: FileIdentity
        let size: Int64
    }

    private struct State {
        var obsolete: [Obsolete] = []
        /// Those that no reader can find any more, but rows in memory name.
        var held: [Obsolete] = []
        var size: Int64 = 0
        var isScheduled = false
        var isCollecting = false
        var isClosed = false
        /// Seconds until the next attempt in the background.
        var backOff = ExternalFileCollector.firstDelay
        /// When the thread that writes may try next.
        var nextByWriter = DispatchTime(uptimeNanoseconds: 0)
    }

    private let files: ExternalFiles
    private let pool: ConnectionPool
    /// The present, by which the age of orphans is told.
    private let now: @Sendable () -> Date
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "CoreData.ExternalFileCollector", qos: .utility)

    /// The search for files that no row names.
    private let search = DispatchGroup()

    /// Seconds that closing waits for that search.
    private static let longestWait = 2.0
    private static let firstDelay = 0.05
    private static let longestDelay = 30.0
    /// Bytes of obsolete files from which on the thread that writes makes the checkpoint.
    package static let sizeForWriter: Int64 = 16 << 20
    /// Seconds until that thread tries again, while there are readers of older snapshots.
    private static let delayByWriter = 0.5
    /// Seconds that a checkpoint waits for such readers. Writers of all processes wait along.
    private static let patience = 0.02
    /// Seconds for which a file that no row names is kept: a week.
    static let orphanAge: Double = 7 * 24 * 60 * 60

    package init(_ files: ExternalFiles, _ pool: ConnectionPool, now: @escaping @Sendable () -> Date = { Date() }) {
        self.files = files
        self.pool = pool
        self.now = now
    }

    // MARK: Obsolete files

    /// Deletes the files later, or at once if there is much to delete. The transaction that made them obsolete must have been
    /// committed.
    func collect(_ names: some Sequence<String>) {
        let obsolete = names.compactMap { name in
            let path = files.url(of: name).path
            return FileIdentity(path).map { Obsolete(name: name, identity: $0, size: StoreFiles.size(path)) }
        }
        let (wait, isMuch): (Double?, Bool) = state.withLock { state in
            state.obsolete += obsolete
            state.size += obsolete.reduce(0) { $0 + $1.size }
            return (Self.schedule(&state), state.size > Self.sizeForWriter && state.nextByWriter <= .now())
        }
        if isMuch { collectAsWriter() }
        if let wait { attempt(after: wait) }
    }

    /// The seconds to wait before an attempt that is not on its way yet; nil if none is needed.
    private static func schedule(_ state: inout State) -> Double? {
        guard !state.obsolete.isEmpty || !state.held.isEmpty, !state.isScheduled, !state.isClosed else { return nil }
        state.isScheduled = true
        return state.backOff
    }

    private func attempt(after seconds: Double) {
        queue.asyncAfter(deadline: .now() + seconds) { [self] in
            state.withLock { $0.isScheduled = false }
            let succeeded = collectInBackground()
            let wait: Double? = state.withLock { state in
                state.backOff =
                    succeeded && state.held.isEmpty ? Self.firstDelay : min(state.backOff * 2, Self.longestDelay)
                return Self.schedule(&state)
            }
            if let wait { attempt(after: wait) }
        }
    }

    private func collectInBackground() -> Bool {
        let succeeded = collectNow {
            let connection = try pool.makeReader()
            try connection.setBusyTimeout(Self.patience)
            return try connection.checkpointFully()
        }
        return succeeded == true
    }

    /// On the connection that writes: while this thread has it, no other of this process begins a transaction.
    private func collectAsWriter() {
        var hasFailed = false
        pool.writeIfOpen { connection in
            guard !connection.isInTransaction, (try? connection.setBusyTimeout(Self.patience)) != nil else { return }
            defer { try? connection.setBusyTimeout(pool.settings.busyTimeout) }
            // Reads of this process may have left some open.
            pool.endKeptTransactions()
            hasFailed = collectNow { try connection.checkpointFully() } == false
        }
        guard hasFailed else { return }
        state.withLock { $0.nextByWriter = .now() + Self.delayByWriter }
    }

    /// Deletes what is obsolete now, unless there are readers of older snapshots, but for files that rows in memory name.
    ///
    /// - Parameter checkpoint: whether every open read transaction on the file, of this and other processes, shows the newest
    ///   commit.
    /// - Returns: whether that could be done; nil when another thread is at it.
    private func collectNow(_ checkpoint: () throws -> Bool) -> Bool? {
        let begun: (obsolete: [Obsolete], held: [Obsolete], isClosed: Bool)? = state.withLock { state in
            if state.isCollecting { return nil }
            state.isCollecting = true
            return (state.obsolete, state.held, state.isClosed)
        }
        guard let (obsolete, held, isClosed) = begun else { return nil }
        defer { state.withLock { $0.isCollecting = false } }
        if obsolete.isEmpty, held.isEmpty { return true }
        // A database that is gone or cannot be read leaves them to whoever opens it next.
        if !obsolete.isEmpty { guard (try? checkpoint()) == true else { return false } }
        let unread = obsolete + held
        // The objects of a store that is closed have none any more.
        let named = NamedFiles.held(among: Set(unread.lazy.map(\.name)), except: isClosed ? files.values : nil)
        let succeeded: Void? = FolderLock.exclusive(files.folder) { _ in
            files.discard(
                unread.filter { !named.contains($0.name) && FileIdentity(files.url(of: $0.name).path) == $0.identity }
                    .map(\.name))
        }
        guard succeeded != nil || !StoreFiles.exists(files.folder) else { return false }
        state.withLock { state in
            state.obsolete.removeFirst(obsolete.count)
            state.held = unread.filter { named.contains($0.name) }
            state.size -= obsolete.reduce(0) { $0 + $1.size }
        }
        return true
    }

    /// Deletes what can be deleted now. What is still in use elsewhere is left to whoever opens the store next.
    package func close() {
        _ = search.wait(timeout: .now() + Self.longestWait)
        state.withLock { $0.isClosed = true }
        queue.sync { _ = collectInBackground() }
    }

    // MARK: Orphans

    /// Looks in the background for files that no row names, and deletes those that have long been left.
    ///
    /// Processes that are killed leave files: written before a commit that never came, or obsolete and not collected yet. But a
    /// file without a row may also have a row in a log that is not there, as beside a database that was copied without it, or
    /// before it. So files are kept for ``orphanAge``, and for as long as nothing has been committed since they were made.
    package func collectOrphans() {
        guard !pool.settings.isReadOnly, StoreFiles.exists(files.folder), !files.isBehindLink else { return }
        queue.async(group: search) { [self] in try? deleteOrphans() }
    }

    private func deleteOrphans() throws {
        let connection = try pool.makeReader()
        let limit = now().timeIntervalSince1970 - Self.orphanAge
        var candidates = Set(files.names().filter { isOld($0, limit) })
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
            let newest = lastCommit
            let orphans = candidates.intersection(files.names().filter { isOld($0, newest) }).subtracting(
                try SQLiteFiles.externalFiles(connection, while: isOpen))
            try connection.execute("COMMIT")
            return orphans
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Whether a file was made, and came to its place, before a time in seconds since 1970. Copying files may keep the time they
    /// were written, but not that of their inode. What is behind a link is never old. No row ever names an incomplete copy.
    private func isOld(_ name: String, _ time: Double) -> Bool {
        if name.hasSuffix(ExternalFiles.partialSuffix) { return true }
        guard let times = StoreFiles.times(files.url(of: name).path) else { return false }
        return max(times.written, times.changed) < time
    }

    /// When something was committed last, as far as the files tell, in seconds since 1970. A log without content was made by
    /// opening the database.
    private var lastCommit: Double {
        let log = pool.path + "-wal"
        let paths = StoreFiles.size(log) > 0 ? [pool.path, log] : [pool.path]
        return paths.compactMap { StoreFiles.times($0)?.written }.max() ?? 0
    }

    private func isOpen() -> Bool { !state.withLock(\.isClosed) }
}
