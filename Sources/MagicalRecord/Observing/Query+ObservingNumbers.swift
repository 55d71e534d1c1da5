import CoreData

extension MagicalRecord.Query {
    /// Observes the number of objects: it comes soon, and again whenever it has changed.
    ///
    /// Costs one count, answered by the store, at the beginning and after changes of objects that may count, however many come
    /// together. Unsaved changes of the context count unless the query leaves them out; saves of other contexts count at once.
    ///
    /// - Parameter context: the context to observe; without one, the default stack's main context, from every thread. The
    ///   sequence keeps it alive.
    /// - Returns: a sequence in which no two successive numbers are the same; mistakes in the query are thrown when it is
    ///   iterated.
    public func observeCount(in context: NSManagedObjectContext? = nil) -> MagicalRecord.LiveValues<Int> {
        var plain = self
        plain.order = []
        let query = plain
        return MagicalRecord.LiveValues(in: context) {
            NumberSource(ResultsQuestion(query: query)) { try query.count(in: $0) }
        }
    }

    /// Observes the sum of an attribute: it comes soon, and again whenever it has changed.
    ///
    /// Costs one sum, computed by the store, at the beginning and after changes of objects that may count. Unsaved changes are
    /// not seen, as by ``sum(of:in:)``.
    ///
    /// - Parameters:
    ///   - attribute: the attribute to add up.
    ///   - context: the context to observe; without one, the default stack's main context, from every thread. The sequence keeps
    ///     it alive.
    /// - Returns: a sequence in which no two successive sums are the same. Iteration throws what ``sum(of:in:)`` throws.
    public func observeSum<Number: MagicalRecord.NumericAttribute>(
        of attribute: KeyPath<Object, Number>, in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveValues<Number.Sum> {
        var plain = self
        plain.order = []
        let query = plain
        let question = ResultsQuestion(query: query, sectionedBy: attribute)
        // Key paths never change, and a property's holds nothing but the property.
        let attribute = Unchecked(attribute)
        return MagicalRecord.LiveValues(in: context) {
            NumberSource(question) { try query.sum(of: attribute.value, in: $0) }
        }
    }
}
