import CoreData

// What the store computes, with a closure over typed columns as the condition.

extension ManagedObject {
    /// A value computed by the store over the objects that fulfil a condition made by a closure over typed columns; `nil` when
    /// there are none.
    public static func aggregate<Value, Made: MagicalRecord.ConditionConvertible>(
        _ aggregate: Aggregate<Self, Value>, where condition: (MagicalRecord.Columns<Self>) -> Made,
        in context: NSManagedObjectContext? = nil
    ) throws -> Value? where Made.Root == Self {
        try query(Condition(condition)).aggregate(aggregate, in: context)
    }

    /// A value computed by the store for each group of objects that share a key and fulfil a condition made by a closure over
    /// typed columns, in the order of the keys.
    public static func aggregate<Key: AttributeValue, Value, Made: MagicalRecord.ConditionConvertible>(
        _ aggregate: Aggregate<Self, Value>, groupedBy key: KeyPath<Self, Key>,
        where condition: (MagicalRecord.Columns<Self>) -> Made, in context: NSManagedObjectContext? = nil
    ) throws -> [AggregateGroup<Key, Value>] where Made.Root == Self {
        try query(Condition(condition)).aggregate(aggregate, groupedBy: key, in: context)
    }

    /// The values of one attribute of the objects that fulfil a condition made by a closure over typed columns, without making
    /// objects.
    public static func values<Value: AttributeValue, Made: MagicalRecord.ConditionConvertible>(
        of key: KeyPath<Self, Value>, distinct: Bool = false, where condition: (MagicalRecord.Columns<Self>) -> Made,
        sortedBy order: MagicalRecord.SortOrder<Self> = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Value] where Made.Root == Self {
        try query(Condition(condition), order).values(of: key, distinct: distinct, in: context)
    }
}
