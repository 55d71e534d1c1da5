import CoreData

// Values that the store computes for each group of objects that share the values of one key, or of several. Groups come in the
// order of their keys. Objects without a value for a key are in no group, unless its property is optional.

extension MagicalRecord.Query {
    /// Returns the number of objects that share each value of a key, or each combination of values of several, without making
    /// objects.
    ///
    /// ```swift
    /// let byCountry = try User.all.count(by: \.countryCode, having: { $0 > 10 })
    /// for group in byCountry { print(group.key, group.value) }
    /// ```
    /// - Parameters:
    ///   - key: the attribute that the objects of a group share.
    ///   - more: further attributes; the `key` of a group is then a tuple.
    ///   - having: the condition on a group's value for the group to be returned.
    ///   - context: where to look. Its unsaved changes are not seen.
    /// - Throws: as ``sum(of:in:)``.
    public func count<Key: MagicalRecord.AttributeValue, each More: MagicalRecord.AttributeValue>(
        by key: KeyPath<Object, Key>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Int>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Int>] {
        try compute(.count(), key, (repeat each more), having: having, in: context)
    }

    /// Returns the sum of an attribute for each group. See ``count(by:_:having:in:)`` and ``sum(of:in:)``.
    public func sum<
        Number: MagicalRecord.NumericAttribute, Key: MagicalRecord.AttributeValue,
        each More: MagicalRecord.AttributeValue
    >(
        of attribute: KeyPath<Object, Number>, by key: KeyPath<Object, Key>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Number.Sum>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Number.Sum>] {
        try compute(.sum(attribute), key, (repeat each more), having: having, in: context)
    }

    /// Returns the mean of an attribute for each group. See ``count(by:_:having:in:)`` and ``average(of:in:)``.
    public func average<
        Number: MagicalRecord.NumericAttribute, Key: MagicalRecord.AttributeValue,
        each More: MagicalRecord.AttributeValue
    >(
        of attribute: KeyPath<Object, Number>, by key: KeyPath<Object, Key>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Number.Average>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Number.Average>] {
        try compute(.average(attribute), key, (repeat each more), having: having, in: context)
    }

    /// Returns the least value of an attribute for each group. See ``count(by:_:having:in:)`` and ``minimum(of:in:)``.
    public func minimum<
        Value: MagicalRecord.AttributeValue, Key: MagicalRecord.AttributeValue, each More: MagicalRecord.AttributeValue
    >(
        of attribute: KeyPath<Object, Value>, by key: KeyPath<Object, Key>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Value.Present>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Value.Present>] {
        try compute(.minimum(attribute), key, (repeat each more), having: having, in: context)
    }

    /// Returns the greatest value of an attribute for each group. See ``count(by:_:having:in:)`` and ``maximum(of:in:)``.
    public func maximum<
        Value: MagicalRecord.AttributeValue, Key: MagicalRecord.AttributeValue, each More: MagicalRecord.AttributeValue
    >(
        of attribute: KeyPath<Object, Value>, by key: KeyPath<Object, Key>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Value.Present>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Value.Present>] {
        try compute(.maximum(attribute), key, (repeat each more), having: having, in: context)
    }
}
