import Foundation

/// A place in a store's history: behind one of its transactions, or before all of them.
///
/// Places are in the order of commits, whoever writes. A reader that has seen all up to a place never misses a transaction that
/// is committed later: that one lies behind the place, also if it began earlier. So engines with several writers tell of a
/// transaction, and of its place, only once none that may still be committed would come before it.
///
/// The bytes are the engine's, which makes them and alone knows what they mean. Programs keep them in tokens for as long as they like,
/// and ask any later engine of the store.
package struct HistoryPlace: Hashable, Sendable {
    /// Up to 14 bytes lie in the value itself. Only the start has none.
    package let bytes: Data

    package init(bytes: Data) { self.bytes = bytes }

    /// Before all transactions, in every store.
    package static let start = HistoryPlace(bytes: Data())
}

/// For engines that number transactions in the order of commits.
extension HistoryPlace {
    /// Makes the place behind the transaction of that number: eight bytes, the highest first. The start, for numbers below 1.
    package init(number: Int64) {
        self.init(bytes: number > 0 ? withUnsafeBytes(of: number.bigEndian) { Data($0) } : Data())
    }

    /// Number that ``init(number:)`` makes the place of, 0 for the start; nil for other bytes.
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

/// A transaction by which a place in a store's history is known again.
///
/// The time tells it from another transaction at the same place, which a store that was set back to a backup goes on with.
package struct HistoryMark: Sendable {
    /// Place right behind the transaction.
    package var place: HistoryPlace
    /// Time at which the transaction was written, in seconds since 2001; nil where that is not known.
    package var timestamp: Double?

    package init(place: HistoryPlace, timestamp: Double?) {
        self.place = place
        self.timestamp = timestamp
    }
}

/// Beginning of an answer about history.
package enum HistoryStart: Sendable {
    /// With the first transaction behind a place.
    case place(HistoryPlace)
    /// With the first transaction that was written after a time.
    case date(Date)
}

/// End of what is deleted from history.
package enum HistoryLimit: Sendable {
    /// Before the transaction that a place is right behind: that one stays. Nothing lies before the start.
    case transaction(at: HistoryPlace)
    /// Before the first transaction that was not written before a time.
    case date(Date)
}
