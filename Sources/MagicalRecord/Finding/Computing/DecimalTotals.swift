import CoreData

// Sums and means of properties that are `NSDecimalNumber`s, as classes written by Xcode have them for Decimal attributes: exact
// decimals, as those of properties that are `Decimal`s.

extension MagicalRecord {
    /// `NSDecimalNumber`, or nothing.
    public protocol DecimalNumberAttribute: MagicalRecord.NumericAttribute {}
}

extension NSDecimalNumber: MagicalRecord.DecimalNumberAttribute {}
extension Optional: MagicalRecord.DecimalNumberAttribute where Wrapped: MagicalRecord.DecimalNumberAttribute {}

extension Computation where Value == Decimal {
    fileprivate static func decimal<Number: MagicalRecord.DecimalNumberAttribute>(
        _ function: String, _ key: KeyPath<Object, Number>
    ) -> Self {
        Self(
            function: function, key: KeyPathName.of(key), type: .decimalAttributeType, convert: Value.init(stored:))
    }
}

extension MagicalRecord.Query {
    /// The sum of a decimal attribute. See ``sum(_:in:)``.
    public func sum<Number: MagicalRecord.DecimalNumberAttribute>(
        _ key: KeyPath<Object, Number>, in context: NSManagedObjectContext? = nil
    ) throws -> Decimal {
        try compute(.decimal("sum:", key), in: context) ?? 0
    }

    /// The sum of a decimal attribute for each group of objects that share the values of keys. See
    /// ``sum(_:groupedBy:_:having:in:)``.
    public func sum<
        Number: MagicalRecord.DecimalNumberAttribute, Key: MagicalRecord.AttributeValue,
        each More: MagicalRecord.AttributeValue
    >(
        _ attribute: KeyPath<Object, Number>, groupedBy key: KeyPath<Object, Key>,
        _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Decimal>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Decimal>] {
        try compute(.decimal("sum:", attribute), key, (repeat each more), having: having, in: context)
    }

    /// The mean of a decimal attribute. See ``average(_:in:)``.
    public func average<Number: MagicalRecord.DecimalNumberAttribute>(
        _ key: KeyPath<Object, Number>, in context: NSManagedObjectContext? = nil
    ) throws -> Decimal? {
        try compute(.decimal("average:", key), in: context)
    }

    /// The mean of a decimal attribute for each group of objects that share the values of keys. See
    /// ``average(_:groupedBy:_:having:in:)``.
    public func average<
        Number: MagicalRecord.DecimalNumberAttribute, Key: MagicalRecord.AttributeValue,
        each More: MagicalRecord.AttributeValue
    >(
        _ attribute: KeyPath<Object, Number>, groupedBy key: KeyPath<Object, Key>,
        _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Decimal>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Decimal>] {
        try compute(.decimal("average:", attribute), key, (repeat each more), having: having, in: context)
    }
}

