import CoreData

extension MagicalRecord {
    /// The results of a query over time: first as they are, then again after every change that matters to them.
    ///
    /// ```swift
    /// for try await friends in User.results(where: \.isFriend == true, sortedBy: \.displayName) {
    ///     show(friends)                 // a list of users, in order
    ///     animate(friends.difference)   // what changed since the list before
    /// }
    /// ```
    /// The sequence watches one context: unsaved changes made there, saves it merges from others, changes of its parent that it
    /// takes over, `reset()`. Changes of other objects count as well if the condition, the order or the sections look at them
    /// through relationships, saved or not; only a query with a limit or without an order sees them as its fetch does, which
    /// is when they are saved.
    ///
    /// Each list is the state at one moment. Changes that come faster than lists are taken are put together; the last state
    /// always arrives. Lists come when the context's queue gets to them, so a main-queue context needs a main queue that runs.
    ///
    /// Iteration throws what the first fetch throws, and ends when its task is cancelled, when the loop is left, or when the
    /// context's stack is torn down. The sequence and its iterators keep the context alive, an iterator until it has given its
    /// last list: a context made for the loop alone needs no other owner, and goes with it. Each iterator watches for itself.
    public struct LiveResults<Object: NSManagedObject>: AsyncSequence, Sendable {
        public typealias Element = MagicalRecord.ResultList<Object>

        private let source: Result<NSManagedObjectContext, any Error>
        private let question: Unchecked<Question>

        /// What is asked; made into a request on the context's queue.
        struct Question {
            var request: (NSManagedObjectContext) throws -> NSFetchRequest<Object>
            var sectionNameKeyPath: () throws -> String?
        }

        init(_ context: Result<NSManagedObjectContext, any Error>, _ question: Question) {
            source = context
            // Only used on the context's queue, from values that are used nowhere else.
            self.question = Unchecked(question)
        }

        public func makeAsyncIterator() -> Iterator { Iterator(source, question) }

        /// The changes from list to list; the first inserts everything.
        public var differences: AsyncMapSequence<Self, MagicalRecord.ResultsDifference<Object>> {
            map { $0.difference }
        }

        /// Waits for one list after the other.
        public struct Iterator: AsyncIteratorProtocol {
            private let subscription: Result<Subscription<Object>, any Error>

            fileprivate init(_ source: Result<NSManagedObjectContext, any Error>, _ question: Unchecked<Question>) {
                subscription = source.map { Subscription($0, question) }
            }

            /// The next list: at once if there is a newer one than the last; nil when the watching has ended.
            public mutating func next() async throws -> MagicalRecord.ResultList<Object>? {
                try await subscription.get().next()
            }
        }
    }
}

/// Ends the watching when the iterator goes, or has nothing more to give.
private final class Subscription<Object: NSManagedObject>: Sendable {
    private let mailbox = ResultsMailbox<Object>()
    private let watcher: ResultsWatcher<Object>

    init(_ context: NSManagedObjectContext, _ question: Unchecked<MagicalRecord.LiveResults<Object>.Question>) {
        watcher = ResultsWatcher(context, question, mailbox)
        watcher.start()
    }

    deinit { watcher.stop() }

    func next() async throws -> MagicalRecord.ResultList<Object>? {
        do {
            if let list = try await mailbox.next() { return list }
        } catch {
            watcher.stop()
            throw error
        }
        watcher.stop()
        return nil
    }
}
