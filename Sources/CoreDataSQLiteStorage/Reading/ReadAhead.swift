import CoreDataRowStorage
import CoreDataRuntimeSupport
import Dispatch

/// Notices where a to-many relationship is read of one object after the other, and has what is left read at once.
///
/// Finding rows by their owner takes two searches each; going through the whole table takes none, see ``ToManyScan``. So
/// once a good part of a table has been read by its owners, in a loop that does little else, the rest is read in one go and
/// kept for the reads to come on the same connection. That is used only while the file is in the state it was read in, which any
/// commit ends, whoever makes it: reads see exactly what they would see otherwise. Some seconds later it is let go of, or once
/// all of it has been asked for.
final class ReadAhead: Sendable {
    private let tally = Locked(Tally())

    /// What was read ahead.
    private final class Kept: Sendable {
        let rows: RowsByOwner
        /// The owners whose rows are not among them.
        let leftOut: KeyPositions?
        /// The file's state in which they were read.
        let state: ReadState

        init(_ rows: RowsByOwner, _ decision: Decision) {
            self.rows = rows
            leftOut = decision.leftOut
            state = decision.state
        }
    }

    private struct Tally {
        enum Phase { case counting, reading, kept, off }

        var phase = Phase.counting
        var kept: Kept?
        /// How many of the kept rows have not been asked for yet.
        var unread = 0
        /// While counting: the rows read by their owners, and these owners.
        var count = 0
        var owners: ContiguousArray<Int64> = []
        /// When the first of these reads began, and how long all took: nanoseconds.
        var beginning: UInt64 = 0
        var duration: UInt64 = 0
        /// How many rows it takes for the next look at whether reading ahead pays.
        var nextLook = ReadAhead.firstLook
        /// By how much the first look is later than usual, after a table has turned out too large.
        var patience = 1
        /// The file's state at the first look.
        var state: ReadState?
        /// The table divided by this must have been read by its owners. Less after reading ahead in vain.
        var share = ReadAhead.firstShare

        mutating func startCounting() {
            phase = .counting
            count = 0
            owners = []
            duration = 0
            nextLook = ReadAhead.firstLook
            state = nil
        }

        /// Counts anew, for longer than before.
        mutating func putOff() {
            startCounting()
            patience = min(patience * 2, 1 << 20)
            nextLook *= patience
        }

        /// Gives what was read ahead to the caller, to be let go of without the lock.
        mutating func drop() -> Kept? {
            guard let kept else { return nil }
            share = unread > kept.rows.count / 2 ? max(1, share / 2) : ReadAhead.firstShare
            self.kept = nil
            startCounting()
            return kept
        }
    }

    private static let firstLook = 500
    private static let secondLook = 1_000
    private static let firstShare = 8
    /// In a loop that reads and does little else, reading takes at least this part of the time, as a divisor. Where people
    /// scroll through a list it is far less, and no step should take much longer than the others.
    private static let readingShare: UInt64 = 20
    /// For how many seconds what was read ahead is kept.
    private static let lifetime = 5.0
    /// So many bytes of rows and text at most are read ahead.
    static let mostBytes = 1 << 25

    // MARK: Using

    /// An owner's rows, if they were read ahead and still hold.
    func rows(of owner: Int64, on connection: SQLiteConnection) throws -> RowsByOwner.OwnerRows? {
        guard let kept = tally.withLock({ $0.kept }) else { return nil }
        guard let state = try connection.stateForReading() else { return nil }
        guard kept.state == state else {
            drop(kept)
            return nil
        }
        guard kept.rows.takes(owner), kept.leftOut?.position(of: owner) == nil else { return nil }
        let rows = kept.rows.rows(of: owner)
        let isRead = tally.withLock { tally in
            guard tally.kept === kept else { return false }
            tally.unread -= rows.count
            return tally.unread <= 0
        }
        if isRead { drop(kept) }
        return rows
    }

    private func drop(_ kept: Kept) {
        let dropped = tally.withLock { $0.kept === kept ? $0.drop() : nil }
        withExtendedLifetime(dropped) {}
    }

    // MARK: Deciding

    /// Now, for ``notes(_:of:since:)``.
    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Notes that an owner's rows were read by themselves; true when it is time to look whether the rest should be read.
    func notes(_ count: Int, of owner: Int64, since start: UInt64) -> Bool {
        let duration = Self.now &- start
        return tally.withLock { tally in
            guard tally.phase == .counting, count > 0 || !tally.owners.isEmpty else { return false }
            if tally.owners.isEmpty { tally.beginning = start }
            tally.duration += duration
            guard count > 0 else { return false }
            tally.count += count
            tally.owners.append(owner)
            return tally.count >= tally.nextLook
        }
    }

    struct Decision {
        /// The file's state.
        var state: ReadState
        /// The owners whose rows have been read.
        var leftOut: KeyPositions?
        /// How many rows an owner has, about.
        var rowsOfOwner: Int
    }

