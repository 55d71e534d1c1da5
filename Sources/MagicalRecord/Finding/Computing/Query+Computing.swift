import CoreData

// Values the store computes over the objects of a query, without making them.

extension MagicalRecord.Query {
    /// The sum of an attribute, in the type of the property; 0 over no objects. Objects without a value do not count, and unsaved changes are not seen.
    ///
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue`` for a value that the type cannot hold,
    ///   ``MagicalRecordError/Code/invalidArgument`` for a query with a limit; what ``fetchRequest(in:)`` throws, or Core Data's
    ///   error.
    public func sum<Number: MagicalRecord.NumericAttribute>(
        _ key: KeyPath<Object, Number>, in context: NSManagedObjectContext? = nil
    ) throws -> Number.Sum {
        try compute(.sum(key), in: context) ?? Number.emptySum
    }

    /// The mean of an attribute, a `Double`, or a `Decimal` for decimals; `nil` over no objects. Objects without a value do not count, and unsaved changes are not seen.
    ///
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue`` for a value that the type cannot hold,
    ///   ``MagicalRecordError/Code/invalidArgument`` for a query with a limit; what ``fetchRequest(in:)`` throws, or Core Data's
    ///   error.
    public func average<Number: MagicalRecord.NumericAttribute>(
        _ key: KeyPath<Object, Number>, in context: NSManagedObjectContext? = nil
    ) throws -> Number.Average? {
        try compute(.average(key), in: context)
    }

    /// The least value of an attribute; `nil` over no objects. Objects without a value do not count, and unsaved changes are not seen.
    ///
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue`` for a value that the type cannot hold,
    ///   ``MagicalRecordError/Code/invalidArgument`` for a query with a limit; what ``fetchRequest(in:)`` throws, or Core Data's
    ///   error.
    public func minimum<Value: MagicalRecord.AttributeValue>(
        _ key: KeyPath<Object, Value>, in context: NSManagedObjectContext? = nil
    ) throws -> Value.Present? {
        try compute(.minimum(key), in: context)
    }

    /// The greatest value of an attribute; `nil` over no objects. Objects without a value do not count, and unsaved changes are not seen.
    ///
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue`` for a value that the type cannot hold,
    ///   ``MagicalRecordError/Code/invalidArgument`` for a query with a limit; what ``fetchRequest(in:)`` throws, or Core Data's
    ///   error.
    public func maximum<Value: MagicalRecord.AttributeValue>(
        _ key: KeyPath<Object, Value>, in context: NSManagedObjectContext? = nil
    ) throws -> Value.Present? {
        try compute(.maximum(key), in: context)
    }
}
