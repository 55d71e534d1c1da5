import CoreData

// Values that the store computes over the objects of a query, without making objects. Objects without a value do not count,
// and a context's unsaved changes are not seen. A query with a limit or an offset is ``MagicalRecordError/Code/invalidArgument``.

extension MagicalRecord.Query {
    /// Returns the sum of an attribute: 0 over no objects.
    ///
    /// ```swift
    /// let total = try User.where { $0.isFriend }.sum(of: \.balance)
    /// ```
    /// Unsaved changes are not seen, and objects without a value do not count.
    ///
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue`` for a sum that the type cannot hold,
    ///   ``MagicalRecordError/Code/invalidArgument`` for a query with a limit; what ``fetchRequest(in:)`` throws, or Core Data's
    ///   error.
    public func sum<Number: MagicalRecord.NumericAttribute>(
        of attribute: KeyPath<Object, Number>, in context: NSManagedObjectContext? = nil
    ) throws -> Number.Sum {
        try compute(.sum(attribute), in: context) ?? Number._emptySum
    }

    /// Returns the mean of an attribute, or `nil` over no objects. Otherwise as ``sum(of:in:)``.
    public func average<Number: MagicalRecord.NumericAttribute>(
        of attribute: KeyPath<Object, Number>, in context: NSManagedObjectContext? = nil
    ) throws -> Number.Average? {
        try compute(.average(attribute), in: context)
    }

    /// Returns the least value of an attribute, or `nil` over no objects. Otherwise as ``sum(of:in:)``.
    public func minimum<Value: MagicalRecord.AttributeValue>(
        of attribute: KeyPath<Object, Value>, in context: NSManagedObjectContext? = nil
    ) throws -> Value.Present? {
        try compute(.minimum(attribute), in: context)
    }

    /// Returns the greatest value of an attribute, or `nil` over no objects. Otherwise as ``sum(of:in:)``.
    public func maximum<Value: MagicalRecord.AttributeValue>(
        of attribute: KeyPath<Object, Value>, in context: NSManagedObjectContext? = nil
    ) throws -> Value.Present? {
        try compute(.maximum(attribute), in: context)
    }
}
