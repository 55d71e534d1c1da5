import CoreData

extension MagicalRecord.Query {
    /// Returns the values of one attribute in the order of the query, without creating objects. Unsaved changes are not seen.
    ///
    /// - Parameters:
    ///   - key: the attribute. Objects without a value are left out, unless the property is optional.
    ///   - distinct: each value only once.
    ///   - context: where to look.
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue`` for a value that the type cannot hold; what
    ///   ``fetchRequest(in:)`` throws, or Core Data's error.
    public func values<Value: MagicalRecord.AttributeValue>(
        of key: KeyPath<Object, Value>, distinct: Bool = false, in context: NSManagedObjectContext? = nil
    ) throws -> [Value] {
        let context = try ContextScope.resolve(context)
        let name = try KeyPathName.of(key).get()
        let entity = try entity(in: context)
        let fetch = AggregateFetch(
            entity: entity, predicate: try condition?.predicate(for: entity), columns: [], grouping: [],
            sort: try order.sortDescriptors(), plainColumns: [name], isDistinct: distinct, limit: limit, offset: offset,
            includesSubentities: includesSubentities)
        return try fetch.rows(in: context).compactMap { try fetch.value(name, of: $0, Value.init(_stored:)) }
    }
}
