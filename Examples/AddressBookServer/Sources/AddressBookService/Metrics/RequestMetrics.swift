import Hummingbird

/// Middleware that measures requests: `http.server.request.duration` of OpenTelemetry's conventions.
struct RequestMetrics: RouterMiddleware {
    private let metrics: Metrics

    private static let name = Metrics.Name(
        text: "http_server_request_duration_seconds", help: "Duration of requests.",
        limits: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10])

    init(_ metrics: Metrics) { self.metrics = metrics }

    func handle(
        _ request: Request, context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        do {
            let response = try await next(request, context)
            record(request, context, response.status, since: start)
            return response
        } catch {
            let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
            record(request, context, status, since: start)
            throw error
        }
    }

    private func record(
        _ request: Request, _ context: BasicRequestContext, _ status: HTTPResponse.Status,
        since start: ContinuousClock.Instant
    ) {
        metrics.record(
            ContinuousClock.now - start, Self.name,
            [
                "http_request_method": Self.method(request.method), "http_route": context.endpointPath,
                "http_response_status_code": "\(status.code)",
            ])
    }

    /// Returns the name of a method of the conventions' list, and `_OTHER` for what else a client may have made up.
    private static func method(_ method: HTTPRequest.Method) -> String {
        let known: [HTTPRequest.Method] = [.get, .head, .post, .put, .delete, .connect, .options, .trace, .patch]
        return known.contains(method) ? method.rawValue : "_OTHER"
    }
}
