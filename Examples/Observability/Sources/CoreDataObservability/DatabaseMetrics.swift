import MagicalRecord
import Metrics
import Synchronization

/// An observer that records metrics of Core Data's operations: `db.client.operation.duration` in seconds, and
/// `db.client.response.returned_rows`.
///
/// Add it with `Instruments.add(DatabaseMetrics())`, after `MetricsSystem.bootstrap`. Nested operations are counted as part of
/// their parent and not recorded separately. There is one series per kind of operation, entity and type of error.
public final class DatabaseMetrics: Instruments.Observer {
    private struct Instrument {
        let duration: Timer
        let rows: Recorder
    }

    private let factory: any MetricsFactory
    private let instruments = Mutex<[String: Instrument]>([:])

    /// Creates an observer that records with the metrics of `factory`.
    public init(_ factory: any MetricsFactory = MetricsSystem.factory) { self.factory = factory }

    /// Records the duration and the rows of an operation. Ignores operations that are part of another.
    public func ended(_ operation: Instruments.Event, in trace: Never?) {
        guard operation.parentID == nil else { return }
        let instrument = instrument(for: operation)
        instrument.duration.recordNanoseconds(operation.duration.inNanoseconds)
        if operation.rows > 0 { instrument.rows.record(operation.rows) }
    }

    private func instrument(for operation: Instruments.Event) -> Instrument {
        let dimensions = operation.dimensions
        let key = dimensions.map(\.1).joined(separator: " ")
        return instruments.withLock { instruments in
            if let known = instruments[key] { return known }
            let new = Instrument(
                duration: Timer(
                    label: "db.client.operation.duration", dimensions: dimensions, preferredDisplayUnit: .seconds,
                    factory: factory),
                rows: Recorder(
                    label: "db.client.response.returned_rows", dimensions: dimensions, aggregate: true,
                    factory: factory))
            instruments[key] = new
            return new
        }
    }
}

extension Duration {
    fileprivate var inNanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
