import MagicalRecord
import Tracing

/// Makes a span of every operation of Core Data.
///
/// Add it with `Instruments.add(DatabaseSpans())`, after `InstrumentationSystem.bootstrap`. A span belongs to the span that was
/// current where the operation was asked for, or where the block was passed to the context; what an operation leads to, as a
/// save to merges in other contexts, belongs to it.
public final class DatabaseSpans: Instruments.Observer {
    /// Where the next span belongs, and the span to end.
    public struct Trace: Sendable {
        fileprivate let context: ServiceContext
        fileprivate var span: (any Span)?
    }

    private let tracer: any Tracer

    public init(_ tracer: any Tracer = InstrumentationSystem.tracer) { self.tracer = tracer }

    public var currentTrace: Trace? { ServiceContext.current.map { Trace(context: $0) } }

    public func began(_ operation: Instruments.Event, in trace: Trace?) -> Trace? {
        let span = tracer.startAnySpan(
            operation.summary, context: trace?.context ?? .topLevel,
            ofKind: operation.parentID == nil ? .client : .internal)
        return Trace(context: span.context, span: span)
    }

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