extension MagicalRecord.ManagedObject {
    /// The sum of a decimal attribute. See ``MagicalRecord/Query/sum(_:in:)->Number.Sum``.
    public static func sum<Number: MagicalRecord.DecimalNumberAttribute>(
        _ key: KeyPath<Self, Number>, where condition: MagicalRecord.Condition<Self>? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> Decimal {
        try query(condition).sum(key, in: context)
    }

    /// The sum of a decimal attribute, of the objects that fulfil a condition made by a closure over typed columns.
    public static func sum<
        Number: MagicalRecord.DecimalNumberAttribute, Made: MagicalRecord.ConditionConvertible
    >(
        _ key: KeyPath<Self, Number>, where condition: (MagicalRecord.Columns<Self>) -> Made,
        in context: NSManagedObjectContext? = nil
    ) throws -> Decimal where Made.Root == Self {
        try query(MagicalRecord.Condition(condition)).sum(key, in: context)
    }

    /// The sum of a decimal attribute for each group of objects that share the values of keys. See
    /// `sum(_:groupedBy:_:having:in:)` of ``MagicalRecord/Query``.
    public static func sum<
        Number: MagicalRecord.DecimalNumberAttribute, Key: MagicalRecord.AttributeValue,
        each More: MagicalRecord.AttributeValue
    >(
        _ attribute: KeyPath<Self, Number>, groupedBy key: KeyPath<Self, Key>, _ more: repeat KeyPath<Self, each More>,
        where condition: MagicalRecord.Condition<Self>? = nil,
        having: ((MagicalRecord.Column<Self, Decimal>) -> MagicalRecord.Condition<Self>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Decimal>] {
        try query(condition).sum(attribute, groupedBy: key, repeat each more, having: having, in: context)
    }

    /// The sum of a decimal attribute for each group of the objects that fulfil a condition made by a closure over typed columns.
    public static func sum<
        Number: MagicalRecord.DecimalNumberAttribute, Key: MagicalRecord.AttributeValue,
        each More: MagicalRecord.AttributeValue, Made: MagicalRecord.ConditionConvertible
    >(
        _ attribute: KeyPath<Self, Number>, groupedBy key: KeyPath<Self, Key>, _ more: repeat KeyPath<Self, each More>,
        where condition: (MagicalRecord.Columns<Self>) -> Made,
        having: ((MagicalRecord.Column<Self, Decimal>) -> MagicalRecord.Condition<Self>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Decimal>] where Made.Root == Self {
        try query(MagicalRecord.Condition(condition))
            .sum(attribute, groupedBy: key, repeat each more, having: having, in: context)
    }

    /// The mean of a decimal attribute. See ``MagicalRecord/Query/average(_:in:)->Number.Average?``.
    public static func average<Number: MagicalRecord.DecimalNumberAttribute>(
        _ key: KeyPath<Self, Number>, where condition: MagicalRecord.Condition<Self>? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> Decimal? {
        try query(condition).average(key, in: context)
    }

    /// The mean of a decimal attribute, of the objects that fulfil a condition made by a closure over typed columns.
    public static func average<
        Number: MagicalRecord.DecimalNumberAttribute, Made: MagicalRecord.ConditionConvertible
    >(
        _ key: KeyPath<Self, Number>, where condition: (MagicalRecord.Columns<Self>) -> Made,
        in context: NSManagedObjectContext? = nil
    ) throws -> Decimal? where Made.Root == Self {
        try query(MagicalRecord.Condition(condition)).average(key, in: context)
    }

    /// The mean of a decimal attribute for each group of objects that share the values of keys. See
    /// `average(_:groupedBy:_:having:in:)` of ``MagicalRecord/Query``.
    public static func average<
        Number: MagicalRecord.DecimalNumberAttribute, Key: MagicalRecord.AttributeValue,
        each More: MagicalRecord.AttributeValue
    >(
        _ attribute: KeyPath<Self, Number>, groupedBy key: KeyPath<Self, Key>, _ more: repeat KeyPath<Self, each More>,
        where condition: MagicalRecord.Condition<Self>? = nil,
        having: ((MagicalRecord.Column<Self, Decimal>) -> MagicalRecord.Condition<Self>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Decimal>] {
        try query(condition).average(attribute, groupedBy: key, repeat each more, having: having, in: context)
    }

    /// The mean of a decimal attribute for each group of the objects that fulfil a condition made by a closure over typed columns.
    public static func average<
        Number: MagicalRecord.DecimalNumberAttribute, Key: MagicalRecord.AttributeValue,
        each More: MagicalRecord.AttributeValue, Made: MagicalRecord.ConditionConvertible
    >(
        _ attribute: KeyPath<Self, Number>, groupedBy key: KeyPath<Self, Key>, _ more: repeat KeyPath<Self, each More>,
        where condition: (MagicalRecord.Columns<Self>) -> Made,
        having: ((MagicalRecord.Column<Self, Decimal>) -> MagicalRecord.Condition<Self>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Key, repeat each More), Decimal>] where Made.Root == Self {
        try query(MagicalRecord.Condition(condition))
            .average(attribute, groupedBy: key, repeat each more, having: having, in: context)
    }
}
