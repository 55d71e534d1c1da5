#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// A watch for transactions of other engines, in the store's history: it asks at intervals, and at once after a notification of
/// the server where a connection for these is configured.
///
/// Failures are not reported: the next attempt asks for everything since the last success.
final class CommitWatch: StoreWatch, @unchecked Sendable {
    private let engine: PostgreSQLEngine
    private let history: ServerHistory
    private let onChange: @Sendable () -> Void
    private let listener: NotificationListener?
    private let lock = NSLock()
    private var isStopped = false
    /// The position up to which transactions are known.
    private var place: [Int64]
    /// Wakes the thread at the end.
    private let ending = DispatchSemaphore(value: 0)

    /// Starts a thread.
    init(_ engine: PostgreSQLEngine, _ onChange: @escaping @Sendable () -> Void) throws {
        self.engine = engine
        history = try engine.requireHistory()
        self.onChange = onChange
        let last = try engine.session().lastHistoryMark()?.place ?? .start
        place = try PostgreSQLHistory.numbers(of: last)
        listener = engine.options.notificationSettings.map {
            NotificationListener($0, channel: NotificationListener.channel(of: engine.identifier))
        }
        let (listener, ending, interval) = (listener, ending, engine.options.remoteChangeInterval)
        // The thread ends with the watch, also where the store was not removed.
        let thread = Thread { [weak self] in
            while true {
                var isNotified = false
                if let listener {
                    isNotified = listener.wait(seconds: interval)
                } else if ending.wait(timeout: .now() + interval) == .success {
                    return
                }
                guard let self, !lock.withLock({ isStopped }) else { return }
                // A notification arrives with the commit, but others may still precede the transaction.
                if isNotified { askSoon() } else { ask() }
            }
        }
        thread.name = "CoreData remote changes"
        thread.start()
    }

    deinit { stop() }

    // Transactions have the engine that wrote them: its own writes need no announcement.
    func beginOwnWrite() {}
    func endOwnWrite(succeeded: Bool) {}

    func stop() {
        lock.withLock { isStopped = true }
        ending.signal()
        listener?.stop()
    }

    /// Asks until there is something new, for as long as an interval.
    private func askSoon() {
        let limit = Deadline(after: engine.options.remoteChangeInterval)
        var pause = 0.002
        while !ask(), !limit.isOver, !lock.withLock({ isStopped }) {
            Thread.sleep(forTimeInterval: pause)
            pause = min(pause * 2, 0.1)
        }
    }

    /// Reads what is new, and reports it if others wrote it; returns true if there was anything new.
    @discardableResult
    private func ask() -> Bool {
        var parameters = ParameterList()
        for number in place { parameters.add(number) }
        parameters.add(contentsOf: history.originParameter)
        var isOfOthers = false
        var last: [Int64]?
        let condition = history.order.isSettled.map { " AND \($0)" } ?? ""
        let statement = ServerStatement(
            """
            SELECT t.era, t.commit_order, t.id, t.origin IS DISTINCT FROM $4::uuid FROM coredata_transaction t \
            WHERE (t.era, t.commit_order, t.id) > ($1::bigint, $2::bigint, $3::bigint)\(condition) \
            ORDER BY t.era DESC, t.commit_order DESC, t.id DESC LIMIT \(Self.transactionsAtOnce)
            """)
        do {
            try engine.pool.withConnection(until: Deadline(after: 5)) { connection in
                let request = PipelineRequest(statement, parameters) { rows in
                    guard rows.count > 0 else { return }
                    last = try (0..<3).map { try rows.int64(0, $0) }
                    isOfOthers = rows.count == Self.transactionsAtOnce
                    for row in 0..<rows.count where try rows.int64(row, 3) != 0 { isOfOthers = true }
                }
                try connection.run([request], until: Deadline(after: 10))
            }
        } catch {
            return false
        }
        guard let last else { return false }
        place = last
        if isOfOthers, !lock.withLock({ isStopped }) { onChange() }
        return true
    }

    /// More new transactions than these are hardly all of one engine.
    private static let transactionsAtOnce = 1000
}
#endif
