import Logging
import MagicalRecord
import Tracing

/// Logs operations of Core Data that took long, and those that failed, with the trace they belong to.
///
/// The logger's metadata provider sees the context of the code that asked for the operation, and so its trace ID.
public final class DatabaseLog: Instruments.Observer {
    private let logger: Logger
    private let limit: Duration

    /// - Parameter limit: how long an operation may take.
    public init(_ logger: Logger, slowerThan limit: Duration = .milliseconds(100)) {
        (self.logger, self.limit) = (logger, limit)
    }

    public var currentTrace: ServiceContext? { ServiceContext.current }

    public func began(_ operation: Instruments.Event, in trace: ServiceContext?) -> ServiceContext? { trace }

    public func ended(_ operation: Instruments.Event, in trace: ServiceContext?) {
        guard operation.parentID == nil, operation.duration >= limit || operation.failureType != nil else { return }
        var metadata: Logger.Metadata = [
            "duration": "\(operation.duration)", "rows": "\(operation.rows)",
            "statements": "\(operation.statementCount)",
        ]
        if let text = operation.queryText { metadata["sql"] = "\(text)" }
        if let failure = operation.failureType { metadata["error"] = "\(failure)" }
        let message: Logger.Message =
            operation.failureType == nil ? "\(operation.summary) was slow" : "\(operation.summary) failed"
        ServiceContext.$current.withValue(trace) { logger.warning(message, metadata: metadata) }
    }
}

extension Instruments {
    /// Logs what the alarm finds: one query for each object of a loop, and other mistakes that cost time.
    public static func startAlarm(_ logger: Logger) {
        startAlarm(
            .call { finding in
                var metadata: Logger.Metadata = ["kind": "\(finding.kind)"]
                if let entity = finding.entity { metadata["entity"] = "\(entity)" }
                logger.warning("\(finding)", metadata: metadata)
            })
    }
}
