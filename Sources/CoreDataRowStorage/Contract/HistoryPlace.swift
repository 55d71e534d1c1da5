import Foundation

/// A position in a store's history: after one of its transactions, or before all of them.
///
/// Positions follow the order of commits by all writers. A reader that has seen everything up to a position never misses a
/// transaction that is committed later, because its position is later, even if it began earlier. So engines with several
/// writers report a transaction, and its position, only once no transaction that may still commit could precede it.
///
/// The bytes are opaque: the engine creates and interprets them. Programs store them in tokens indefinitely, and may pass
/// them to any later engine of the store.
package struct HistoryPlace: Hashable, Sendable {
    /// The opaque bytes. Up to 14 are stored inline. Only the start has none.
    package let bytes: Data

    package init(bytes: Data) { self.bytes = bytes }

    /// The position before all transactions, in every store.
    package static let start = HistoryPlace(bytes: Data())
}

/// Positions of engines that number transactions in the order of commits.
extension HistoryPlace {
    /// Creates the position after the transaction with that number, as eight big-endian bytes; the start, for numbers below
    /// 1.
    package init(number: Int64) {
        self.init(bytes: number > 0 ? withUnsafeBytes(of: number.bigEndian) { Data($0) } : Data())
    }

    /// The transaction number of ``init(number:)``, 0 for the start; nil for other bytes.
    package var number: Int64? {
        guard !bytes.isEmpty else { return 0 }
        guard bytes.count == 8 else { return nil }
        let number = Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
        return number > 0 ? number : nil
    }
}

extension HistoryPlace: CustomStringConvertible {
    package var description: String {
        number.map(String.init) ?? bytes.map { String(format: "%02x", $0) }.joined()
    }
}

/// A transaction that identifies a position in a store's history.
///
/// The timestamp distinguishes it from another transaction at the same position, after the store was restored from a backup.
package struct HistoryMark: Sendable {
    /// The position directly after the transaction.
    package var place: HistoryPlace
    /// The time at which the transaction was written, in seconds since 2001; nil if unknown.
    package var timestamp: Double?

    package init(place: HistoryPlace, timestamp: Double?) {
        self.place = place
        self.timestamp = timestamp
    }
}

/// The start of a query's range in history.
package enum HistoryStart: Sendable {
    /// The first transaction after a position.
    case place(HistoryPlace)
    /// The first transaction written after a date.
    case date(Date)
}

/// The end of the range to delete from history.
package enum HistoryLimit: Sendable {
    /// Everything before the transaction that directly precedes a position; that transaction is kept. Nothing precedes the
    /// start.
    case transaction(at: HistoryPlace)
    /// Everything before the first transaction that was not written before a date.
    case date(Date)
}
