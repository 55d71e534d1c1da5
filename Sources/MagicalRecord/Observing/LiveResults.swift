import CoreData

extension MagicalRecord {
    /// The results of a query over time, as objects: first as they are, then again after every change that matters to them.
    ///
    /// ```swift
    /// for try await friends in User.where(\.isFriend == true).sorted(by: \.displayName).observeObjects() {
    ///     show(friends)                 // a list of users, in order
    ///     animate(friends.difference)   // what changed since the list before
    /// }
    /// ```
    /// The objects are the main queue's, so these sequences are made and iterated on the main actor, and neither they nor their
    /// lists leave it. Elsewhere, and for contexts with private queues, use ``LiveValues``: values made of the results.
    ///
    /// The sequence observes one context: unsaved changes made there, saves it merges from others, changes of its parent that it
    /// takes over, `reset()`. Changes of other objects count too if the condition, the order or the sections look at them
    /// through relationships, saved or not; a query with a limit or without an order sees them when they are saved.
    ///
    /// Changes that come faster than lists are taken are put together; the last state always arrives. Lists come when the
    /// context's queue gets to them, so a main-queue context needs a main queue that runs.
    ///
    /// Iteration throws what the first fetch throws, and ``MagicalRecordError/Code/invalidArgument`` for a context that is not
    /// the main queue's. It ends when its task is cancelled, when the loop is left, or when the context's stack is torn down.
    /// The sequence keeps the context alive, and so does each iterator until it has given its last list. Two loops over one
    /// sequence fetch and observe each for itself.
    public struct LiveResults<Object: NSManagedObject>: AsyncSequence {
        public typealias Element = MagicalRecord.ResultList<Object>

        private let watch: @Sendable () throws -> ContextWatcher<Element>

        init(_ question: ResultsQuestion<Object>, in context: NSManagedObjectContext?) {
            watch = ContextWatcher.onMainQueue(
                context, entity: question.query.entityName, values: "observe(in: context) { $0.map(Friend.init) }"
            ) { ResultsSource(question) { $0 } }
        }

        public func makeAsyncIterator() -> Iterator { Iterator(watcher: Result(catching: watch)) }

        /// The differences from list to list; the first inserts all objects.
        public var differences: AsyncMapSequence<Self, MagicalRecord.ResultsDifference<Object>> {
            map { $0.difference }
        }

        /// Waits for one list after the other.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let watcher: Result<ContextWatcher<Element>, any Error>

            /// Returns the next list, waiting for one that is newer than the last; nil when the observation has ended.
            public mutating func next(
                isolation actor: isolated (any Actor)? = #isolation
            ) async throws -> MagicalRecord.ResultList<Object>? {
                try await watcher.get().next()?.value
            }

            /// Returns the next list, as ``next(isolation:)``, which the main actor can call since it stays on the caller's actor.
            @_disfavoredOverload
            public mutating func next() async throws -> MagicalRecord.ResultList<Object>? {
                try await watcher.get().next()?.value
            }
        }
    }

    /// Values made of the results of a query over time: first of the results as they are, then again after every change that
    /// matters to them.
    ///
    /// ```swift
    /// for try await names in User.sorted(by: \.displayName).observe({ $0.compactMap(\.displayName) }) { show(names) }
    /// for try await count in User.where(\.isFriend == true).observeCount() { show(count) }
    /// ```
    /// Any task of any actor may iterate, whatever the context. Values are made on the context's queue when they are asked for.
    /// Without a context, the default stack's main context is watched, from every thread. Where that is a main-queue context, the
    /// main queue has to run; in the shape ``Shape/server`` it is not needed.
    ///
    /// Which changes matter, and what ends the sequence, is as for ``LiveResults``. An error that the mapping throws ends it too.
    public struct LiveValues<Value: Sendable>: AsyncSequence, Sendable {
        public typealias Element = Value

        private let watch: @Sendable () throws -> ContextWatcher<Value>

        init(in context: NSManagedObjectContext?, _ source: @escaping @Sendable () -> WatchedSource<Value>) {
            self.init(in: Result { try ContextScope.forWatching(context) }, source)
        }

        init(
            in context: Result<NSManagedObjectContext, any Error>,
            _ source: @escaping @Sendable () -> WatchedSource<Value>
        ) {
            watch = { ContextWatcher(try context.get(), source()) }
        }

        public func makeAsyncIterator() -> Iterator { Iterator(watcher: Result(catching: watch)) }

        /// Waits for one value after the other.
        public struct Iterator: AsyncIteratorProtocol, Sendable {
            fileprivate let watcher: Result<ContextWatcher<Value>, any Error>

            /// Returns the next value, waiting for one that is newer than the last; nil when the observation has ended.
            public mutating func next() async throws -> Value? { try await watcher.get().next()?.value }
        }
    }
}
