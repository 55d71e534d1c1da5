import Synchronization

/// The latest history transactions that an engine has written itself, by number. Those that were rolled back stay until another
/// one has their number; the time tells them apart.
final class OwnTransactions: Sendable {
    private let times = Mutex<[Int64: Double]>([:])
    /// The number of transactions that are kept at least.
    private static let keptCount: Int64 = 10_000

    func note(_ number: Int64, at timestamp: Double) {
        times.withLock { times in
            times[number] = timestamp
            guard times.count > 2 * Self.keptCount else { return }
            times = times.filter { $0.key > number - Self.keptCount }
        }
    }

    func contains(_ number: Int64, at timestamp: Double) -> Bool {
        times.withLock { $0[number] == timestamp }
    }
}
