import MagicalRecord
import Metrics
import Synchronization

/// Measures operations of Core Data: `db.client.operation.duration` in seconds, and `db.client.response.returned_rows`.
///
/// Add it with `Instruments.add(DatabaseMetrics())`, after `MetricsSystem.bootstrap`. Operations within others are part of those,
/// and not measured by themselves. There is a series for each kind of operation, entity and type of error.
public final class DatabaseMetrics: Instruments.Observer {
    private struct Instrument {
        let duration: Timer
        let rows: Recorder
    }

    private let factory: any MetricsFactory
    private let instruments = Mutex<[String: Instrument]>([:])

    public init(_ factory: any MetricsFactory = MetricsSystem.factory) { self.factory = factory }

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
