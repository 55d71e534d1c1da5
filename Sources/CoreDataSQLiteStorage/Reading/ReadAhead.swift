import CoreDataRowStorage
import CoreDataRuntimeSupport
import Dispatch

/// Detects a loop that reads a to-many relationship of one object after the other, and reads the remaining rows at once.
///
/// Finding rows by their owner takes two b-tree searches each; a scan of the whole table takes none, see ``ToManyScan``. So
/// once a loop that does little else has read a good part of a table by owner, the rest is read in one scan and kept for
/// later reads. The rows are used only while the file is in the state in which they were read, which any commit by any
/// connection ends: reads see exactly what they would see otherwise. The rows are released after some seconds, or once all of
/// them have been read.
final class ReadAhead: Sendable {
    private let tally = Locked(Tally())

    /// The rows that were read ahead.
    private final class Kept: Sendable {
        let rows: RowsByOwner
        /// The owners without rows here, because theirs had already been read.
        let leftOut: KeyPositions?
        /// The state of the file in which the rows were read.
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
        /// The number of kept rows that have not been read yet.
        var unread = 0
        /// While counting: the number of rows read by their owners, and these owners.
        var count = 0
        var owners: ContiguousArray<Int64> = []
        /// When the first of these reads began, and the duration of all, in nanoseconds.
        var beginning: UInt64 = 0
        var duration: UInt64 = 0
        /// The row count at which to check the next time whether reading ahead pays.
        var nextLook = ReadAhead.firstLook
        /// The back-off factor of the first check, which grows when a table turns out too large.
        var patience = 1
        /// The state of the file at the first check.
        var state: ReadState?
        /// The divisor of the table's size that gives the number of rows to be read by owner first. Halved after a wasted
        /// prefetch.
        var share = ReadAhead.firstShare

        mutating func startCounting() {
            phase = .counting
            count = 0
            owners = []
            duration = 0
            nextLook = ReadAhead.firstLook
            state = nil
        }

        /// Starts counting again, with a longer interval until the first check.
        mutating func putOff() {
            startCounting()
            patience = min(patience * 2, 1 << 20)
            nextLook *= patience
        }

        /// Removes the kept rows and returns them, so that the caller can release them outside the lock.
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
    /// The minimum part of a loop's time that reading takes, as a divisor. Scrolling through a list spends far less of it on
    /// reading, and no single step of it should take much longer than the others.
    private static let readingShare: UInt64 = 20
    /// The lifetime of rows that were read ahead, in seconds.
    private static let lifetime = 5.0
    /// The maximum size of rows and text to read ahead, in bytes.
    static let mostBytes = 1 << 25

    // MARK: Reading

    /// Returns an owner's rows if they were read ahead and are still valid.
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

    /// The current time for ``notes(_:of:since:)``, in nanoseconds.
    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Counts the rows read for one owner; returns true when it is time to check whether to read the rest.
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
        /// The state of the file.
        var state: ReadState
        /// The owners that have already been read.
        var leftOut: KeyPositions?
        /// The estimated number of rows of an owner.
        var rowsOfOwner: Int
    }

    /// Returns what to read ahead; nil if it does not pay, or not yet. The caller must then call ``keep(_:_:)``.
    ///
    /// - Parameter rowBytes: the size of a row in memory, without text.
    func decision(_ scan: ToManyScan, rowBytes: Int, on connection: SQLiteConnection) throws -> Decision? {
        let state = try connection.stateForReading()
        let isSecond = tally.withLock { tally in
            guard tally.phase == .counting else { return false }
            // With commits in between, prefetched rows would be invalid before they are used.
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

    /// Keeps rows that were read ahead; nil if they could not be read.
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

    /// Releases all rows and stops reading ahead. Called before connections are closed, because state numbers may repeat
    /// after that.
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
    /// Counts a read of an owner's rows, and reads the rest of their table if that pays.
    func noteRead(
        _ count: Int, of owner: Int64, since start: UInt64, _ read: ToManyRead, _ connection: SQLiteConnection
    ) {
        // Reads of an earlier state of the file do not count.
        guard let ahead = read.ahead, connection.kept != nil || !connection.isInTransaction,
            ahead.notes(count, of: owner, since: start), let scan = read.scan
        else { return }
        // The requested rows have been read. If reading ahead fails, the later reads that need these rows fail, too.
        guard let decision = try? ahead.decision(scan, rowBytes: read.plan.rowBytes, on: connection) else { return }
        ahead.keep(try? readAhead(read, scan, decision, connection), decision)
    }

    /// Reads the rows of all owners that have not been read; returns nil if that takes too much memory.
    private func readAhead(
        _ read: ToManyRead, _ scan: ToManyScan, _ decision: ReadAhead.Decision, _ connection: SQLiteConnection
    ) throws -> RowsByOwner? {
        guard let owners = try scan.owners(on: connection) else { return nil }
        return try readTable(
            read, scan, of: owners, usual: decision.rowsOfOwner, mostBytes: ReadAhead.mostBytes, connection
        ) { decision.leftOut?.position(of: $0) == nil }
    }

    /// Scans a whole table and keeps the rows of some owners.
    ///
    /// - Parameters:
    ///   - owners: the smallest and the largest owner's key; rows of other owners are skipped.
    ///   - usual: the estimated number of rows of an owner.
    ///   - isWanted: returns true if an owner's rows are to be kept.
    /// - Returns: nil if the rows exceed `mostBytes`, or the range of the owners' keys is too large.
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
            // Rows may have been added since the owners were determined.
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
