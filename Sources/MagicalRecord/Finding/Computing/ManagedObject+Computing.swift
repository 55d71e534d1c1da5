import CoreData

// What the store computes over the objects of a class that fulfil a condition; without one, over all. See the functions of
// the same names of ``Query``.

extension ManagedObject {
    /// The sum of an attribute; 0 over no objects. See ``Query/sum(_:in:)``.
    public static func sum<Number: NumericAttribute>(
        _ key: KeyPath<Self, Number>, where condition: Condition<Self>? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> Number.Sum {
        try query(condition).sum(key, in: context)
    }

    /// The sum of an attribute, of the objects that fulfil a condition made by a closure over typed columns.
    public static func sum<Number: NumericAttribute, Made: MagicalRecord.ConditionConvertible>(
        _ key: KeyPath<Self, Number>, where condition: (MagicalRecord.Columns<Self>) -> Made,
        in context: NSManagedObjectContext? = nil
    ) throws -> Number.Sum where Made.Root == Self {
        try query(Condition(condition)).sum(key, in: context)
    }

    /// The mean of an attribute; `nil` over no objects. See ``Query/average(_:in:)``.
    public static func average<Number: NumericAttribute>(
        _ key: KeyPath<Self, Number>, where condition: Condition<Self>? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> Number.Average? {
        try query(condition).average(key, in: context)
    }

    /// The mean of an attribute, of the objects that fulfil a condition made by a closure over typed columns.
    public static func average<Number: NumericAttribute, Made: MagicalRecord.ConditionConvertible>(
        _ key: KeyPath<Self, Number>, where condition: (MagicalRecord.Columns<Self>) -> Made,
        in context: NSManagedObjectContext? = nil
    ) throws -> Number.Average? where Made.Root == Self {
        try query(Condition(condition)).average(key, in: context)
    }

    /// The least value of an attribute; `nil` over no objects. See ``Query/minimum(_:in:)``.
    public static func minimum<Value: AttributeValue>(
        _ key: KeyPath<Self, Value>, where condition: Condition<Self>? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> Value.Present? {
        try query(condition).minimum(key, in: context)
    }

    /// The least value of an attribute, of the objects that fulfil a condition made by a closure over typed columns.
    public static func minimum<Value: AttributeValue, Made: MagicalRecord.ConditionConvertible>(
        _ key: KeyPath<Self, Value>, where condition: (MagicalRecord.Columns<Self>) -> Made,
        in context: NSManagedObjectContext? = nil
    ) throws -> Value.Present? where Made.Root == Self {
        try query(Condition(condition)).minimum(key, in: context)
    }

    /// The greatest value of an attribute; `nil` over no objects. See ``Query/maximum(_:in:)``.
    public static func maximum<Value: AttributeValue>(
        _ key: KeyPath<Self, Value>, where condition: Condition<Self>? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> Value.Present? {
        try query(condition).maximum(key, in: context)
    }

    /// The greatest value of an attribute, of the objects that fulfil a condition made by a closure over typed columns.
    public static func maximum<Value: AttributeValue, Made: MagicalRecord.ConditionConvertible>(
        _ key: KeyPath<Self, Value>, where condition: (MagicalRecord.Columns<Self>) -> Made,
        in context: NSManagedObjectContext? = nil
    ) throws -> Value.Present? where Made.Root == Self {
        try query(Condition(condition)).maximum(key, in: context)
    }
}
