import Dispatch

/// Notices where a to-many relationship is read of one object after the other, and has what is left read at once.
///
/// Finding rows by their owner takes two searches each; going through the whole table takes none, see ``ToManyScan``. So
/// once a good part of a table has been read by its owners, in a loop that does little else, the rest is read in one go and
/// kept for the reads to come. That is used only while the file is in the state it was read in, which any commit ends, whoever makes it:
/// reads see exactly what they would see otherwise. It is let go of once it has all been asked for, or nobody has asked for
/// some time.
final class ReadAhead: Sendable {
    private let tally = Locked(Tally())

    private struct Tally {
        var ahead: RowsAhead?
        /// How many of these rows have not been asked for yet.
        var unread = 0
        var lastUse = 0.0
        /// Rows read by their owners, and these owners.
        var count = 0
        var owners: ContiguousArray<Int64> = []
        /// When the first of these reads began, and how long all took: nanoseconds.
        var beginning: UInt64 = 0
        var duration: UInt64 = 0
        /// How many rows it takes for the next look at whether reading ahead pays.
        var nextLook = ReadAhead.firstLook
        /// The file's state at the first look.
        var state: LogState?
        /// The table divided by this must have been read by its owners. Less after reading ahead in vain.
        var share = ReadAhead.firstShare

        mutating func forgetReads() {
            count = 0
            owners = []
            duration = 0
            nextLook = ReadAhead.firstLook
            state = nil
        }

        mutating func drop() {
            if unread > 0 { share = max(1, share / 2) } else { share = ReadAhead.firstShare }
            ahead = nil
            unread = 0
        }
    }

    private static let firstLook = 500
    private static let secondLook = 1_000
    private static let firstShare = 8
    /// In a loop that reads and does little else, reading takes at least this part of the time, as a divisor. Where people
    /// scroll through a list, it is far less: they would rather have each step take its time.
    private static let readingShare: UInt64 = 20
    /// For how many seconds what was read ahead waits for being asked for.
    private static let patience = 5.0
    /// So many bytes of rows and text at most are read ahead.
    private static let mostBytes = 1 << 25

    // MARK: Using

    /// An owner's rows, if they were read ahead and still hold.
    func rows(of owner: Int64, on connection: SQLiteConnection) throws -> RowsAhead.OwnerRows? {
        guard tally.withLock({ $0.ahead != nil }) else { return nil }
        let state = try connection.stateForReading()
        return tally.withLock { tally in
            guard let ahead = tally.ahead, let state else { return nil }
            guard ahead.state == state else {
                tally.drop()
                return nil
            }
            guard let rows = ahead.rows(of: owner) else { return nil }
            tally.lastUse = RowSlab.now
            tally.unread -= rows.count
            if tally.unread <= 0 { tally.drop() }
            return rows
        }
    }

    // MARK: Deciding

    /// Now, for ``notes(_:of:since:)``.
    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Notes that an owner's rows were read by themselves; true when it is time to look whether the rest should be read.
    func notes(_ count: Int, of owner: Int64, since start: UInt64) -> Bool {
        let duration = Self.now &- start
        return tally.withLock { tally in
            guard tally.nextLook < .max else { return false }
            if tally.owners.isEmpty { tally.beginning = start }
            tally.duration += duration
            tally.count += count
            tally.owners.append(owner)
            return tally.count >= tally.nextLook
        }
    }

    struct Decision {
        /// The file's state.
        var state: LogState
        /// The owners whose rows have been read.
        var leftOut: KeyPositions?
        /// How many rows an owner has, about.
        var rowsOfOwner: Int
    }

    /// What to read ahead; nil if it does not pay, or not yet.
    ///
    /// - Parameter rowBytes: how much memory a row takes, about.
    func decision(
        _ scan: ToManyScan, rowBytes: Int, on connection: SQLiteConnection
    ) throws -> Decision? {
        let state = try connection.stateForReading()
        let isFirst = tally.withLock { tally in
            // What is read while others commit would be read in vain.
            if let known = tally.state, known != state { tally.forgetReads() }
            guard tally.state == nil else { return false }
            tally.state = state
            tally.nextLook = tally.count * 2 + Self.secondLook
            return true
        }
        guard !isFirst, let state else { return nil }
        let largest = try scan.largestKey(on: connection)
        return tally.withLock { tally in
            guard tally.duration * Self.readingShare >= Self.now &- tally.beginning else {
                tally.forgetReads()
                return nil
            }
            guard largest * rowBytes <= Self.mostBytes else {
                tally.nextLook = .max
                return nil
            }
            let needed = largest / tally.share
            guard tally.count >= needed else {
                tally.nextLook = needed
                return nil
            }
            defer { tally.forgetReads() }
            return Decision(
                state: state, leftOut: KeyPositions(tally.owners), rowsOfOwner: tally.count / tally.owners.count)
        }
    }

    /// Keeps what was read ahead for those who ask for it.
    func keep(_ ahead: RowsAhead) {
        guard ahead.count > 0 else { return }
        tally.withLock { tally in
            tally.ahead = ahead
            tally.unread = ahead.count
            tally.lastUse = RowSlab.now
        }
        waitForUse()
    }

    private func waitForUse() {
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [weak self] in
            guard let self else { return }
            let isWaiting = self.tally.withLock { tally in
                guard tally.ahead != nil else { return false }
                guard RowSlab.now - tally.lastUse >= Self.patience else { return true }
                tally.drop()
                return false
            }
            if isWaiting { self.waitForUse() }
        }
    }
}

extension SQLiteEngine {
    /// Reads what is left of the table a relationship leads to, if that pays.
    func readAhead(_ read: ToManyRead, _ connection: SQLiteConnection) throws {
        guard let ahead = read.ahead, let scan = read.scan,
            let decision = try ahead.decision(
                scan, rowBytes: read.plan.rowBytes + read.plan.heapBytes, on: connection),
            let owners = try scan.owners(on: connection),
            let rows = RowsAhead(
                plan: read.plan, state: decision.state, owners: owners, leftOut: decision.leftOut,
                usual: decision.rowsOfOwner)
        else { return }
        let statement = try connection.statement(scan.rows)
        defer { statement.reset() }
        let only = read.plan.only.map(Unmanaged.passUnretained)
        var values = RowValues(of: statement.pointer)
        while try statement.step() {
            values.advance()
            let owner = values.integer(read.ownerColumn)
            guard rows.isWanted(owner), let decoder = only ?? read.plan.decoder(for: values) else { continue }
            try rows.add(values, decoder, owner: owner)
        }
        ahead.keep(rows)
    }
}
