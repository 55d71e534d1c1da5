import CCoreDataSQLite
import Synchronization

/// A read transaction that is kept from one read of objects to the next; see ``SQLiteSession``.
///
/// Commits of this process end it. So does whatever asks for the present state, a fetch or a refresh, so that what another process has
/// committed before that is seen from then on. It ends as well where a stretch of work does, and before this process writes, so
/// that it does not keep the log from being emptied.
struct KeptTransaction {
    /// The moment of a session that it belongs to; see ``SQLiteSession``. 0 for a snapshot's.
    let moment: UInt64
    /// What this process had committed to the file before it began.
    let commits: Int
    /// The state of the file it shows.
    let state: ReadState
}

/// A state of the file as one connection finds it: equal states have the same rows.
struct ReadState: Equatable {
    /// Connections number the states of a file each in its own way.
    fileprivate let connection: Int
    fileprivate let version: Int64
}

extension SQLiteConnection {
    private static let lastSerial = Atomic<Int>(0)

    /// A number that no other connection of the process has.
    static func nextSerial() -> Int { lastSerial.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Sees to it that the connection is in a transaction that shows the file as it is now, or as it was at an earlier read of the
    /// same moment and since the last commit of this process.
    func keepTransaction(_ moment: UInt64) throws {
        if let kept {
            if kept.moment == moment, kept.commits == commits.value, isInTransaction { return }
            endKeptTransaction()
        }
        guard !isInTransaction, try isInLogMode() else { return }
        try beginKept(moment)
    }

    /// Begins a transaction that shows the file as it is now until ``endKeptTransaction()``; false for a file in rollback mode.
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
            // The state is chosen by the first read, not by BEGIN.
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

    /// The state of the file for a read that begins now, or an earlier one, should somebody commit meanwhile. nil where that
    /// cannot be told, or where a transaction shows the file as it was.
    func stateForReading() throws -> ReadState? {
        if let kept { return kept.state }
        guard !isInTransaction, try isInLogMode() else { return nil }
        return try presentState()
    }

    private func presentState() throws -> ReadState {
        let statement = try statement(.dataVersion)
        defer { statement.reset() }
        // The pragma always has one row.
        return ReadState(connection: serial, version: try statement.step() ? statement.integer(0) : 0)
    }

    /// Whether the file has a write-ahead log. Files that have one keep it as long as connections are open.
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
    /// A number that moves whenever another connection, of any process, has committed. Reading it begins a read.
    static let dataVersion = SQLText("PRAGMA data_version")
}
