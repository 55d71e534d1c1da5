import CoreData

// The finders with a closure over typed columns as their condition.

extension MagicalRecord.ManagedObject {
    /// The objects that fulfil a condition made by a closure over typed columns.
    ///
    /// ```swift
    /// let pals = try User.findAll(
    ///     where: { $0.isFriend && $0.displayName.contains("an", .caseInsensitive) },
    ///     sortedBy: \.displayName, limit: 50)
    /// ```
    /// - Parameters:
    ///   - condition: what they must fulfil; called once, before the function returns.
    ///   - order: their order; without one, any.
    ///   - limit: the most objects to return.
    ///   - offset: how many to leave out at the beginning.
    ///   - prefetching: relationships to read in the same go.
    ///   - context: where; without one, see ``MagicalRecord/Query``.
    /// - Throws: ``MagicalRecordError`` for a condition or class that does not fit the model, or Core Data's error.
    public static func findAll<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        limit: Int? = nil, offset: Int? = nil, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> [Self] where Made.Root == Self {
        try query(MagicalRecord.Condition(condition), order, limit: limit, offset: offset, prefetching: prefetching)
            .findAll(in: context)
    }

    /// The first object that fulfils a condition made by a closure over typed columns, or `nil`. Without an order, any one.
    public static func findFirst<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> Self? where Made.Root == Self {
        try query(MagicalRecord.Condition(condition), order, prefetching: prefetching).findFirst(in: context)
    }

    /// How many objects fulfil a condition made by a closure over typed columns. Unsaved ones count.
    public static func count<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, in context: NSManagedObjectContext? = nil
    ) throws -> Int where Made.Root == Self {
        try query(MagicalRecord.Condition(condition)).count(in: context)
    }

    /// Whether an object fulfils a condition made by a closure over typed columns.
    public static func exists<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, in context: NSManagedObjectContext? = nil
    ) throws -> Bool where Made.Root == Self {
        try query(MagicalRecord.Condition(condition)).exists(in: context)
    }

    /// A controller for the objects that fulfil a condition made by a closure over typed columns, fetched at once and kept
    /// up to date.
    public static func fetchedResults<Section, Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        sectionedBy section: KeyPath<Self, Section>, delegate: (any NSFetchedResultsControllerDelegate)? = nil,
        in context: NSManagedObjectContext? = nil
    ) throws -> NSFetchedResultsController<Self> where Made.Root == Self {
        try query(MagicalRecord.Condition(condition), order).fetchedResults(
            sectionedBy: section, delegate: delegate, in: context)
    }

    /// A controller for the objects that fulfil a condition made by a closure over typed columns, in one section, fetched at
    /// once and kept up to date.
    public static func fetchedResults<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        delegate: (any NSFetchedResultsControllerDelegate)? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> NSFetchedResultsController<Self> where Made.Root == Self {
        try query(MagicalRecord.Condition(condition), order).fetchedResults(delegate: delegate, in: context)
    }

    /// The objects that fulfil a condition made by a closure over typed columns, over time. See ``MagicalRecord/LiveResults``.
    @MainActor
    public static func results<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        limit: Int? = nil, in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Self> where Made.Root == Self {
        query(MagicalRecord.Condition(condition), order, limit: limit).results(in: context)
    }

    /// The objects that fulfil a condition made by a closure over typed columns, over time, in sections.
    @MainActor
    public static func results<Value, Made: MagicalRecord.ConditionConvertible>(
        groupedBy section: KeyPath<Self, Value>, where condition: (MagicalRecord.Columns<Self>) -> Made,
        sortedBy order: MagicalRecord.SortOrder<Self> = [], in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Self> where Made.Root == Self {
        query(MagicalRecord.Condition(condition), order).results(groupedBy: section, in: context)
    }
}
