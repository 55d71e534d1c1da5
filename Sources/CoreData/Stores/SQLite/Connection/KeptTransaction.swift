import CSQLite

/// A read transaction that is kept from one read to the next; see ``ReadSpan``.
struct KeptTransaction {
    /// SQLite's index of the write-ahead log, in memory that all connections to the file share: it begins with what every
    /// commit changes. Its form is part of SQLite's documented file formats.
    private let index: UnsafeRawPointer
    private let state: State

    private typealias State = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    /// Notes the state of the file. The transaction must begin after that.
    ///
    /// - Returns: nil when there is no way to notice commits.
    init?(_ handle: OpaquePointer) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard let file, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
            let map = methods.pointee.xShmMap
        else { return nil }
        var region: UnsafeMutableRawPointer?
        guard map(file, 0, Self.regionSize, 0, &region) == SQLITE_OK, let region else { return nil }
        index = UnsafeRawPointer(region)
        state = Self.state(index)
    }

    static let regionSize: Int32 = 32_768

    /// Whether nothing has been committed since.
    var isCurrent: Bool { Self.state(index) == state }

    @inline(__always)
    private static func state(_ index: UnsafeRawPointer) -> State {
        func word(_ number: Int) -> UInt64 { index.load(fromByteOffset: number * 8, as: UInt64.self) }
        return (word(0), word(1), word(2), word(3), word(4), word(5))
    }
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
