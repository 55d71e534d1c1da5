import CoreData

extension MagicalRecord {
    /// The results of a query over time, as objects: first as they are, then again after every change that matters to them.
    ///
    /// ```swift
    /// for try await friends in User.where(\.isFriend == true).sorted(by: \.displayName).observe() {
    ///     show(friends)                 // a list of users, in order
    ///     animate(friends.difference)   // what changed since the list before
    /// }
    /// ```
    /// The objects are the main queue's, so these sequences are made and iterated on the main actor, and neither they nor their
    /// lists leave it. Elsewhere, and for contexts with private queues, use ``LiveValues``: values made of the results.
    ///
    /// The sequence observes one context: unsaved changes made there, saves it merges from others, changes of its parent that it
    /// takes over, `reset()`. Changes of other objects count as well if the condition, the order or the sections look at them
    /// through relationships, saved or not; only a query with a limit or without an order sees them as its fetch does, which
    /// is when they are saved.
    ///
    /// Each list is the state at one moment. Changes that come faster than lists are taken are put together; the last state
    /// always arrives. Lists come when the context's queue gets to them, so a main-queue context needs a main queue that runs.
    ///
    /// Iteration throws what the first fetch throws, and ``MagicalRecordError/Code/invalidArgument`` for a context that is not
    /// the main queue's. It ends when its task is cancelled, when the loop is left, or when the
    /// context's stack is torn down. The sequence and its iterators keep the context alive, an iterator until it has given its
    /// last list: a context made for the loop alone needs no other owner, and goes with it. Each iterator watches for itself.
    public struct LiveResults<Object: NSManagedObject>: AsyncSequence {
        public typealias Element = MagicalRecord.ResultList<Object>

        private let plan: WatchPlan<MagicalRecord.ResultList<Object>>

        init(_ question: ResultsQuestion<Object>, in context: NSManagedObjectContext?) {
            let context = Result {
                let context = try ContextScope.forWatching(context)
                guard context.concurrencyType == .mainQueueConcurrencyType else {
                    throw MagicalRecordError(
                        .invalidArgument,
                        "Objects can be watched in main-queue contexts only; this one has another queue.",
                        advice:
                            "Pass a closure that makes values of each list: results(in: context) { $0.map(Friend.init) }.",
                        entity: question.query.entityName)
                }
                return context
            }
            plan = WatchPlan(context) { ResultsSource(question) { $0 } }
        }

        public func makeAsyncIterator() -> Iterator { Iterator(subscription: plan.subscribe()) }

        /// The differences from list to list; the first inserts all objects.
        public var differences: AsyncMapSequence<Self, MagicalRecord.ResultsDifference<Object>> {
            map { $0.difference }
        }

        /// Waits for one list after the other.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let subscription: Result<Subscription<MagicalRecord.ResultList<Object>>, any Error>

            /// Returns the next list, waiting for one that is newer than the last; nil when the observation has ended.
            public mutating func next(
                isolation actor: isolated (any Actor)? = #isolation
            ) async throws -> MagicalRecord.ResultList<Object>? {
                try await subscription.get().next()?.value
            }

            /// Returns the next list, as ``next(isolation:)``, which stays on the caller's actor, so that the main actor can call it.
            @_disfavoredOverload
            public mutating func next() async throws -> MagicalRecord.ResultList<Object>? {
                try await subscription.get().next()?.value
            }
        }
    }
}
