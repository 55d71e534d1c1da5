import CoreDataRowStorage
import CoreDataRuntimeSupport

extension Instruments {
    /// Hears of operations as they begin and end: what an adapter to a tracing or metrics system implements.
    ///
    /// ```swift
    /// Instruments.add(DatabaseSpans())
    /// ```
    ///
    /// A `Trace` is what the tracing system knows of the code that asks for an operation, usually the context of a span. It
    /// is handed on along three ways: from the task or thread to the operations it begins, from an operation to those within
    /// it, and to the blocks that are passed to a context's queue, which belong to no task. An observer of metrics alone needs
    /// only ``ended(_:in:)``.
    ///
    /// Functions are called on the thread that runs the operation, while the engine may hold its locks: they must not use
    /// contexts or stores, and should return soon. Not passed on are faults whose values are in memory, statements that belong to
    /// no operation, and work that the program names itself, for which tracing systems have spans.
    public protocol Observer: AnyObject, Sendable {
        /// What is handed on.
        associatedtype Trace: Sendable = Never

        /// Of the code that runs now, which the tracing system usually keeps in a task local; nil for none.
        ///
        /// Asked for when an operation begins that is part of no other, and when a block is passed to a context's queue.
        var currentTrace: Trace? { get }

        /// An operation begins. Its kind, entity, context and thread are known; counts, statements and times are not.
        ///
        /// - Parameters:
        ///   - operation: the operation.
        ///   - trace: of the code that asks for it, or of the operation it is part of.
        /// - Returns: the trace for operations within it, which ``ended(_:in:)`` gets as well.
        func began(_ operation: Event, in trace: Trace?) -> Trace?

        /// An operation that began has ended, or failed.
        ///
        /// - Parameters:
        ///   - operation: the operation.
        ///   - trace: what ``began(_:in:)`` returned.
        func ended(_ operation: Event, in trace: Trace?)
    }

    /// Tells an observer of the operations of the process from now on. May be called on any thread; an observer that is there
    /// already is not added again.
    public static func add(_ observer: some Observer) {
        observers.withLock { observers in
            let key = ObjectIdentifier(observer)
            guard observers[key] == nil else { return }
            let listener = ObservingListener(observer)
            observers[key] = listener
            Probe.add(listener)
        }
    }

    /// Tells an observer of no more operations, those that have begun included. May be called on any thread.
    public static func remove(_ observer: some Observer) {
        let listener = observers.withLock { $0.removeValue(forKey: ObjectIdentifier(observer)) }
        if let listener { Probe.remove(listener) }
    }

    private static let observers = Locked<[ObjectIdentifier: any TraceListener]>([:])
}

extension Instruments.Observer where Trace == Never {
    /// None.
    public var currentTrace: Never? { nil }

    /// Does nothing.
    public func began(_ operation: Instruments.Event, in trace: Never?) -> Never? { nil }
}
