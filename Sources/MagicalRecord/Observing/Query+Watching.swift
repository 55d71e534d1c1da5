import CoreData

extension MagicalRecord.Query {
    /// The results over time: the first list soon, another after every change that matters to them.
    ///
    /// Costs one fetch at the beginning. After a change, a sorted query without a limit looks at the changed objects, and at
    /// those whose membership, order or section depends on one through relationships; one with a limit or without an order
    /// is fetched again, as is one that follows relationships without an inverse.
    ///
    /// - Parameters:
    ///   - section: what the results are grouped by. They are sorted by it first.
    ///   - context: the context to watch; without one, as for all functions of queries. The
    ///     sequence keeps it alive.
    /// - Returns: A sequence; mistakes in the query are thrown when it is iterated.
    public func results<Value>(
        groupedBy section: KeyPath<Object, Value>, in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Object> {
        results(groupedBy: KeyPathName.of(section).map(Optional.some), context)
    }

    /// As ``results(groupedBy:in:)-swift.method``, without sections or with a key path given as text.
    public func results(
        groupedByKey section: String? = nil, in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Object> {
        results(groupedBy: .success(section), context)
    }

    private func results(
        groupedBy section: Result<String?, MagicalRecordError>, _ context: NSManagedObjectContext?
    ) -> MagicalRecord.LiveResults<Object> {
        let question = MagicalRecord.LiveResults<Object>.Question(
            request: { context in
                let request = try fetchRequest(in: context)
                if let key = try section.get(), request.sortDescriptors?.first?.key != key {
                    request.sortDescriptors =
                        [NSSortDescriptor(key: key, ascending: true)] + (request.sortDescriptors ?? [])
                }
                return request
            },
            sectionNameKeyPath: { try section.get() })
        return MagicalRecord.LiveResults(Result { try ContextScope.resolve(context) }, question)
    }
}
