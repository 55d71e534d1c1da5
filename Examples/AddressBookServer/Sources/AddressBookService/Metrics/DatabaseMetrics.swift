import MagicalRecord

/// An observer that measures Core Data's operations: `db.client.operation.duration` of OpenTelemetry's conventions.
///
/// Add it with `Instruments.add(_:)`. Nested operations are counted as part of their parent.
public final class DatabaseMetrics: Instruments.Observer {
    private let metrics: Metrics
    private let system: String

    private static let name = Metrics.Name(
        text: "db_client_operation_duration_seconds", help: "Duration of operations of Core Data.",
        limits: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10])

    /// Creates an observer.
    ///
    /// - Parameter system: the label `db_system_name`: `sqlite` or `postgresql`.
    public init(_ metrics: Metrics, system: String) { (self.metrics, self.system) = (metrics, system) }

    /// Adds the duration of an operation. Ignores operations that are part of another.
    public func ended(_ operation: Instruments.Event, in trace: Never?) {
        guard operation.parentID == nil else { return }
        metrics.record(
            operation.duration, Self.name,
            [
                "db_system_name": system, "db_operation_name": operation.kind.rawValue,
                "db_collection_name": operation.entity, "error_type": operation.failureType,
            ])
    }
}
