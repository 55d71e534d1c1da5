import CoreData

extension MagicalRecord.ManagedObject {
    /// Values made of the objects that fulfil a condition, over time; without one, of all. See ``MagicalRecord/LiveValues``.
    ///
    /// ```swift
    /// for try await friends in User.results(where: \.isFriend == true, sortedBy: \.displayName, { $0.map(Friend.init) }) { … }
    /// ```
    public static func results<Value: Sendable>(
        where condition: MagicalRecord.Condition<Self>? = nil, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        limit: Int? = nil, in context: NSManagedObjectContext? = nil,
        _ mapping: @escaping @Sendable (MagicalRecord.ResultList<Self>) throws -> Value
    ) -> MagicalRecord.LiveValues<Value> {
        query(condition, order, limit: limit).results(in: context, mapping)
    }

    /// Values made of the objects that fulfil a condition, over time, in the order of one key.
    public static func results<Value: Sendable>(
        where condition: MagicalRecord.Condition<Self>? = nil, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil,
        in context: NSManagedObjectContext? = nil,
        _ mapping: @escaping @Sendable (MagicalRecord.ResultList<Self>) throws -> Value
    ) -> MagicalRecord.LiveValues<Value> {
        query(condition, MagicalRecord.SortOrder(key, direction), limit: limit).results(in: context, mapping)
    }

    /// Values made of the objects that fulfil a condition made by a closure over typed columns, over time.
    public static func results<Value: Sendable, Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        limit: Int? = nil, in context: NSManagedObjectContext? = nil,
        _ mapping: @escaping @Sendable (MagicalRecord.ResultList<Self>) throws -> Value
    ) -> MagicalRecord.LiveValues<Value> where Made.Root == Self {
        query(MagicalRecord.Condition(condition), order, limit: limit).results(in: context, mapping)
    }

    /// Values made of the objects that fulfil a condition made by a closure over typed columns, over time, in the order of one
    /// key.
    public static func results<Value: Sendable, Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil,
        in context: NSManagedObjectContext? = nil,
        _ mapping: @escaping @Sendable (MagicalRecord.ResultList<Self>) throws -> Value
    ) -> MagicalRecord.LiveValues<Value> where Made.Root == Self {
        query(MagicalRecord.Condition(condition), MagicalRecord.SortOrder(key, direction), limit: limit)
            .results(in: context, mapping)
    }
}
