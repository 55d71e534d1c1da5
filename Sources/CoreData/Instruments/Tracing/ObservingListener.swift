import CoreDataRowStorage

/// A listener that forwards operations to an observer, with its traces.
final class ObservingListener<Observer: Instruments.Observer>: TraceListener {
    let needs: Probe.Needs = [.events, .traces]
    private let observer: Observer

    init(_ observer: Observer) { self.observer = observer }

    var currentTrace: (any Sendable)? { observer.currentTrace }

    func began(_ record: EventRecord, in trace: (any Sendable)?) -> (any Sendable)? {
        observer.began(Instruments.Event(record), in: trace as? Observer.Trace)
    }

    func ended(_ record: EventRecord) {
        guard let trace = record.traces?.traces[ObjectIdentifier(self)] else { return }
        observer.ended(Instruments.Event(record), in: trace.value as? Observer.Trace)
    }
}
