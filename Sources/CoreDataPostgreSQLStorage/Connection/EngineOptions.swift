#if PostgreSQL
import CoreDataRowStorage
import Foundation

/// The seconds that statements and waits may take, and how changes by others are noticed.
struct EngineOptions: Sendable {
    /// For a connection of the pool.
    var leaseTimeout = 30.0
    var statementTimeout = 30.0
    var lockTimeout = 5.0
    /// Between questions for changes by others.
    var remoteChangeInterval = 1.0
    /// The connection over which the server announces commits; nil if it does not. An engine that listens also announces its
    /// own commits.
    var notificationSettings: ConnectionSettings?

    init() {}

    /// - Throws: An error for a connection that cannot be read.
    init(_ options: StoreOptions) throws {
        if let interval = options.number(NSPersistentStoreRemoteChangeIntervalKey) {
            remoteChangeInterval = max(0.01, min(interval, 86_400))
        }
        if let value = options[NSPersistentStoreRemoteChangeConnectionKey] {
            guard let url = value as? URL ?? (value as? String).flatMap({ URL(string: $0) }) else {
                throw CoreDataError.make(
                    NSPersistentStoreOpenError, description: "The store could not be opened.",
                    reason: "The option \(NSPersistentStoreRemoteChangeConnectionKey) is no URL.",
                    advice: "Give it the postgresql:// URL of a direct connection to the server.",
                    key: NSPersistentStoreRemoteChangeConnectionKey)
            }
            do {
                notificationSettings = try ConnectionSettings(url)
            } catch let error as PostgreSQLError {
                throw ServerFailure.error(error, place: "the store")
            }
        }
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
