import CoreData

extension MagicalRecord {
    /// Values made of the results of a query over time: first of the results as they are, then again after every change that
    /// matters to them.
    ///
    /// ```swift
    /// for try await names in User.sorted(by: \.displayName).observe({ $0.compactMap(\.displayName) }) { show(names) }
    /// for try await count in User.where(\.isFriend == true).observeCount() { show(count) }
    /// ```
    /// The values are `Sendable`, so any task of any actor may iterate, whatever the context. They are made on the context's
    /// queue, at the time they are asked for: changes that come faster than values are taken cost one value. Without a context,
    /// the default stack's main context is watched, from every thread. Where that is a main-queue context, the main queue has
    /// to run; in the shape ``Shape/server`` it is not needed.
    ///
    /// Which changes matter, and what ends the sequence, is as for ``LiveResults``. An error that the mapping throws ends it too.
    public struct LiveValues<Value: Sendable>: AsyncSequence, Sendable {
        public typealias Element = Value

        private let plan: WatchPlan<Value>

        init(in context: NSManagedObjectContext?, _ source: @escaping @Sendable () -> WatchedSource<Value>) {
            plan = WatchPlan(Result { try ContextScope.forWatching(context) }, source)
        }

        public func makeAsyncIterator() -> Iterator { Iterator(subscription: plan.subscribe()) }

        /// Waits for one value after the other.
        public struct Iterator: AsyncIteratorProtocol, Sendable {
            fileprivate let subscription: Result<Subscription<Value>, any Error>

            /// Returns the next value, waiting for one that is newer than the last; nil when the observation has ended.
            public mutating func next() async throws -> Value? {
                try await subscription.get().next()?.value
            }
        }
    }
}
