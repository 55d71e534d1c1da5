import CoreData

extension MagicalRecord.Query {
    /// Observes the results as objects, on the main actor: the first list comes soon, another after every change that matters.
    ///
    /// ```swift
    /// for try await friends in User.where(\.isFriend == true).sorted(by: \.displayName).observeObjects() { … }
    /// ```
    /// Costs one fetch at the beginning. After a change, a sorted query without a limit examines the changed objects, and
    /// those that depend on one in their membership, order or section through relationships; a query with a limit or without an
    /// order is fetched again, as is one that follows relationships without an inverse.
    ///
    /// - Parameter context: the main-queue context to observe; without one, the default stack's main context. The sequence
    ///   keeps it alive.
    /// - Returns: a sequence for the main actor; mistakes in the query are thrown when it is iterated.
    @MainActor
    public func observeObjects(in context: NSManagedObjectContext? = nil) -> MagicalRecord.LiveResults<Object> {
        MagicalRecord.LiveResults(ResultsQuestion(query: self), in: context)
    }

    /// Observes the results as objects, in sections. Otherwise as ``observeObjects(in:)``.
    ///
    /// - Parameters:
    ///   - section: the property that the objects of a section share. They are sorted by it first.
    ///   - context: the main-queue context to observe; without one, the default stack's main context.
    @MainActor
    public func observeObjects<Section>(
        sectionedBy section: KeyPath<Object, Section>, in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Object> {
        MagicalRecord.LiveResults(ResultsQuestion(query: self, sectionedBy: section), in: context)
    }

    /// Observes values made of the results, for any task and any context.
    ///
    /// ```swift
    /// for try await friends in User.where(\.isFriend == true).observe({ $0.map(Friend.init) }) { … }
    /// ```
    /// Costs what ``observeObjects(in:)`` costs, and a call of `mapping` for each value that is taken.
    ///
    /// - Parameters:
    ///   - context: the context to observe; without one, the default stack's main context, from every thread. The sequence
    ///     keeps it alive.
    ///   - mapping: makes a value of a list, on the context's queue. Objects stay there.
    /// - Returns: a sequence; mistakes in the query, and what `mapping` throws, are thrown when it is iterated.
    public func observe<Value: Sendable>(
        in context: NSManagedObjectContext? = nil,
        _ mapping: @escaping @Sendable (MagicalRecord.ResultList<Object>) throws -> Value
    ) -> MagicalRecord.LiveValues<Value> {
        let question = ResultsQuestion(query: self)
        return MagicalRecord.LiveValues(in: context) { ResultsSource(question, mapping) }
    }

    /// Observes values made of the results in sections. Otherwise as ``observe(in:_:)``.
    ///
    /// - Parameters:
    ///   - section: the property that the objects of a section share. They are sorted by it first.
    ///   - context: the context to observe; without one, the default stack's main context.
    ///   - mapping: makes a value of a list, on the context's queue.
    public func observe<Section, Value: Sendable>(
        sectionedBy section: KeyPath<Object, Section>, in context: NSManagedObjectContext? = nil,
        _ mapping: @escaping @Sendable (MagicalRecord.ResultList<Object>) throws -> Value
    ) -> MagicalRecord.LiveValues<Value> {
        let question = ResultsQuestion(query: self, sectionedBy: section)
        return MagicalRecord.LiveValues(in: context) { ResultsSource(question, mapping) }
    }
}
