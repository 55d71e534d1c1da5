import CoreDataObservability
import Hummingbird
import LoanService
import Logging
import MagicalRecord
import Metrics
import Tracing

extension Library {
    /// Adds the service's routes, with a span for each request.
    public func addObservedRoutes(to router: Router<BasicRequestContext>) {
        router.add(middleware: RequestSpans())
        addRoutes(to: router)
    }
}

/// Passes what Core Data does on to the systems that the program has set up for traces and metrics, and to a log.
public struct Observation: Sendable {
    private let spans: DatabaseSpans
    private let metrics: DatabaseMetrics
    private let log: DatabaseLog

    public init(tracer: any Tracer, metrics factory: any MetricsFactory, logger: Logger, slowerThan limit: Duration) {
        spans = DatabaseSpans(tracer)
        metrics = DatabaseMetrics(factory)
        log = DatabaseLog(logger, slowerThan: limit)
    }

    public func start() {
        Instruments.add(spans)
        Instruments.add(metrics)
        Instruments.add(log)
    }

    public func stop() {
        Instruments.remove(spans)
        Instruments.remove(metrics)
        Instruments.remove(log)
    }
}
