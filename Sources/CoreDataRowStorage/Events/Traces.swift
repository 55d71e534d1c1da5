/// A listener that passes a trace from the code that starts operations to these operations, and to nested ones.
package protocol TraceListener: EventListener {
    /// The trace of the code that runs now.
    var currentTrace: (any Sendable)? { get }
    /// Receives an operation that begins.
    ///
    /// - Returns: the trace to pass to nested operations.
    func began(_ record: EventRecord, in trace: (any Sendable)?) -> (any Sendable)?
}

/// The traces of all listeners of a process.
package struct Traces: Sendable {
    /// The trace of one listener; nil if it has none.
    package struct Trace: Sendable {
        package let value: (any Sendable)?
    }

    package private(set) var traces: [ObjectIdentifier: Trace] = [:]

    /// Returns the traces of the code that runs on this thread now: of its operation, of the task, or of the code that passed
    /// the block to a context's queue.
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

    /// Reports the beginning of an operation to the listeners.
    package mutating func begin(_ record: EventRecord, for listeners: [any TraceListener]) {
        for listener in listeners {
            let key = ObjectIdentifier(listener)
            traces[key] = Trace(value: listener.began(record, in: traces[key]?.value))
        }
    }
}
