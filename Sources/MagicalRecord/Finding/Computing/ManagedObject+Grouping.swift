import CoreData

// What the store computes for each group of objects of a class. See the functions of the same names of ``MagicalRecord/Query``.

extension MagicalRecord.ManagedObject {
    /// How many objects share each value of a key, or each combination of several. See ``MagicalRecord/Query/count(groupedBy:_:having:in:)``.
    public static func count<Key: MagicalRecord.AttributeValue, each More: MagicalRecord.AttributeValue>(
        groupedBy key: KeyPath<Self, Key>, _ more: repeat KeyPath<Self, each More>,
        where condition: MagicalRecord.Condition<Self>? = nil,
        having: ((MagicalRecord.Column<Self, Int>) -> MagicalRecord.Condition<Self>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Int>] {
        try query(condition).count(groupedBy: key, repeat each more, having: having, in: context)
    }

    /// How many of the objects that fulfil a condition made by a closure over typed columns share each value of a key, or each
    /// combination of several.
    public static func count<
        Key: MagicalRecord.AttributeValue, each More: MagicalRecord.AttributeValue,
        Made: MagicalRecord.ConditionConvertible
    >(
        groupedBy key: KeyPath<Self, Key>, _ more: repeat KeyPath<Self, each More>,
        where condition: (MagicalRecord.Columns<Self>) -> Made,
        having: ((MagicalRecord.Column<Self, Int>) -> MagicalRecord.Condition<Self>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Int>] where Made.Root == Self {
        try query(MagicalRecord.Condition(condition)).count(
            groupedBy: key, repeat each more, having: having, in: context)
    }

    /// The sum of an attribute for each group of objects that share the values of keys. See `sum(_:groupedBy:_:having:in:)` of ``MagicalRecord/Query``.
    // Properties that are `NSDecimalNumber`s have their own: Swift does not rank functions with parameter packs.
    @_disfavoredOverload
    public static func sum<
        Number: MagicalRecord.NumericAttribute, Key: MagicalRecord.AttributeValue,
        each More: MagicalRecord.AttributeValue
    >(
        _ attribute: KeyPath<Self, Number>, groupedBy key: KeyPath<Self, Key>, _ more: repeat KeyPath<Self, each More>,
        where condition: MagicalRecord.Condition<Self>? = nil,
        having: ((MagicalRecord.Column<Self, Number.Sum>) -> MagicalRecord.Condition<Self>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Number.Sum>] {
        try query(condition).sum(attribute, groupedBy: key, repeat each more, having: having, in: context)
    }

    /// The sum of an attribute for each group of the objects that fulfil a condition made by a closure over typed columns.
    // Properties that are `NSDecimalNumber`s have their own: Swift does not rank functions with parameter packs.
    @_disfavoredOverload
    public static func sum<
        Number: MagicalRecord.NumericAttribute, Key: MagicalRecord.AttributeValue,
        each More: MagicalRecord.AttributeValue,
        Made: MagicalRecord.ConditionConvertible
    >(
        _ attribute: KeyPath<Self, Number>, groupedBy key: KeyPath<Self, Key>, _ more: repeat KeyPath<Self, each More>,
        where condition: (MagicalRecord.Columns<Self>) -> Made,
        having: ((MagicalRecord.Column<Self, Number.Sum>) -> MagicalRecord.Condition<Self>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Number.Sum>] where Made.Root == Self {
        try query(MagicalRecord.Condition(condition))
            .sum(attribute, groupedBy: key, repeat each more, having: having, in: context)
    }

    /// The mean of an attribute for each group of objects that share the values of keys. See `average(_:groupedBy:_:having:in:)` of ``MagicalRecord/Query``.
    // Properties that are `NSDecimalNumber`s have their own: Swift does not rank functions with parameter packs.
    @_disfavoredOverload
    public static func average<
        Number: MagicalRecord.NumericAttribute, Key: MagicalRecord.AttributeValue,
        each More: MagicalRecord.AttributeValue
    >(
        _ attribute: KeyPath<Self, Number>, groupedBy key: KeyPath<Self, Key>, _ more: repeat KeyPath<Self, each More>,
        where condition: MagicalRecord.Condition<Self>? = nil,
        having: ((MagicalRecord.Column<Self, Number.Average>) -> MagicalRecord.Condition<Self>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Number.Average>] {
        try query(condition).average(attribute, groupedBy: key, repeat each more, having: having, in: context)
    }

    /// The mean of an attribute for each group of the objects that fulfil a condition made by a closure over typed columns.
    // Properties that are `NSDecimalNumber`s have their own: Swift does not rank functions with parameter packs.
    @_disfavoredOverload
    public static func average<
        Number: MagicalRecord.NumericAttribute, Key: MagicalRecord.AttributeValue,
        each More: MagicalRecord.AttributeValue,
        Made: MagicalRecord.ConditionConvertible
    >(
        _ attribute: KeyPath<Self, Number>, groupedBy key: KeyPath<Self, Key>, _ more: repeat KeyPath<Self, each More>,
        where condition: (MagicalRecord.Columns<Self>) -> Made,
        having: ((MagicalRecord.Column<Self, Number.Average>) -> MagicalRecord.Condition<Self>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Number.Average>] where Made.Root == Self {
        try query(MagicalRecord.Condition(condition))
            .average(attribute, groupedBy: key, repeat each more, having: having, in: context)
    }

    /// The least value of an attribute for each group of objects that share the values of keys. See ``MagicalRecord/Query/minimum(_:groupedBy:_:having:in:)``.
    public static func minimum<
        Value: MagicalRecord.AttributeValue, Key: MagicalRecord.AttributeValue, each More: MagicalRecord.AttributeValue
    >(
        _ attribute: KeyPath<Self, Value>, groupedBy key: KeyPath<Self, Key>, _ more: repeat KeyPath<Self, each More>,
        where condition: MagicalRecord.Condition<Self>? = nil,
        having: ((MagicalRecord.Column<Self, Value.Present>) -> MagicalRecord.Condition<Self>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Value.Present>] {
        try query(condition).minimum(attribute, groupedBy: key, repeat each more, having: having, in: context)
    }

    /// The least value of an attribute for each group of the objects that fulfil a condition made by a closure over typed columns.
    public static func minimum<
        Value: MagicalRecord.AttributeValue, Key: MagicalRecord.AttributeValue, each More: MagicalRecord.AttributeValue,
        Made: MagicalRecord.ConditionConvertible
    >(
        _ attribute: KeyPath<Self, Value>, groupedBy key: KeyPath<Self, Key>, _ more: repeat KeyPath<Self, each More>,
        where condition: (MagicalRecord.Columns<Self>) -> Made,
        having: ((MagicalRecord.Column<Self, Value.Present>) -> MagicalRecord.Condition<Self>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Value.Present>] where Made.Root == Self {
        try query(MagicalRecord.Condition(condition))
            .minimum(attribute, groupedBy: key, repeat each more, having: having, in: context)
    }

    /// The greatest value of an attribute for each group of objects that share the values of keys. See ``MagicalRecord/Query/maximum(_:groupedBy:_:having:in:)``.
    public static func maximum<
        Value: MagicalRecord.AttributeValue, Key: MagicalRecord.AttributeValue, each More: MagicalRecord.AttributeValue
    >(
        _ attribute: KeyPath<Self, Value>, groupedBy key: KeyPath<Self, Key>, _ more: repeat KeyPath<Self, each More>,
        where condition: MagicalRecord.Condition<Self>? = nil,
        having: ((MagicalRecord.Column<Self, Value.Present>) -> MagicalRecord.Condition<Self>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Value.Present>] {
        try query(condition).maximum(attribute, groupedBy: key, repeat each more, having: having, in: context)
    }

    /// The greatest value of an attribute for each group of the objects that fulfil a condition made by a closure over typed columns.
    public static func maximum<
        Value: MagicalRecord.AttributeValue, Key: MagicalRecord.AttributeValue, each More: MagicalRecord.AttributeValue,
        Made: MagicalRecord.ConditionConvertible
    >(
        _ attribute: KeyPath<Self, Value>, groupedBy key: KeyPath<Self, Key>, _ more: repeat KeyPath<Self, each More>,
        where condition: (MagicalRecord.Columns<Self>) -> Made,
        having: ((MagicalRecord.Column<Self, Value.Present>) -> MagicalRecord.Condition<Self>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Value.Present>] where Made.Root == Self {
        try query(MagicalRecord.Condition(condition))
            .maximum(attribute, groupedBy: key, repeat each more, having: having, in: context)
    }
}
