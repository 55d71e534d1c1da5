import CoreData

// The finders with the order given as one key path.

extension MagicalRecord.ManagedObject {
    /// The objects that fulfil a condition; without one, all, in the order of one key.
    public static func findAll(
        where condition: MagicalRecord.Condition<Self>? = nil, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil, offset: Int? = nil,
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        try findAll(
            where: condition, sortedBy: MagicalRecord.SortOrder(key, direction), limit: limit, offset: offset,
            prefetching: prefetching, in: context)
    }

    /// The objects that fulfil a ready-made predicate, in the order of one key.
    public static func findAll(
        where predicate: NSPredicate, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil, offset: Int? = nil,
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        try findAll(
            where: predicate, sortedBy: MagicalRecord.SortOrder(key, direction), limit: limit, offset: offset,
            prefetching: prefetching, in: context)
    }

    /// The objects that fulfil a predicate format with arguments, in the order of one key.
    public static func findAll(
        where format: String, _ arguments: any CVarArg..., sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil, offset: Int? = nil,
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        try findAll(
            where: try parsed(format, arguments), sortedBy: MagicalRecord.SortOrder(key, direction), limit: limit,
            offset: offset, prefetching: prefetching, in: context)
    }

    /// The objects that fulfil a `#Predicate`, in the order of one key.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    public static func findAll(
        where predicate: Predicate<Self>, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil, offset: Int? = nil,
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        try findAll(
            where: predicate, sortedBy: MagicalRecord.SortOrder(key, direction), limit: limit, offset: offset,
            prefetching: prefetching, in: context)
    }

    /// The first object that fulfils a condition, in the order of one key, or `nil`.
    public static func findFirst(
        where condition: MagicalRecord.Condition<Self>? = nil, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> Self? {
        try findFirst(
            where: condition, sortedBy: MagicalRecord.SortOrder(key, direction), prefetching: prefetching, in: context)
    }

    /// The first object that fulfils a ready-made predicate, in the order of one key, or `nil`.
    public static func findFirst(
        where predicate: NSPredicate, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, in context: NSManagedObjectContext? = nil
    ) throws -> Self? {
        try findFirst(where: predicate, sortedBy: MagicalRecord.SortOrder(key, direction), in: context)
    }

    /// The first object that fulfils a predicate format with arguments, in the order of one key, or `nil`.
    public static func findFirst(
        where format: String, _ arguments: any CVarArg..., sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, in context: NSManagedObjectContext? = nil
    ) throws -> Self? {
        try findFirst(
            where: try parsed(format, arguments), sortedBy: MagicalRecord.SortOrder(key, direction), in: context)
    }

    /// The first object that fulfils a `#Predicate`, in the order of one key, or `nil`.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    public static func findFirst(
        where predicate: Predicate<Self>, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, in context: NSManagedObjectContext? = nil
    ) throws -> Self? {
        try findFirst(where: predicate, sortedBy: MagicalRecord.SortOrder(key, direction), in: context)
    }
}
