import CoreData

// What the store computes over the objects of a class that fulfil a condition; without one, over all. See the functions of
// the same names of ``MagicalRecord/Query``.

extension MagicalRecord.ManagedObject {
    /// The sum of an attribute; 0 over no objects. See ``MagicalRecord/Query/sum(_:in:)->Number.Sum``.
    public static func sum<Number: MagicalRecord.NumericAttribute>(
        _ key: KeyPath<Self, Number>, where condition: MagicalRecord.Condition<Self>? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> Number.Sum {
        try query(condition).sum(key, in: context)
    }

    /// The sum of an attribute, of the objects that fulfil a condition made by a closure over typed columns.
    public static func sum<Number: MagicalRecord.NumericAttribute, Made: MagicalRecord.ConditionConvertible>(
        _ key: KeyPath<Self, Number>, where condition: (MagicalRecord.Columns<Self>) -> Made,
        in context: NSManagedObjectContext? = nil
    ) throws -> Number.Sum where Made.Root == Self {
        try query(MagicalRecord.Condition(condition)).sum(key, in: context)
    }

    /// The mean of an attribute; `nil` over no objects. See ``MagicalRecord/Query/average(_:in:)->Number.Average?``.
    public static func average<Number: MagicalRecord.NumericAttribute>(
        _ key: KeyPath<Self, Number>, where condition: MagicalRecord.Condition<Self>? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> Number.Average? {
        try query(condition).average(key, in: context)
    }

    /// The mean of an attribute, of the objects that fulfil a condition made by a closure over typed columns.
    public static func average<Number: MagicalRecord.NumericAttribute, Made: MagicalRecord.ConditionConvertible>(
        _ key: KeyPath<Self, Number>, where condition: (MagicalRecord.Columns<Self>) -> Made,
        in context: NSManagedObjectContext? = nil
    ) throws -> Number.Average? where Made.Root == Self {
        try query(MagicalRecord.Condition(condition)).average(key, in: context)
    }

    /// The least value of an attribute; `nil` over no objects. See ``MagicalRecord/Query/minimum(_:in:)``.
    public static func minimum<Value: MagicalRecord.AttributeValue>(
        _ key: KeyPath<Self, Value>, where condition: MagicalRecord.Condition<Self>? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> Value.Present? {
        try query(condition).minimum(key, in: context)
    }

    /// The least value of an attribute, of the objects that fulfil a condition made by a closure over typed columns.
    public static func minimum<Value: MagicalRecord.AttributeValue, Made: MagicalRecord.ConditionConvertible>(
        _ key: KeyPath<Self, Value>, where condition: (MagicalRecord.Columns<Self>) -> Made,
        in context: NSManagedObjectContext? = nil
    ) throws -> Value.Present? where Made.Root == Self {
        try query(MagicalRecord.Condition(condition)).minimum(key, in: context)
    }

    /// The greatest value of an attribute; `nil` over no objects. See ``MagicalRecord/Query/maximum(_:in:)``.
    public static func maximum<Value: MagicalRecord.AttributeValue>(
        _ key: KeyPath<Self, Value>, where condition: MagicalRecord.Condition<Self>? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> Value.Present? {
        try query(condition).maximum(key, in: context)
    }

    /// The greatest value of an attribute, of the objects that fulfil a condition made by a closure over typed columns.
    public static func maximum<Value: MagicalRecord.AttributeValue, Made: MagicalRecord.ConditionConvertible>(
        _ key: KeyPath<Self, Value>, where condition: (MagicalRecord.Columns<Self>) -> Made,
        in context: NSManagedObjectContext? = nil
    ) throws -> Value.Present? where Made.Root == Self {
        try query(MagicalRecord.Condition(condition)).maximum(key, in: context)
    }
}
