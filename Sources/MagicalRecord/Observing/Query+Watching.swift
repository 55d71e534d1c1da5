import CoreData

extension MagicalRecord.Query {
    /// The results over time, as objects: the first list soon, another after every change that matters to them.
    ///
    /// Costs one fetch at the beginning. After a change, a sorted query without a limit looks at the changed objects, and at
    /// those whose membership, order or section depends on one through relationships; one with a limit or without an order
    /// is fetched again, as is one that follows relationships without an inverse.
    ///
    /// - Parameters:
    ///   - section: what the results are grouped by. They are sorted by it first.
    ///   - context: the main-queue context to watch; without one, the default stack's main context. The sequence keeps it
    ///     alive.
    /// - Returns: A sequence for the main actor; mistakes in the query are thrown when it is iterated.
    @MainActor
    public func results<Value>(
        groupedBy section: KeyPath<Object, Value>, in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Object> {
        MagicalRecord.LiveResults(question(section), in: context)
    }

    /// As ``results(groupedBy:in:)-swift.method``, without sections or with a key path given as text.
    @MainActor
    public func results(
        groupedByKey section: String? = nil, in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Object> {
        MagicalRecord.LiveResults(ResultsQuestion(query: self, section: .success(section)), in: context)
    }

    /// Values made of the results over time, for any task and any context.
    ///
    /// ```swift
    /// for try await friends in query.results({ $0.map(Friend.init) }) { … }
    /// ```
    /// Costs what ``results(groupedByKey:in:)`` costs, and a call of `mapping` for each value that is taken.
    ///
    /// - Parameters:
    ///   - section: the key path that the results are grouped by, if any. They are sorted by it first.
    ///   - context: the context to watch; without one, the default stack's main context, from every thread. The sequence
    ///     keeps it alive.
    ///   - mapping: makes a value of a list, on the context's queue. Objects stay there.
    /// - Returns: A sequence; mistakes in the query, and what `mapping` throws, are thrown when it is iterated.
    public func results<Value: Sendable>(
        groupedByKey section: String? = nil, in context: NSManagedObjectContext? = nil,
        _ mapping: @escaping @Sendable (MagicalRecord.ResultList<Object>) throws -> Value
    ) -> MagicalRecord.LiveValues<Value> {
        values(of: ResultsQuestion(query: self, section: .success(section)), in: context, mapping)
    }

    /// As ``results(groupedByKey:in:_:)``, with sections by a property.
    public func results<Section, Value: Sendable>(
        groupedBy section: KeyPath<Object, Section>, in context: NSManagedObjectContext? = nil,
        _ mapping: @escaping @Sendable (MagicalRecord.ResultList<Object>) throws -> Value
    ) -> MagicalRecord.LiveValues<Value> {
        values(of: question(section), in: context, mapping)
    }

    private func question<Section>(_ section: KeyPath<Object, Section>) -> ResultsQuestion<Object> {
        ResultsQuestion(query: self, section: KeyPathName.of(section).map(Optional.some))
    }

    private func values<Value: Sendable>(
        of question: ResultsQuestion<Object>, in context: NSManagedObjectContext?,
        _ mapping: @escaping @Sendable (MagicalRecord.ResultList<Object>) throws -> Value
    ) -> MagicalRecord.LiveValues<Value> {
        MagicalRecord.LiveValues(in: context) { ResultsSource(question, mapping) }
    }
}
