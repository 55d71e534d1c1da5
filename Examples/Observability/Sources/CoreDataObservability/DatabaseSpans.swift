import MagicalRecord
import Tracing

/// An observer that creates a span for every operation of Core Data.
///
/// Add it with `Instruments.add(DatabaseSpans())`, after `InstrumentationSystem.bootstrap`. The parent of a span is the span
/// that was current where the operation was started or where its block was passed to the context. Operations caused by
/// another one, such as the merges after a save, are its children.
public final class DatabaseSpans: Instruments.Observer {
    /// The context of an operation's span, and the span until it ends.
    public struct Trace: Sendable {
        fileprivate let context: ServiceContext
        fileprivate var span: (any Span)?
    }

    private let tracer: any Tracer

    /// Creates an observer that starts its spans with `tracer`.
    public init(_ tracer: any Tracer = InstrumentationSystem.tracer) { self.tracer = tracer }

    /// The service context of the current task as a trace, or nil if there is none.
    public var currentTrace: Trace? { ServiceContext.current.map { Trace(context: $0) } }

    /// Starts a span for the operation, as a child of the span of `trace`.
    public func began(_ operation: Instruments.Event, in trace: Trace?) -> Trace? {
        let span = tracer.startAnySpan(
            operation.summary, context: trace?.context ?? .topLevel,
            ofKind: operation.parentID == nil ? .client : .internal)
        return Trace(context: span.context, span: span)
    }

    /// Adds the operation's attributes to its span and ends the span.
    public func ended(_ operation: Instruments.Event, in trace: Trace?) {
        guard let span = trace?.span else { return }
        span.updateAttributes { attributes in
            for (name, value) in operation.dimensions { attributes[name] = value }
            attributes["db.query.summary"] = operation.summary
            attributes["db.query.text"] = operation.queryText
            attributes["db.namespace"] = operation.namespace
            if operation.rows > 0 { attributes["db.response.returned_rows"] = operation.rows }
            if let keyPath = operation.keyPath { attributes["coredata.key_path"] = keyPath }
            if let context = operation.context { attributes["coredata.context"] = context }
            let changes = operation.changes
            if changes.total > 0 {
                attributes["coredata.inserted"] = changes.inserted
                attributes["coredata.updated"] = changes.updated
                attributes["coredata.deleted"] = changes.deleted
            }
            if operation.waiting > .zero { attributes["coredata.waiting"] = operation.waiting.inSeconds }
        }
        if operation.failureType != nil { span.setStatus(SpanStatus(code: .error)) }
        span.end()
    }
}
