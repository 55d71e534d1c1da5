#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation
import Synchronization

/// The recording of an open store in persistent history.
final class ServerHistory: Sendable {
    let order: HistoryOrder
    /// The UUID by which this engine's transactions are known from those of others.
    let origin = UUID()
    /// The position of the horizon at which a reader has waited in vain: a transaction that stays open holds it.
    private let stuckHorizon = Mutex<Int64>(-1)

    init(_ order: HistoryOrder) { self.order = order }

    /// The names of the process, as history records them.
    static let process = ProcessInfo.processInfo.processName
    static let bundle = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName

    /// Returns the parameter of the origin.
    var originParameter: ParameterList {
        var parameters = ParameterList()
        parameters.add { writer in withUnsafeBytes(of: origin.uuid) { writer.bytes.append(contentsOf: $0) } }
        return parameters
    }

    // MARK: Waiting

    /// The longest time that a reader waits for transactions which are committed, but may be preceded by others.
    private static let patience = 0.2

    /// Reads again while there are committed transactions that are not reported yet, for a fraction of a second: transactions
    /// that are being committed usually end within milliseconds. Readers see what was committed before they began, unless a
    /// transaction stays open.
    ///
    /// - Parameter read: Returns the result, and the state of what was not reported.
    func settling<Result>(_ read: () throws -> (Result, Unsettled)) throws -> Result {
        var (result, state) = try read()
        guard state.last >= state.horizon, stuckHorizon.withLock({ $0 }) != state.horizon else { return result }
        let (wanted, deadline) = (state.last, Deadline(after: Self.patience))
        var pause = 0.001
        while wanted >= state.horizon {
            guard !deadline.isOver else {
                stuckHorizon.withLock { $0 = state.horizon }
                return result
            }
            Thread.sleep(forTimeInterval: pause)
            pause = min(pause * 2, 0.02)
            (result, state) = try read()
        }
        return result
    }

    /// The transactions that are committed and not reported yet.
    struct Unsettled {
        /// The highest number of one in the order of commits; less than the horizon if there is none.
        var last: Int64 = -1
        /// The lowest number of a transaction that may still commit.
        var horizon: Int64 = 0
    }

    /// Returns the query of the transactions that are not reported yet; nil if all are reported at once.
    func unsettled(_ receive: @escaping (Unsettled) -> Void) -> PipelineRequest? {
        guard order == .commits else { return nil }
        return PipelineRequest(Self.unsettledStatement) { rows in
            receive(Unsettled(last: try rows.int64(0, 0), horizon: try rows.int64(0, 1)))
        }
    }

    private static let unsettledStatement = ServerStatement(
        "SELECT coalesce((SELECT max(t.commit_order) FROM coredata_transaction t WHERE t.era = h.era "
            + "AND t.commit_order >= \(HistoryOrder.horizon)), -1), \(HistoryOrder.horizon) FROM coredata_history h")
}

extension PostgreSQLEngine {
    func requireHistory() throws -> ServerHistory {
        if let history { return history }
        throw CoreDataError.make(
            NSPersistentStoreOperationError, description: "The store keeps no history.",
            reason: "Persistent history tracking is not enabled on it.",
            advice: "Add the store with NSPersistentHistoryTrackingKey set to true.")
    }
}
#endif
