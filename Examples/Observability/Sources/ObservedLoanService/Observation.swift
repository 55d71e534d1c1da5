import CoreDataObservability
import Hummingbird
import LoanService
import Logging
import MagicalRecord
import Metrics
import Tracing

extension Library {
    /// Adds the service's routes and a middleware that creates a span for each request.
    public func addObservedRoutes(to router: Router<BasicRequestContext>) {
        router.add(middleware: RequestSpans())
        addRoutes(to: router)
    }
}

/// The three observers of Core Data's operations: for traces, metrics and the log.
public struct Observation: Sendable {
    private let spans: DatabaseSpans
    private let metrics: DatabaseMetrics
    private let log: DatabaseLog

    /// Creates the observers. They observe nothing before ``start()``.
    ///
    /// - Parameter limit: the duration from which on an operation is logged as slow.
    public init(tracer: any Tracer, metrics factory: any MetricsFactory, logger: Logger, slowerThan limit: Duration) {
        spans = DatabaseSpans(tracer)
        metrics = DatabaseMetrics(factory)
        log = DatabaseLog(logger, slowerThan: limit)
    }

    /// Adds the observers to `Instruments`.
    public func start() {
        Instruments.add(spans)
        Instruments.add(metrics)
        Instruments.add(log)
    }

    /// Removes the observers from `Instruments`.
    public func stop() {
        Instruments.remove(spans)
        Instruments.remove(metrics)
        Instruments.remove(log)
    }
}
