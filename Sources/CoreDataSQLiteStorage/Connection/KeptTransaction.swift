import CCoreDataSQLite
import Synchronization

/// A read transaction that stays open across the reads of faults; see ``SQLiteSession``.
///
/// A commit of this process ends it, as does a fetch or a refresh, which must see what other processes have committed. It
/// also ends with the unit of work, and before this process writes, so that it does not block checkpoints of the log.
struct KeptTransaction {
    /// The moment of the session that it belongs to; see ``SQLiteSession``. 0 for a snapshot's.
    let moment: UInt64
    /// The number of this process's commits to the file before it began.
    let commits: Int
    /// The state of the file that it shows.
    let state: ReadState
}

/// A state of the file as one connection sees it: equal states have the same rows.
struct ReadState: Equatable {
    /// The connection's serial number. Data versions of different connections cannot be compared.
    fileprivate let connection: Int
    fileprivate let version: Int64
}

extension SQLiteConnection {
    private static let lastSerial = Atomic<Int>(0)

    /// Returns a number that is unique among the connections of the process.
    static func nextSerial() -> Int { lastSerial.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Ensures that the connection is in a transaction that shows the file as it is now, or as at an earlier read of the same
    /// moment, provided that this process has not committed since.
    func keepTransaction(_ moment: UInt64) throws {
        if let kept {
            if kept.moment == moment, kept.commits == commits.value, isInTransaction { return }
            endKeptTransaction()
        }
        guard !isInTransaction, try isInLogMode() else { return }
        try beginKept(moment)
    }

    /// Begins a transaction that shows the current state of the file until ``endKeptTransaction()``; returns false for a file
    /// in rollback mode.
    func keepSnapshot() throws -> Bool {
        endKeptTransaction()
        if !hasLog { hasLog = try text("PRAGMA journal_mode")?.lowercased() == "wal" }
        guard hasLog, !isInTransaction else { return false }
        try beginKept(0)
        return true
    }

    private func beginKept(_ moment: UInt64) throws {
        let count = commits.value
        try statement(.beginRead).run()
        do {
            // The first read chooses the state, not BEGIN.
            kept = KeptTransaction(moment: moment, commits: count, state: try presentState())
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }

    func endKeptTransaction() {
        guard kept != nil else { return }
        kept = nil
        guard isInTransaction else { return }
        do {
            try statement(.commit).run()
        } catch {
            try? execute("ROLLBACK")
        }
    }

    /// Returns the state of the file that a read which begins now sees at the earliest; another connection may commit before
    /// it begins. Returns nil if the state is unknown, or if an open transaction shows an older one.
    func stateForReading() throws -> ReadState? {
        if let kept { return kept.state }
        guard !isInTransaction, try isInLogMode() else { return nil }
        return try presentState()
    }

    private func presentState() throws -> ReadState {
        let statement = try statement(.dataVersion)
        defer { statement.reset() }
        // The pragma always returns one row.
        return ReadState(connection: serial, version: try statement.step() ? statement.integer(0) : 0)
    }

    /// Returns true if the file has a write-ahead log. A file that has one keeps it while connections are open.
    private func isInLogMode() throws -> Bool {
        if hasLog { return true }
        // A new file gets its log with the first change.
        looksForLog += 1
        guard looksForLog & 63 == 1 else { return false }
        hasLog = try text("PRAGMA journal_mode")?.lowercased() == "wal"
        return hasLog
    }
}

extension SQLText {
    static let beginRead = SQLText("BEGIN DEFERRED")
    /// Reads the data version, which changes whenever another connection of any process commits. Begins a read transaction.
    static let dataVersion = SQLText("PRAGMA data_version")
}
