import CoreDataRowStorage
import CoreDataRuntimeSupport

extension Instruments {
    /// A protocol for adapters to tracing or metrics systems, which is notified when operations begin and end.
    ///
    /// ```swift
    /// Instruments.add(DatabaseSpans())
    /// ```
    ///
    /// A `Trace` identifies the code that requests an operation in the tracing system, usually the context of a span. It is
    /// propagated in three ways: from the task or thread to its operations, from an operation to nested ones, and to blocks
    /// passed to a context's queue, which belong to no task. An observer for metrics only needs to implement ``ended(_:in:)``.
    ///
    /// Functions are called on the thread that runs the operation, possibly while the engine holds locks: they must not use
    /// contexts or stores, and should return quickly. Not reported are faults with values in memory, statements that belong to
    /// no operation, and named work of the program, for which tracing systems have spans.
    public protocol Observer: AnyObject, Sendable {
        /// The type of value that is propagated.
        associatedtype Trace: Sendable = Never

        /// The trace of the code that is running, which the tracing system usually stores in a task local; nil for none.
        ///
        /// Read when an outermost operation begins, and when a block is passed to a context's queue.
        var currentTrace: Trace? { get }

        /// Called when an operation begins. Its kind, entity, context and thread are known; counts, statements and times are
        /// not.
        ///
        /// - Parameters:
        ///   - operation: The operation.
        ///   - trace: The trace of the code that requested it, or of the operation that it is part of.
        /// - Returns: The trace for nested operations, which is also passed to ``ended(_:in:)``.
        func began(_ operation: Event, in trace: Trace?) -> Trace?

        /// Called when an operation has ended or failed.
        ///
        /// - Parameters:
        ///   - operation: The operation.
        ///   - trace: The value returned by ``began(_:in:)``.
        func ended(_ operation: Event, in trace: Trace?)
    }

    /// Adds an observer, which is notified of the operations of the process from now on. May be called on any thread; adding an
    /// observer twice has no effect.
    public static func add(_ observer: some Observer) {
        observers.withLock { observers in
            let key = ObjectIdentifier(observer)
            guard observers[key] == nil else { return }
            let listener = ObservingListener(observer)
            observers[key] = listener
            Probe.add(listener)
        }
    }

    /// Removes an observer, which is notified of no more operations, not even of the end of running ones. May be called on any
    /// thread.
    public static func remove(_ observer: some Observer) {
        let listener = observers.withLock { $0.removeValue(forKey: ObjectIdentifier(observer)) }
        if let listener { Probe.remove(listener) }
    }

    private static let observers = Locked<[ObjectIdentifier: any TraceListener]>([:])
}

extension Instruments.Observer where Trace == Never {
    /// The trace: nil.
    public var currentTrace: Never? { nil }

    /// Does nothing.
    public func began(_ operation: Instruments.Event, in trace: Never?) -> Never? { nil }
}
