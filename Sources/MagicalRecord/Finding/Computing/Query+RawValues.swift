import CoreData

// Enumerations, and other types with a raw value, that are no `AttributeValue`: the store has their raw values.

/// Such a type, for errors.
protocol RawKeyType { static var rawType: Any.Type { get } }

/// A value of such a type.
struct RawKey<Raw: RawRepresentable>: MagicalRecord.AttributeValue, RawKeyType
where Raw.RawValue: MagicalRecord.AttributeValue {
    static var rawType: Any.Type { Raw.self }

    let value: Raw

    init?(_stored stored: Any?) {
        guard let raw = Raw.RawValue(_stored: stored), let value = Raw(rawValue: raw) else { return nil }
        self.value = value
    }
}

extension MagicalRecord.Query {
    /// Returns the values of an attribute with raw values, in the order of the query. See ``values(of:distinct:in:)``.
    ///
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue`` for a stored raw value without a case.
    @_disfavoredOverload
    public func values<Raw: RawRepresentable>(
        of key: KeyPath<Object, Raw>, distinct: Bool = false, in context: NSManagedObjectContext? = nil
    ) throws -> [Raw] where Raw.RawValue: MagicalRecord.AttributeValue {
        try storedValues(of: key, distinct: distinct, in: context).map { (key: RawKey<Raw>) in key.value }
    }

    /// Returns the values of an optional attribute with raw values, in the order of the query. See ``values(of:distinct:in:)``.
    @_disfavoredOverload
    public func values<Raw: RawRepresentable>(
        of key: KeyPath<Object, Raw?>, distinct: Bool = false, in context: NSManagedObjectContext? = nil
    ) throws -> [Raw?] where Raw.RawValue: MagicalRecord.AttributeValue {
        try storedValues(of: key, distinct: distinct, in: context).map { (key: RawKey<Raw>?) in key?.value }
    }
}

// Groups by such a type, followed by any other keys.

