import CCoreDataSQLite

/// A read transaction that is kept from one read to the next; see ``ReadSpan``.
struct KeptTransaction {
    private let index: UnsafeRawPointer
    /// The state of the file, or an earlier one.
    let state: LogState

    /// Notes the state of the file. The transaction must begin after that.
    ///
    /// - Returns: nil when there is no way to notice commits.
    init?(_ handle: OpaquePointer) {
        guard let index = LogState.index(handle) else { return nil }
        self.index = index
        state = LogState(index)
    }

    /// Whether nothing has been committed since.
    var isCurrent: Bool { LogState(index) == state }
}

extension SQLiteConnection {
    /// Sees to it that the connection is in a transaction that shows the file as it is now, if it can be told when that ends.
    func keepTransaction() throws {
        if let kept {
            if kept.isCurrent, isInTransaction { return }
            endKeptTransaction()
        }
        guard try isInLogMode(), let begun = KeptTransaction(handle) else { return }
        try statement(.beginRead).run()
        kept = begun
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
    func stateForReading() throws -> LogState? {
        if let kept { return kept.state }
        guard !isInTransaction, try isInLogMode() else { return nil }
        return LogState.index(handle).map { LogState($0) }
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
}
