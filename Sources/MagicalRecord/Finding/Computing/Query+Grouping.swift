import CoreData

// Values the store computes for each group of objects that share the values of one key, or of several. The groups come in the
// order of their keys. Objects without a value for a key are in no group, unless its property is optional.

extension MagicalRecord.Query {
    /// How many objects share each value of a key, or each combination of several, without making them.
    ///
    /// ```swift
    /// let byCountry = try User.all.count(groupedBy: \.countryCode, having: { $0 > 10 })
    /// for group in byCountry { print(group.key, group.value) }
    /// ```
    /// - Parameters:
    ///   - key: what the objects of a group share.
    ///   - more: further keys; `key` of a group is then a tuple.
    ///   - having: which groups to return, by their count.
    ///   - context: where to look. Its unsaved changes are not seen.
    /// - Throws: as the others of this family.
    public func count<Key: MagicalRecord.AttributeValue, each More: MagicalRecord.AttributeValue>(
        groupedBy key: KeyPath<Object, Key>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Int>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Int>] {
        try compute(.count(), key, (repeat each more), having: having, in: context)
    }

    /// The sum of an attribute for each group of objects that share the values of keys. See ``count(groupedBy:_:having:in:)`` and
    /// ``sum(_:in:)->Number.Sum``.
    // Properties that are `NSDecimalNumber`s have their own: Swift does not rank functions with parameter packs.
    @_disfavoredOverload
    public func sum<
        Number: MagicalRecord.NumericAttribute, Key: MagicalRecord.AttributeValue,
        each More: MagicalRecord.AttributeValue
    >(
        _ attribute: KeyPath<Object, Number>, groupedBy key: KeyPath<Object, Key>,
        _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Number.Sum>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Number.Sum>] {
        try compute(.sum(attribute), key, (repeat each more), having: having, in: context)
    }

    /// The mean of an attribute for each group of objects that share the values of keys. See ``count(groupedBy:_:having:in:)`` and
    /// ``average(_:in:)->Number.Average?``.
    // Properties that are `NSDecimalNumber`s have their own: Swift does not rank functions with parameter packs.
    @_disfavoredOverload
    public func average<
        Number: MagicalRecord.NumericAttribute, Key: MagicalRecord.AttributeValue,
        each More: MagicalRecord.AttributeValue
    >(
        _ attribute: KeyPath<Object, Number>, groupedBy key: KeyPath<Object, Key>,
        _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Number.Average>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Number.Average>] {
        try compute(.average(attribute), key, (repeat each more), having: having, in: context)
    }

    /// The least value of an attribute for each group of objects that share the values of keys. See ``count(groupedBy:_:having:in:)`` and
    /// ``minimum(_:in:)``.
    public func minimum<
        Value: MagicalRecord.AttributeValue, Key: MagicalRecord.AttributeValue, each More: MagicalRecord.AttributeValue
    >(
        _ attribute: KeyPath<Object, Value>, groupedBy key: KeyPath<Object, Key>,
        _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Value.Present>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Value.Present>] {
        try compute(.minimum(attribute), key, (repeat each more), having: having, in: context)
    }

    /// The greatest value of an attribute for each group of objects that share the values of keys. See ``count(groupedBy:_:having:in:)`` and
    /// ``maximum(_:in:)``.
    public func maximum<
        Value: MagicalRecord.AttributeValue, Key: MagicalRecord.AttributeValue, each More: MagicalRecord.AttributeValue
    >(
        _ attribute: KeyPath<Object, Value>, groupedBy key: KeyPath<Object, Key>,
        _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Value.Present>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Value.Present>] {
        try compute(.maximum(attribute), key, (repeat each more), having: having, in: context)
    }
}
