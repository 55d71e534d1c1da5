import CoreData

// The finders with their order given as one key path.

extension MagicalRecord.ManagedObject {
    // The forms that take a closure come first: the compiler reports mistakes in a closure best for what it looks up first.

    /// Returns the objects that fulfil a condition made by a closure over typed columns, in the order of one key.
    public static func findAll<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil, offset: Int? = nil,
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Self] where Made.Root == Self {
        try findAll(
            where: MagicalRecord.Condition(condition), sortedBy: MagicalRecord.SortOrder(key, direction), limit: limit,
            offset: offset,
            prefetching: prefetching, in: context)
    }

    /// Returns the first object that fulfils a condition made by a closure over typed columns, in the order of one key, or `nil`.
    public static func findFirst<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> Self? where Made.Root == Self {
        try findFirst(
            where: MagicalRecord.Condition(condition), sortedBy: MagicalRecord.SortOrder(key, direction),
            prefetching: prefetching, in: context)
    }

    /// Returns the objects that fulfil a condition; without one, all, in the order of one key.
    public static func findAll(
        where condition: MagicalRecord.Condition<Self>? = nil, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil, offset: Int? = nil,
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        try findAll(
            where: condition, sortedBy: MagicalRecord.SortOrder(key, direction), limit: limit, offset: offset,
            prefetching: prefetching, in: context)
    }

    /// Returns the objects that fulfil a predicate, in the order of one key.
    public static func findAll(
        where predicate: NSPredicate, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil, offset: Int? = nil,
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        try findAll(
            where: MagicalRecord.Condition.predicate(predicate), sortedBy: MagicalRecord.SortOrder(key, direction),
            limit: limit, offset: offset,
            prefetching: prefetching, in: context)
    }

    /// Returns the objects that fulfil a predicate format with arguments, in the order of one key.
    public static func findAll(
        where format: String, _ arguments: any CVarArg..., sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil, offset: Int? = nil,
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        try findAll(
            where: try parsed(format, arguments), sortedBy: MagicalRecord.SortOrder(key, direction), limit: limit,
            offset: offset,
            prefetching: prefetching, in: context)
    }

    /// Returns the first object that fulfils a condition, in the order of one key, or `nil`.
    public static func findFirst(
        where condition: MagicalRecord.Condition<Self>? = nil, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> Self? {
        try findFirst(
            where: condition, sortedBy: MagicalRecord.SortOrder(key, direction), prefetching: prefetching, in: context)
    }

    /// Returns the first object that fulfils a predicate, in the order of one key, or `nil`.
    public static func findFirst(
        where predicate: NSPredicate, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> Self? {
        try findFirst(
            where: MagicalRecord.Condition.predicate(predicate), sortedBy: MagicalRecord.SortOrder(key, direction),
            prefetching: prefetching, in: context)
    }

    /// Returns the first object that fulfils a predicate format with arguments, in the order of one key, or `nil`.
    public static func findFirst(
        where format: String, _ arguments: any CVarArg..., sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> Self? {
        try findFirst(
            where: try parsed(format, arguments), sortedBy: MagicalRecord.SortOrder(key, direction),
            prefetching: prefetching, in: context)
    }
}
