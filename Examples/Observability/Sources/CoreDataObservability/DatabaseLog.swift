import Logging
import MagicalRecord
import Tracing

/// An observer that logs slow and failed operations of Core Data with their trace.
///
/// Logs with the service context of the code that started the operation, so that the logger's metadata provider can add the
/// trace ID.
public final class DatabaseLog: Instruments.Observer {
    private let logger: Logger
    private let limit: Duration

    /// Creates an observer that logs to `logger`.
    ///
    /// - Parameter limit: the duration from which on an operation is logged as slow.
    public init(_ logger: Logger, slowerThan limit: Duration = .milliseconds(100)) {
        (self.logger, self.limit) = (logger, limit)
    }

    /// The service context of the current task.
    public var currentTrace: ServiceContext? { ServiceContext.current }

    /// Returns the service context unchanged.
    public func began(_ operation: Instruments.Event, in trace: ServiceContext?) -> ServiceContext? { trace }

    /// Logs a warning if the operation was slow or failed. Ignores operations that are part of another.
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
    /// Starts the alarm and logs its findings, such as N+1 queries, as warnings.
    public static func startAlarm(_ logger: Logger) {
        startAlarm(
            .call { finding in
                var metadata: Logger.Metadata = ["kind": "\(finding.kind)"]
                if let entity = finding.entity { metadata["entity"] = "\(entity)" }
                logger.warning("\(finding)", metadata: metadata)
            })
    }
}
