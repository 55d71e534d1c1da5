import CoreDataFileStorage
import CoreDataRowStorage
import CCoreDataSQLite
import CoreDataRuntimeSupport
import CoreDataStoreFiles
import Foundation

/// Deletes external files that no committed row refers to, once no reader can see a row that does.
///
/// A commit that replaces or deletes a value leaves its file in place: other threads, pinned query generations and other
/// processes may be reading an older snapshot with rows that refer to it. A full checkpoint (`SQLITE_CHECKPOINT_FULL`)
/// succeeds only while every reader of the file, in any process, reads the newest snapshot; files that were obsolete before
/// it have no readers left. Rows that were read earlier may still be in this process's memory with unread values: the files
/// they refer to are kept as long as these rows are, see ``NamedFiles``.
///
/// Checkpoints are tried in the background, and retried while there are older readers. A writer that saves continuously
/// leaves them no time, so it runs the checkpoint itself, between two transactions, once obsolete files take much space.
///
/// Processes that were killed can leave files, too; see ``collectOrphans()``.
package final class ExternalFileCollector: Sendable {
    /// A file that no committed row refers to any more.
    private struct Obsolete {
        let name: String
        /// The file's identity, to distinguish it from a file of the same name that a copied store put in its place.
        let identity: FileIdentity
        let size: Int64
    }

    private struct State {
        var obsolete: [Obsolete] = []
        /// Files without readers that rows in memory still refer to.
        var held: [Obsolete] = []
        var size: Int64 = 0
        var isScheduled = false
        var isCollecting = false
        var isClosed = false
        /// The seconds until the next attempt in the background.
        var backOff = ExternalFileCollector.firstDelay
        /// The earliest time of the writer's next attempt.
        var nextByWriter = DispatchTime(uptimeNanoseconds: 0)
    }

    private let files: ExternalFiles
    private let pool: ConnectionPool
    /// The clock that determines the age of orphans.
    private let now: @Sendable () -> Date
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "CoreData.ExternalFileCollector", qos: .utility)

    /// The running search for orphans.
    private let search = DispatchGroup()

    /// The maximum number of seconds that closing waits for that search.
    private static let longestWait = 2.0
    private static let firstDelay = 0.05
    private static let longestDelay = 30.0
    /// The size of obsolete files, in bytes, above which the writer runs the checkpoint.
    package static let sizeForWriter: Int64 = 16 << 20
    /// The seconds until the writer's next attempt, while there are readers of older snapshots.
    private static let delayByWriter = 0.5
    /// The seconds that a checkpoint waits for such readers. Writers of all processes wait, too.
    private static let patience = 0.02
    /// The age, in seconds, at which an orphan is deleted: a week.
    static let orphanAge: Double = 7 * 24 * 60 * 60

    package init(_ files: ExternalFiles, _ pool: ConnectionPool, now: @escaping @Sendable () -> Date = { Date() }) {
        self.files = files
        self.pool = pool
        self.now = now
    }

    // MARK: Obsolete files

    /// Deletes the files later, or immediately if they take much space. The transaction that made them obsolete must have
    /// been committed.
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

    /// Marks an attempt as scheduled and returns the seconds until it; nil if none is needed or one is already scheduled.
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

    /// Collects on the writer: while this thread holds it, no other thread of this process begins a write.
    private func collectAsWriter() {
        var hasFailed = false
        pool.writeIfOpen { connection in
            guard !connection.isInTransaction, (try? connection.setBusyTimeout(Self.patience)) != nil else { return }
            defer { try? connection.setBusyTimeout(pool.settings.busyTimeout) }
            // Earlier reads of this process may have left transactions open.
            pool.endKeptTransactions()
            hasFailed = collectNow { try connection.checkpointFully() } == false
        }
        guard hasFailed else { return }
        state.withLock { $0.nextByWriter = .now() + Self.delayByWriter }
    }

    /// Deletes the files that are obsolete now, except those that rows in memory refer to. Does nothing while there are
    /// readers of older snapshots.
    ///
    /// - Parameter checkpoint: returns true if every open read transaction on the file, in any process, reads the newest
    ///   commit.
    /// - Returns: whether the files were deleted; nil if another thread is collecting.
    private func collectNow(_ checkpoint: () throws -> Bool) -> Bool? {
        let begun: (obsolete: [Obsolete], held: [Obsolete], isClosed: Bool)? = state.withLock { state in
            if state.isCollecting { return nil }
            state.isCollecting = true
            return (state.obsolete, state.held, state.isClosed)
        }
        guard let (obsolete, held, isClosed) = begun else { return nil }
        defer { state.withLock { $0.isCollecting = false } }
        if obsolete.isEmpty, held.isEmpty { return true }
        // If the database is missing or unreadable, the files remain until a process opens the store again.
        if !obsolete.isEmpty { guard (try? checkpoint()) == true else { return false } }
        let unread = obsolete + held
        // Rows of a closed store cannot read their values any more, so they keep no files.
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

    /// Deletes what can be deleted now. Files still in use elsewhere remain until the store is opened the next time.
    package func close() {
        _ = search.wait(timeout: .now() + Self.longestWait)
        state.withLock { $0.isClosed = true }
        queue.sync { _ = collectInBackground() }
    }

    // MARK: Orphans

    /// Searches in the background for files that no row refers to, and deletes those that are old enough.
    ///
    /// A killed process leaves files that were written before a commit that never happened, or that were obsolete and not yet
    /// collected. But a file without a row may also belong to a row in a log that is missing, as after copying a database
    /// without its log or before it. So files are kept for ``orphanAge``, and until something has been committed after they
    /// were created.
    package func collectOrphans() {
        guard !pool.settings.isReadOnly, StoreFiles.exists(files.folder), !files.isBehindLink else { return }
        queue.async(group: search) { [self] in try? deleteOrphans() }
    }

    private func deleteOrphans() throws {
        let connection = try pool.makeReader()
        let limit = now().timeIntervalSince1970 - Self.orphanAge
        var candidates = Set(files.names().filter { isOld($0, limit) })
        guard !candidates.isEmpty else { return }
        candidates.subtract(try ExternalFiles.named(in: connection, while: isOpen))
        guard !candidates.isEmpty, !files.areShared else { return }
        try FolderLock.exclusive(files.folder) { _ in collect(try orphans(among: candidates, connection)) }
    }

    private func orphans(among candidates: Set<String>, _ connection: SQLiteConnection) throws -> Set<String> {
        // Other writers may have created files for commits since, or be about to. While no other process writes, a file
        // without a row is an orphan.
        try connection.execute("BEGIN IMMEDIATE")
        do {
            let newest = lastCommit
            let orphans = candidates.intersection(files.names().filter { isOld($0, newest) }).subtracting(
                try ExternalFiles.named(in: connection, while: isOpen))
            try connection.execute("COMMIT")
            return orphans
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Returns true if a file was written, and arrived in its folder, before a time in seconds since 1970. Copying may
    /// preserve the modification time, but not that of the inode. Files behind a link are never old. Incomplete copies always
    /// are: no row ever refers to them.
    private func isOld(_ name: String, _ time: Double) -> Bool {
        if name.hasSuffix(ExternalFiles.partialSuffix) { return true }
        guard let times = StoreFiles.times(files.url(of: name).path) else { return false }
        return max(times.written, times.changed) < time
    }

    /// The time of the last commit in seconds since 1970, by the files' modification times. An empty log is ignored, because
    /// opening the database creates one.
    private var lastCommit: Double {
        let log = pool.path + "-wal"
        let paths = StoreFiles.size(log) > 0 ? [pool.path, log] : [pool.path]
        return paths.compactMap { StoreFiles.times($0)?.written }.max() ?? 0
    }

    private func isOpen() -> Bool { !state.withLock(\.isClosed) }
}
