#if PostgreSQL
import CoreDataRowStorage

/// The seconds that statements and waits may take.
struct EngineOptions: Sendable {
    /// For a connection of the pool.
    var leaseTimeout = 30.0
    var statementTimeout = 30.0
    var lockTimeout = 5.0

    init() {}

    init(_ options: StoreOptions) {
        guard let timeout = options.number(NSPersistentStoreTimeoutOption) else { return }
        leaseTimeout = timeout
        statementTimeout = timeout
    }

    /// Returns the statement that sets the server's limits, within the transaction only.
    func limits(isPrepared: Bool = true) -> PipelineRequest {
        let statement = isPrepared ? Self.setting : ServerStatement(Self.setting.text, isPrepared: false)
        return PipelineRequest(statement, limitParameters)
    }

    /// The limits of statements and of waits for locks, in milliseconds.
    var limitParameters: ParameterList {
        var parameters = ParameterList()
        for seconds in [statementTimeout, lockTimeout] { parameters.add(Self.milliseconds(seconds)) }
        return parameters
    }

    /// The statements that do the same without parameters.
    var limitTexts: [String] {
        [
            "SET LOCAL statement_timeout = \(Self.milliseconds(statementTimeout))",
            "SET LOCAL lock_timeout = \(Self.milliseconds(lockTimeout))",
        ]
    }

    private static let setting = ServerStatement(
        "SELECT set_config('statement_timeout', $1::text, true), set_config('lock_timeout', $2::text, true)")

    /// Returns the text of a limit, in the server's range; 0 would be none.
    private static func milliseconds(_ seconds: Double) -> String {
        seconds.isNaN ? "1" : String(Int(max(1, min(seconds * 1000, 2e9))))
    }
}
#endif