extension MagicalRecord.Query {
    /// Returns the number of objects for each value of an enumeration. See `count(by:)` of plain attributes.
    ///
    /// - Throws: ``MagicalRecordError/Code/unconvertibleValue`` for a stored raw value without a case.
    @_disfavoredOverload
    public func count<Raw: RawRepresentable, each More: MagicalRecord.AttributeValue>(
        by key: KeyPath<Object, Raw>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Int>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Raw, repeat each More), Int>]
    where Raw.RawValue: MagicalRecord.AttributeValue {
        try compute(.init(), key, { (key: RawKey<Raw>) in key.value }, (repeat each more), having: having, in: context)
    }

    /// Returns the number of objects for each value of an optional enumeration. See `count(by:)` of plain attributes.
    @_disfavoredOverload
    public func count<Raw: RawRepresentable, each More: MagicalRecord.AttributeValue>(
        by key: KeyPath<Object, Raw?>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Int>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Raw?, repeat each More), Int>]
    where Raw.RawValue: MagicalRecord.AttributeValue {
        try compute(
            .init(), key, { (key: RawKey<Raw>?) in key?.value }, (repeat each more), having: having, in: context)
    }

    /// Returns the sum of an attribute for each value of an enumeration. See ``sum(of:by:_:having:in:)``.
    @_disfavoredOverload
    public func sum<
        Number: MagicalRecord.NumericAttribute, Raw: RawRepresentable, each More: MagicalRecord.AttributeValue
    >(
        of attribute: KeyPath<Object, Number>, by key: KeyPath<Object, Raw>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Number.Sum>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Raw, repeat each More), Number.Sum>]
    where Raw.RawValue: MagicalRecord.AttributeValue {
        try compute(
            .init("sum:", attribute, Number._sumType), key, { (key: RawKey<Raw>) in key.value }, (repeat each more),
            having: having, in: context)
    }

    /// Returns the sum of an attribute for each value of an optional enumeration. See ``sum(of:by:_:having:in:)``.
    @_disfavoredOverload
    public func sum<
        Number: MagicalRecord.NumericAttribute, Raw: RawRepresentable, each More: MagicalRecord.AttributeValue
    >(
        of attribute: KeyPath<Object, Number>, by key: KeyPath<Object, Raw?>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Number.Sum>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Raw?, repeat each More), Number.Sum>]
    where Raw.RawValue: MagicalRecord.AttributeValue {
        try compute(
            .init("sum:", attribute, Number._sumType), key, { (key: RawKey<Raw>?) in key?.value }, (repeat each more),
            having: having, in: context)
    }

    /// Returns the mean of an attribute for each value of an enumeration. See ``average(of:by:_:having:in:)``.
    @_disfavoredOverload
    public func average<
        Number: MagicalRecord.NumericAttribute, Raw: RawRepresentable, each More: MagicalRecord.AttributeValue
    >(
        of attribute: KeyPath<Object, Number>, by key: KeyPath<Object, Raw>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Number.Average>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Raw, repeat each More), Number.Average>]
    where Raw.RawValue: MagicalRecord.AttributeValue {
        try compute(
            .init("average:", attribute, Number._averageType), key, { (key: RawKey<Raw>) in key.value },
            (repeat each more), having: having, in: context)
    }

    /// Returns the mean of an attribute for each value of an optional enumeration. See ``average(of:by:_:having:in:)``.
    @_disfavoredOverload
    public func average<
        Number: MagicalRecord.NumericAttribute, Raw: RawRepresentable, each More: MagicalRecord.AttributeValue
    >(
        of attribute: KeyPath<Object, Number>, by key: KeyPath<Object, Raw?>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Number.Average>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Raw?, repeat each More), Number.Average>]
    where Raw.RawValue: MagicalRecord.AttributeValue {
        try compute(
            .init("average:", attribute, Number._averageType), key, { (key: RawKey<Raw>?) in key?.value },
            (repeat each more), having: having, in: context)
    }

    /// Returns the least value of an attribute for each value of an enumeration. See ``minimum(of:by:_:having:in:)``.
    @_disfavoredOverload
    public func minimum<
        Value: MagicalRecord.AttributeValue, Raw: RawRepresentable, each More: MagicalRecord.AttributeValue
    >(
        of attribute: KeyPath<Object, Value>, by key: KeyPath<Object, Raw>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Value.Present>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Raw, repeat each More), Value.Present>]
    where Raw.RawValue: MagicalRecord.AttributeValue {
        try compute(
            .init("min:", attribute), key, { (key: RawKey<Raw>) in key.value }, (repeat each more), having: having,
            in: context)
    }

    /// Returns the least value of an attribute for each value of an optional enumeration. See ``minimum(of:by:_:having:in:)``.
    @_disfavoredOverload
    public func minimum<
        Value: MagicalRecord.AttributeValue, Raw: RawRepresentable, each More: MagicalRecord.AttributeValue
    >(
        of attribute: KeyPath<Object, Value>, by key: KeyPath<Object, Raw?>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Value.Present>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Raw?, repeat each More), Value.Present>]
    where Raw.RawValue: MagicalRecord.AttributeValue {
        try compute(
            .init("min:", attribute), key, { (key: RawKey<Raw>?) in key?.value }, (repeat each more), having: having,
            in: context)
    }

    /// Returns the greatest value of an attribute for each value of an enumeration. See ``maximum(of:by:_:having:in:)``.
    @_disfavoredOverload
    public func maximum<
        Value: MagicalRecord.AttributeValue, Raw: RawRepresentable, each More: MagicalRecord.AttributeValue
    >(
        of attribute: KeyPath<Object, Value>, by key: KeyPath<Object, Raw>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Value.Present>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Raw, repeat each More), Value.Present>]
    where Raw.RawValue: MagicalRecord.AttributeValue {
        try compute(
            .init("max:", attribute), key, { (key: RawKey<Raw>) in key.value }, (repeat each more), having: having,
            in: context)
    }

    /// Returns the greatest value of an attribute for each value of an optional enumeration. See ``maximum(of:by:_:having:in:)``.
    @_disfavoredOverload
    public func maximum<
        Value: MagicalRecord.AttributeValue, Raw: RawRepresentable, each More: MagicalRecord.AttributeValue
    >(
        of attribute: KeyPath<Object, Value>, by key: KeyPath<Object, Raw?>, _ more: repeat KeyPath<Object, each More>,
        having: ((MagicalRecord.Column<Object, Value.Present>) -> MagicalRecord.Condition<Object>)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.AggregateGroup<(Raw?, repeat each More), Value.Present>]
    where Raw.RawValue: MagicalRecord.AttributeValue {
        try compute(
            .init("max:", attribute), key, { (key: RawKey<Raw>?) in key?.value }, (repeat each more), having: having,
            in: context)
    }
}
