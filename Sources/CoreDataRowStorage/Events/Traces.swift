/// A listener that hands something on from the code that asks for operations to these, and to those within them.
package protocol TraceListener: EventListener {
    /// Of the code that runs now.
    var currentTrace: (any Sendable)? { get }
    /// An operation begins.
    ///
    /// - Returns: what is handed on to operations within it.
    func began(_ record: EventRecord, in trace: (any Sendable)?) -> (any Sendable)?
}

/// What the listeners of a process hand on, each its own.
package struct Traces: Sendable {
    /// Of one listener; nil where it has nothing to hand on.
    package struct Trace: Sendable {
        package let value: (any Sendable)?
    }

    package private(set) var traces: [ObjectIdentifier: Trace] = [:]

    /// Of the code that runs on this thread now: of the operation it is in, of the task, or of what passed the block to a
    /// context's queue.
    package static func current(for listeners: [any TraceListener], on thread: InstrumentThread) -> Traces {
        var current = Traces()
        for listener in listeners {
            let key = ObjectIdentifier(listener)
            let value: (any Sendable)?
            if let operation = thread.current?.traces?.traces[key] {
                value = operation.value
            } else {
                value = listener.currentTrace ?? thread.origin?.traces?.traces[key]?.value
            }
            current.traces[key] = Trace(value: value)
        }
        return current
    }

    /// Tells the listeners that an operation begins.
    package mutating func begin(_ record: EventRecord, for listeners: [any TraceListener]) {
        for listener in listeners {
            let key = ObjectIdentifier(listener)
            traces[key] = Trace(value: listener.began(record, in: traces[key]?.value))
        }
    }
}
