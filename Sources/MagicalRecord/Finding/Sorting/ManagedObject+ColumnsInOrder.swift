import CoreData

// What takes a closure over typed columns, with the order given as one key path.

extension MagicalRecord.ManagedObject {
    /// The objects that fulfil a condition made by a closure over typed columns, in the order of one key.
    public static func findAll<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil, offset: Int? = nil,
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Self] where Made.Root == Self {
        try findAll(
            where: condition, sortedBy: MagicalRecord.SortOrder(key, direction), limit: limit, offset: offset,
            prefetching: prefetching, in: context)
    }

    /// The first object that fulfils a condition made by a closure over typed columns, in the order of one key, or `nil`.
    public static func findFirst<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> Self? where Made.Root == Self {
        try findFirst(
            where: condition, sortedBy: MagicalRecord.SortOrder(key, direction), prefetching: prefetching, in: context)
    }

    /// A controller for the objects that fulfil a condition made by a closure over typed columns, fetched at once and kept up to date, in the order of one key.
    public static func fetchedResults<Section, Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, sectionedBy section: KeyPath<Self, Section>,
        delegate: (any NSFetchedResultsControllerDelegate)? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> NSFetchedResultsController<Self> where Made.Root == Self {
        try fetchedResults(
            where: condition, sortedBy: MagicalRecord.SortOrder(key, direction), sectionedBy: section,
            delegate: delegate, in: context)
    }

    /// A controller for the objects that fulfil a condition made by a closure over typed columns, in one section, fetched at once and kept up to date, in the order of one key.
    public static func fetchedResults<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending,
        delegate: (any NSFetchedResultsControllerDelegate)? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> NSFetchedResultsController<Self> where Made.Root == Self {
        try fetchedResults(
            where: condition, sortedBy: MagicalRecord.SortOrder(key, direction), delegate: delegate, in: context)
    }

    /// The objects that fulfil a condition made by a closure over typed columns, over time, in the order of one key.
    @MainActor
    public static func results<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil,
        in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Self> where Made.Root == Self {
        results(where: condition, sortedBy: MagicalRecord.SortOrder(key, direction), limit: limit, in: context)
    }

    /// The objects that fulfil a condition made by a closure over typed columns, over time, in sections, in the order of one key.
    @MainActor
    public static func results<Value, Made: MagicalRecord.ConditionConvertible>(
        groupedBy section: KeyPath<Self, Value>, where condition: (MagicalRecord.Columns<Self>) -> Made,
        sortedBy key: KeyPath<Self, some Any>, _ direction: MagicalRecord.SortDirection = .ascending,
        in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Self> where Made.Root == Self {
        results(groupedBy: section, where: condition, sortedBy: MagicalRecord.SortOrder(key, direction), in: context)
    }

    /// The values of one attribute of the objects that fulfil a condition made by a closure over typed columns, without making objects, in the order of one key.
    public static func values<Value: MagicalRecord.AttributeValue, Made: MagicalRecord.ConditionConvertible>(
        of attribute: KeyPath<Self, Value>, distinct: Bool = false,
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, in context: NSManagedObjectContext? = nil
    ) throws -> [Value] where Made.Root == Self {
        try values(
            of: attribute, distinct: distinct, where: condition, sortedBy: MagicalRecord.SortOrder(key, direction),
            in: context)
    }
}