    /// What to read ahead; nil if it does not pay, or not yet. To be followed by ``keep(_:_:)``.
    ///
    /// - Parameter rowBytes: how much memory a row takes, text aside.
    func decision(_ scan: ToManyScan, rowBytes: Int, on connection: SQLiteConnection) throws -> Decision? {
        let state = try connection.stateForReading()
        let isSecond = tally.withLock { tally in
            guard tally.phase == .counting else { return false }
            // What is read while others commit would be read in vain.
            guard let state, tally.state == nil || tally.state == state else {
                tally.startCounting()
                return false
            }
            if tally.state != nil { return true }
            tally.state = state
            tally.nextLook = tally.count * 2 + Self.secondLook
            return false
        }
        guard isSecond, let state else { return nil }
        let largest = try scan.largestKey(on: connection)
        return tally.withLock { tally in
            guard tally.phase == .counting, !tally.owners.isEmpty else { return nil }
            guard tally.duration * Self.readingShare >= Self.now &- tally.beginning else {
                tally.startCounting()
                return nil
            }
            guard largest <= Self.mostBytes / max(rowBytes, 1) else {
                tally.putOff()
                return nil
            }
            let needed = largest / tally.share
            guard tally.count >= needed else {
                tally.nextLook = needed
                return nil
            }
            defer {
                tally.startCounting()
                tally.phase = .reading
            }
            return Decision(
                state: state, leftOut: KeyPositions(tally.owners), rowsOfOwner: tally.count / tally.owners.count)
        }
    }

    /// Keeps what was read ahead for those who ask for it; nil when it could not be read.
    func keep(_ rows: RowsByOwner?, _ decision: Decision) {
        let kept = rows.map { Kept($0, decision) }
        tally.withLock { tally in
            guard tally.phase == .reading else { return }
            guard let kept else { return tally.putOff() }
            tally.phase = .kept
            tally.kept = kept
            tally.unread = kept.rows.count
            tally.patience = 1
        }
        guard let kept else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.lifetime) { [weak self, weak kept] in
            if let self, let kept { self.drop(kept) }
        }
    }

    /// Lets go of everything, for good: connections are about to be closed, after which states may come again.
    func end() {
        let dropped = tally.withLock { tally in
            defer {
                tally.startCounting()
                tally.phase = .off
            }
            return tally.drop()
        }
        withExtendedLifetime(dropped) {}
    }
}

extension SQLiteEngine {
    /// Notes that an owner's rows were read, and reads what is left of their table if that pays.
    func noteRead(
        _ count: Int, of owner: Int64, since start: UInt64, _ read: ToManyRead, _ connection: SQLiteConnection
    ) {
        // Who looks at an earlier state of the file counts for nothing.
        guard let ahead = read.ahead, connection.kept != nil || !connection.isInTransaction,
            ahead.notes(count, of: owner, since: start), let scan = read.scan
        else { return }
        // What was asked for has been read. Should this fail, reading what it would have read fails as well.
        guard let decision = try? ahead.decision(scan, rowBytes: read.plan.rowBytes, on: connection) else { return }
        ahead.keep(try? readAhead(read, scan, decision, connection), decision)
    }

    /// nil if that takes too much memory.
    private func readAhead(
        _ read: ToManyRead, _ scan: ToManyScan, _ decision: ReadAhead.Decision, _ connection: SQLiteConnection
    ) throws -> RowsByOwner? {
        guard let owners = try scan.owners(on: connection) else { return nil }
        return try readTable(
            read, scan, of: owners, usual: decision.rowsOfOwner, mostBytes: ReadAhead.mostBytes, connection
        ) { decision.leftOut?.position(of: $0) == nil }
    }

    /// Goes through a whole table and keeps the rows of some owners.
    ///
    /// - Parameters:
    ///   - owners: the least and the greatest owner's key; rows of others are passed over.
    ///   - usual: how many rows an owner has, about.
    ///   - isWanted: whether an owner's rows shall be kept.
    /// - Returns: nil when that takes more than `mostBytes`, or the owners' keys lie too far apart.
    @inline(__always)
    func readTable(
        _ read: ToManyRead, _ scan: ToManyScan, of owners: ClosedRange<Int64>, usual: Int, mostBytes: Int,
        _ connection: SQLiteConnection, isWanted: (Int64) -> Bool
    ) throws -> RowsByOwner? {
        let heapBytes = max(read.plan.heapBytes, read.one?.plan.heapBytes ?? 0)
        guard let rows = RowsByOwner(plan: read.plan, owners: owners, usual: usual, heapBytes: heapBytes) else {
            return nil
        }
        let statement = try connection.statement(scan.rows)
        defer { statement.reset() }
        let only = read.plan.only.map(Unmanaged.passUnretained)
        var values = RowValues(of: statement.pointer)
        while try statement.step() {
            values.advance()
            let owner = values.integer(read.ownerColumn)
            // Rows may have been added since the owners were asked for.
            guard rows.takes(owner), isWanted(owner), let decoder = only ?? read.plan.decoder(for: values) else {
                continue
            }
            do {
                try rows.add(values, decoder, owner: owner)
            } catch let failure as UnreadableRow {
                throw unreadable(failure, read.plan, decoder, key: values.integer(RowPlan.keyColumn))
            }
            guard rows.bytes <= mostBytes else { return nil }
        }
        rows.finish()
        return rows
    }
}
