import CoreDataObservability
import Foundation
import Hummingbird
import HummingbirdTesting
import InMemoryTracing
import LoanService
import Logging
import MagicalRecord
import MagicalRecordTesting
import MetricsTestKit
import ObservedLoanService
import Testing
import Tracing

/// Tests of the spans, metrics and log entries of requests. Tracer and observers are global, so the tests run serially.
@Suite(.serialized, .testStack(Library.model, shape: .server)) struct ObservabilityTests {
    private static let tracer: InMemoryTracer = {
        let tracer = InMemoryTracer()
        InstrumentationSystem.bootstrap(tracer)
        return tracer
    }()

    private let stack: MagicalRecord.Stack
    private let library: Library
    private let metrics = TestMetrics()
    private let log = Lines()

    init() throws {
        stack = try MagicalRecord.requireStack()
        library = Library(stack: stack)
        Self.tracer.clearAll()
    }

    /// Runs requests with observers. Waits for the merges of earlier saves first, since merges are operations, too, and belong
    /// to no request.
    private func observe(
        slowerThan limit: Duration = .seconds(60),
        _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let logger = log.logger
        let observation = Observation(tracer: Self.tracer, metrics: metrics, logger: logger, slowerThan: limit)
        let router = Router()
        library.addObservedRoutes(to: router)
        let application = Application(router: router)
        await stack.mergesHaveEnded()
        observation.start()
        defer { observation.stop() }
        try await application.test(.router, body)
    }

    private static func body(_ value: some Encodable) throws -> ByteBuffer {
        ByteBuffer(data: try JSONEncoder().encode(value))
    }

    private static let emma = BookValue(isbn: "1", title: "Emma", year: 1815, copies: 2)

    @Test func aRequestIsATreeOfSpans() async throws {
        try await library.put(Self.emma)
        try await observe { client in
            try await client.execute(uri: "/books/1", method: .get) { #expect($0.status == .ok) }
        }
        let spans = Self.tracer.popFinishedSpans()
        let request = try #require(spans.first { $0.kind == .server })
        #expect(request.operationName == "GET /books/{isbn}" && request.parentSpanID == nil)
        #expect(request.attributes.get("http.response.status_code") == .int64(200))
        let fetch = try #require(spans.first { $0.operationName == "fetch Book" })
        #expect(fetch.parentSpanID == request.spanID && fetch.traceID == request.traceID && fetch.kind == .client)
        let attributes = fetch.attributes
        #expect(attributes.get("db.system.name") == .string("sqlite"))
        #expect(attributes.get("db.operation.name") == .string("fetch"))
        #expect(attributes.get("db.collection.name") == .string("Book"))
        #expect(attributes.get("db.query.summary") == .string("fetch Book"))
        #expect(attributes.get("db.response.returned_rows") == .int64(1))
        guard case .string(let text)? = attributes.get("db.query.text") else {
            Issue.record("The span has no statement.")
            return
        }
        #expect(text.hasPrefix("SELECT ") && text.contains("FROM ZBOOK") && text.contains("ZISBN = ?"))
        #expect(request.startInstant.nanosecondsSinceEpoch <= fetch.startInstant.nanosecondsSinceEpoch)
    }

    @Test func whatARequestWritesBelongsToIt() async throws {
        try await library.put(Self.emma)
        try await observe { client in
            try await client.execute(
                uri: "/loans", method: .post, body: try Self.body(["isbn": "1", "member": "Ann"])
            ) { #expect($0.status == .created) }
        }
        let spans = Self.tracer.popFinishedSpans()
        let request = try #require(spans.first { $0.kind == .server })
        let names = spans.filter { $0.parentSpanID == request.spanID }.map(\.operationName)
        for name in ["fetch Book", "count Loan", "save"] { #expect(names.contains(name), "\(names)") }
        #expect(spans.allSatisfy { $0.traceID == request.traceID })
        let save = try #require(spans.first { $0.operationName == "save" && $0.attributes.get("db.query.text") != nil })
        #expect(save.attributes.get("coredata.inserted") == .int64(1))
    }

    @Test func requestsSideBySideHaveTracesOfTheirOwn() async throws {
        let library = library
        try await library.put(Self.emma)
        try await observe { client in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        if number % 2 == 0 {
                            try await client.execute(uri: "/books/1", method: .get) { #expect($0.status == .ok) }
                        } else {
                            try await client.execute(uri: "/members/Ann/loans", method: .get) {
                                #expect($0.status == .ok)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let spans = Self.tracer.popFinishedSpans()
        let requests = spans.filter { $0.kind == .server }
        #expect(requests.count == 20)
        for request in requests {
            let inside = spans.filter { $0.traceID == request.traceID && $0.kind == .client }
            let name = request.operationName == "GET /books/{isbn}" ? "fetch Book" : "fetch Loan"
            #expect(inside.count(where: { $0.operationName == name && $0.parentSpanID == request.spanID }) == 1)
        }
    }

    /// Checks that spans, metrics and log contain no user data.
    @Test func valuesStayInside() async throws {
        try await observe(slowerThan: .zero) { client in
            let secret = BookValue(isbn: "secret-1", title: "secret title", year: 1815)
            try await client.execute(uri: "/books/secret-1", method: .put, body: try Self.body(secret)) {
                #expect($0.status == .ok)
            }
            try await client.execute(uri: "/books/secret-1", method: .get) { #expect($0.status == .ok) }
            try await client.execute(uri: "/books?title=secret", method: .get) { #expect($0.status == .ok) }
            try await client.execute(uri: "/members/secret/loans", method: .get) { #expect($0.status == .ok) }
            try await client.execute(
                uri: "/loans", method: .post, body: try Self.body(["isbn": "secret-1", "member": ""])
            ) { #expect($0.status == .unprocessableContent) }
        }
        let spans = Self.tracer.popFinishedSpans()
        #expect(spans.count > 10)
        for span in spans {
            var attributes: [String] = []
            span.attributes.forEach { attributes.append("\($0) \($1)") }
            #expect(!span.operationName.contains("secret") && !attributes.contains { $0.contains("secret") })
        }
        let lines = log.all
        #expect(lines.contains { $0.contains("fetch Book was slow") } && !lines.contains { $0.contains("secret") })
        let dimensions = metrics.timers.flatMap(\.dimensions) + metrics.recorders.flatMap(\.dimensions)
        #expect(!dimensions.isEmpty && !dimensions.contains { $0.1.contains("secret") })
    }

    @Test func whatFailsSaysHow() async throws {
        try await library.put(Self.emma)
        try await observe { client in
            try await client.execute(
                uri: "/loans", method: .post, body: try Self.body(["isbn": "1", "member": ""])
            ) { #expect($0.status == .unprocessableContent) }
        }
        let failed = try #require(Self.tracer.popFinishedSpans().first { $0.operationName == "save" })
        // A title shorter than its minimum length fails validation.
        #expect(
            failed.status?.code == .error && failed.attributes.get("error.type") == .string("NSCocoaErrorDomain 1670"))
        #expect(log.all.contains { $0.contains("save failed") && $0.contains("NSCocoaErrorDomain 1670") })
    }

    @Test func operationsAreMeasured() async throws {
        try await library.put(Self.emma)
        try await observe { client in
            for _ in 0..<3 {
                try await client.execute(uri: "/books/1", method: .get) { #expect($0.status == .ok) }
            }
        }
        let dimensions = [
            ("db.system.name", "sqlite"), ("db.operation.name", "fetch"), ("db.collection.name", "Book"),
        ]
        let duration = try metrics.expectTimer("db.client.operation.duration", dimensions)
        #expect(duration.values.count == 3 && duration.values.allSatisfy { $0 > 0 && $0 < 10_000_000_000 })
        #expect(try metrics.expectRecorder("db.client.response.returned_rows", dimensions).values == [1, 1, 1])
    }

    @Test func theLogTellsWhichTraceWasSlow() async throws {
        try await library.put(Self.emma)
        try await observe(slowerThan: .zero) { client in
            try await client.execute(uri: "/books/1", method: .get) { #expect($0.status == .ok) }
        }
        let request = try #require(Self.tracer.popFinishedSpans().first { $0.kind == .server })
        let line = try #require(log.all.first { $0.contains("fetch Book was slow") })
        #expect(line.contains("trace=\(request.traceID)") && line.contains("rows=1") && line.contains("SELECT"))
    }

    @Test func repeatedQueriesAreLogged() async throws {
        for number in 0..<8 { try await library.put(BookValue(isbn: "\(number)", title: "Emma", year: 1815)) }
        Instruments.startAlarm(log.logger)
        defer { Instruments.stopAlarm() }
        try await MagicalRecord.requireStack().read { context in
            for number in 0..<8 { _ = try Book.findFirst(where: { $0.isbn == "\(number)" }, in: context) }
        }
        let line = try #require(log.all.first)
        #expect(line.contains("entity=Book") && line.contains("isbn"))
    }
}
