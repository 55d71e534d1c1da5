import CoreData

extension MagicalRecord {
    /// The sections of a query's results over time: first as they are, then again after every change that matters to them.
    ///
    /// ```swift
    /// for try await sections in User.sorted(by: \.displayName).observeSections(by: \.team?.name) { show(sections) }
    /// ```
    /// Each element is an array of ``Section``s. They contain objects, so these sequences are made and iterated on the main actor.
    /// Elsewhere, and for contexts with private queues, observe values made of sections:
    /// ``Query/observeSections(by:in:_:)``. Which changes matter, what iteration throws and what ends it, is as for
    /// ``LiveResults``.
    public struct LiveSections<Key: Hashable, Object: NSManagedObject>: AsyncSequence {
        public typealias Element = [MagicalRecord.Section<Key, Object>]

        private let watch: @Sendable () throws -> ContextWatcher<Element>

        init(_ query: MagicalRecord.Query<Object>, by key: KeyPath<Object, Key>, in context: NSManagedObjectContext?) {
            let source = ResultsSource<Object, Element>.ofSections(query, by: key) { $0 }
            watch = ContextWatcher.onMainQueue(
                context, entity: query.entityName, values: "observeSections(by: key, in: context) { $0.map(\\.count) }",
                source)
        }

        public func makeAsyncIterator() -> Iterator { Iterator(watcher: Result(catching: watch)) }

        /// Waits for the sections of one state after the other.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let watcher: Result<ContextWatcher<Element>, any Error>

            /// Returns the next sections, waiting for ones that are newer than the last; nil when the observation has ended.
            public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Element? {
                try await watcher.get().next()?.value
            }

            /// Returns the next sections, as ``next(isolation:)``, which the main actor can call since it stays on the caller's
            /// actor.
            @_disfavoredOverload
            public mutating func next() async throws -> Element? { try await watcher.get().next()?.value }
        }
    }
}

extension ContextWatcher {
    /// Returns a function that starts watching a main-queue context, and throws for one with another queue.
    ///
    /// - Parameters:
    ///   - entity: the entity's name, for the error.
    ///   - values: the call that observes values instead, for the error.
    ///   - source: makes the source of one watcher.
    static func onMainQueue(
        _ context: NSManagedObjectContext?, entity: String?, values: String,
        _ source: @escaping @Sendable () -> WatchedSource<Value>
    ) -> @Sendable () throws -> ContextWatcher {
        let context = Result { try ContextScope.forWatching(context) }
        return {
            let context = try context.get()
            guard context.concurrencyType == .mainQueueConcurrencyType else {
                throw MagicalRecordError(
                    .invalidArgument, "Objects can be watched in main-queue contexts only; this one has another queue.",
                    advice: "Pass a closure that makes values of each list: \(values).", entity: entity)
            }
            return ContextWatcher(context, source())
        }
    }
}

extension ResultsSource {
    /// Returns a function that makes a source of values of sections.
    ///
    /// - Parameter mapping: a function that may be called on any queue.
    static func ofSections<Key: Hashable>(
        _ query: MagicalRecord.Query<Object>, by key: KeyPath<Object, Key>,
        _ mapping: @escaping ([MagicalRecord.Section<Key, Object>]) throws -> Value
    ) -> @Sendable () -> WatchedSource<Value> {
        let question = ResultsQuestion(query: query, key: SectionKey(key))
        // Key paths never change, and a property's holds nothing but the property.
        let make = Unchecked { () -> WatchedSource<Value> in
            let keys = ObjectKeys(key)
            return ResultsSource(question, readKeys: keys.read) { try mapping(keys.sections(of: $0.objects)) }
        }
        return { make.value() }
    }
}
