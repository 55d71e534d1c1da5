import Hummingbird
import Tracing

/// Middleware that creates a span for each request, named after its route. Unlike Hummingbird's `TracingMiddleware`, it does
/// not record the path and the query, which may contain user data.
struct RequestSpans: RouterMiddleware {
    func handle(
        _ request: Request, context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        try await withSpan("\(request.method)", ofKind: .server) { span in
            span.attributes["http.request.method"] = "\(request.method)"
            do {
                let response = try await next(request, context)
                finish(span, request, context, status: response.status)
                return response
            } catch {
                let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
                finish(span, request, context, status: status)
                if status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
                throw error
            }
        }
    }

    private func finish(
        _ span: any Span, _ request: Request, _ context: BasicRequestContext, status: HTTPResponse.Status
    ) {
        if let route = context.endpointPath {
            span.operationName = "\(request.method) \(route)"
            span.attributes["http.route"] = route
        }
        span.attributes["http.response.status_code"] = Int(status.code)
    }
}
