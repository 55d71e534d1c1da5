import CoreData

extension MagicalRecord {
    /// Runs an actor's jobs on a context's queue, so that its methods alone may touch the context and its objects directly.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    public final class ContextExecutor: SerialExecutor {
        /// The context that lends the actor its queue.
        public let context: NSManagedObjectContext

        /// Creates an executor over the queue of a context.
        public init(_ context: NSManagedObjectContext) { self.context = context }

        /// Runs a job of the actor on the context's queue.
        public func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            context.perform { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }

        public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
    }

    /// An actor that owns a context.
    ///
    /// ```swift
    /// actor UserStore: MagicalRecord.ContextOwner {
    ///     nonisolated let executor: MagicalRecord.ContextExecutor
    ///     init(_ stack: MagicalRecord.Stack) { executor = MagicalRecord.ContextExecutor(stack.newContext(named: "users")) }
    ///
    ///     func rename(_ id: Int64, to name: String) throws {
    ///         let user = try User.findFirst(where: \.userID == id, in: context)   // on the context's queue
    ///         user?.displayName = name
    ///         try context.save(to: .store)
    ///     }
    /// }
    /// ```
    /// Objects stay inside; what crosses the actor's boundary must be `Sendable`, which they are not.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    public protocol ContextOwner: Actor {
        /// The executor of the actor, kept in a stored property.
        nonisolated var executor: ContextExecutor { get }
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension MagicalRecord.ContextOwner {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The context the actor owns.
    public nonisolated var context: NSManagedObjectContext { executor.context }
}
