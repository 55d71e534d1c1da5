import Foundation
import Hummingbird
import InMemoryTracing
import LoanService
import Logging
import MagicalRecord
import Metrics
import ObservedLoanService
import Tracing

/// `ObservedLoanServer [--port N] [--store PATH] [--books N]`: the loan server with the spans of each request in its log.
///
/// The tracer keeps spans in memory until they are logged. To export them, set up the tracer and the metrics factory of a
/// backend here instead; nothing else changes.
@main struct ObservedServer {
    static func main() async throws {
        let tracer = InMemoryTracer()
        InstrumentationSystem.bootstrap(tracer)
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        let options = ServerOptions(CommandLine.arguments.dropFirst())
        let logger = Logger(label: "LoanServer")

        let library = try Library(store: .sqlite(at: URL(fileURLWithPath: options.store)))
        try await library.fill(options.books)
        let observation = Observation(
            tracer: tracer, metrics: MetricsSystem.factory, logger: logger, slowerThan: .milliseconds(20))
        observation.start()
        Instruments.startAlarm(logger)

        let router = Router()
        router.add(middleware: SpanLog(tracer: tracer, logger: logger))
        library.addObservedRoutes(to: router)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: options.port)))
        try await application.runService()
        observation.stop()
        try await library.close()
    }
}

/// Middleware that logs the spans that have ended, after each request.
private struct SpanLog: RouterMiddleware {
    let tracer: InMemoryTracer
    let logger: Logger

    func handle(
        _ request: Request, context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        defer {
            let spans = tracer.popFinishedSpans().map(FinishedSpan.init).sorted { $0.start < $1.start }
            for span in spans { logger.info("\(span.name)", metadata: span.metadata) }
        }
        return try await next(request, context)
    }
}

private struct FinishedSpan {
    let name: String
    let start: UInt64
    let metadata: Logger.Metadata

    init(_ span: FinishedInMemorySpan) {
        name = (span.parentSpanID == nil ? "" : "  ") + span.operationName
        start = span.startInstant.nanosecondsSinceEpoch
        let nanoseconds = span.endInstant.nanosecondsSinceEpoch - start
        var metadata: Logger.Metadata = ["trace": "\(span.traceID)", "milliseconds": "\(Double(nanoseconds) / 1e6)"]
        if case .string(let text)? = span.attributes.get("db.query.text") { metadata["sql"] = "\(text)" }
        self.metadata = metadata
    }
}
