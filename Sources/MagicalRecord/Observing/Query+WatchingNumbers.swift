import CoreData

extension MagicalRecord.Query {
    /// How many objects there are over time: the number soon, another whenever it has changed.
    ///
    /// Costs one count, answered by the store, at the beginning and after changes of objects that may count, however many come
    /// together. Unsaved changes of the context count unless the query leaves them out; what others save counts at
    /// once.
    ///
    /// - Parameter context: the context to watch; without one, the default stack's main context, from every thread. The
    ///   sequence keeps it alive.
    /// - Returns: A sequence, no two numbers in a row being the same; mistakes in the query are thrown when it is iterated.
    public func counts(in context: NSManagedObjectContext? = nil) -> MagicalRecord.LiveValues<Int> {
        var plain = self
        plain.order = []
        let query = plain
        return MagicalRecord.LiveValues(in: context) {
            NumberSource(ResultsQuestion(query: query)) { try query.count(in: $0) }
        }
    }

    /// The sum of an attribute over time, in the type of the property: the sum soon, another whenever it has changed.
    ///
    /// Costs one sum, computed by the store, at the beginning and after changes of objects that may count. As in
    /// ``sum(_:in:)->Number.Sum`` unsaved changes are not seen.
    ///
    /// - Parameters:
    ///   - key: the attribute.
    ///   - context: the context to watch; without one, the default stack's main context, from every thread. The sequence keeps
    ///     it alive.
    /// - Returns: A sequence, no two sums in a row being the same. Iteration throws what ``sum(_:in:)->Number.Sum`` throws.
    public func sums<Number: MagicalRecord.NumericAttribute>(
        of key: KeyPath<Object, Number>, in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveValues<Number.Sum> {
        var plain = self
        plain.order = []
        let query = plain
        let question = ResultsQuestion(query: query, section: KeyPathName.of(key).map(Optional.some))
        // Key paths never change, and a property's holds nothing but the property.
        let key = Unchecked(key)
        return MagicalRecord.LiveValues(in: context) {
            NumberSource(question) { try query.sum(key.value, in: $0) }
        }
    }
}

extension MagicalRecord.ManagedObject {
    /// How many objects fulfil a condition, over time; without one, all. See ``MagicalRecord/Query/counts(in:)``.
    public static func counts(
        where condition: MagicalRecord.Condition<Self>? = nil, in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveValues<Int> {
        query(condition).counts(in: context)
    }

    /// How many objects fulfil a condition made by a closure over typed columns, over time.
    public static func counts<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveValues<Int> where Made.Root == Self {
        query(MagicalRecord.Condition(condition)).counts(in: context)
    }

    /// The sum of an attribute over time, of the objects that fulfil a condition; without one, of all. See
    /// ``MagicalRecord/Query/sums(of:in:)``.
    public static func sums<Number: MagicalRecord.NumericAttribute>(
        of key: KeyPath<Self, Number>, where condition: MagicalRecord.Condition<Self>? = nil,
        in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveValues<Number.Sum> {
        query(condition).sums(of: key, in: context)
    }

    /// The sum of an attribute over time, of the objects that fulfil a condition made by a closure over typed columns.
    public static func sums<Number: MagicalRecord.NumericAttribute, Made: MagicalRecord.ConditionConvertible>(
        of key: KeyPath<Self, Number>, where condition: (MagicalRecord.Columns<Self>) -> Made,
        in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveValues<Number.Sum> where Made.Root == Self {
        query(MagicalRecord.Condition(condition)).sums(of: key, in: context)
    }
}
