import CoreData

// Values, controllers and live results with the order given as one key path.

extension MagicalRecord.ManagedObject {
    /// The values of one attribute, without making objects, in the order of one key.
    public static func values<Value: MagicalRecord.AttributeValue>(
        of attribute: KeyPath<Self, Value>, distinct: Bool = false,
        where condition: MagicalRecord.Condition<Self>? = nil,
        sortedBy key: KeyPath<Self, some Any>, _ direction: MagicalRecord.SortDirection = .ascending,
        in context: NSManagedObjectContext? = nil
    ) throws -> [Value] {
        try values(
            of: attribute, distinct: distinct, where: condition, sortedBy: MagicalRecord.SortOrder(key, direction),
            in: context)
    }

    /// A controller for the objects that fulfil a condition, fetched at once and kept up to date, in the order of one key.
    public static func fetchedResults<Section>(
        where condition: MagicalRecord.Condition<Self>? = nil, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, sectionedBy section: KeyPath<Self, Section>,
        delegate: (any NSFetchedResultsControllerDelegate)? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> NSFetchedResultsController<Self> {
        try fetchedResults(
            where: condition, sortedBy: MagicalRecord.SortOrder(key, direction), sectionedBy: section,
            delegate: delegate, in: context)
    }

    /// A controller for the objects that fulfil a condition, in one section, fetched at once and kept up to date, in the order of one key.
    public static func fetchedResults(
        where condition: MagicalRecord.Condition<Self>? = nil, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending,
        delegate: (any NSFetchedResultsControllerDelegate)? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> NSFetchedResultsController<Self> {
        try fetchedResults(
            where: condition, sortedBy: MagicalRecord.SortOrder(key, direction), delegate: delegate, in: context)
    }

    /// The objects that fulfil a condition, over time; without one, all, in the order of one key.
    @MainActor
    public static func results(
        where condition: MagicalRecord.Condition<Self>? = nil, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil,
        in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Self> {
        results(where: condition, sortedBy: MagicalRecord.SortOrder(key, direction), limit: limit, in: context)
    }

    /// The objects that fulfil a ready-made predicate, over time, in the order of one key.
    @MainActor
    public static func results(
        where predicate: NSPredicate, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil,
        in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Self> {
        results(where: predicate, sortedBy: MagicalRecord.SortOrder(key, direction), limit: limit, in: context)
    }

    /// The objects that fulfil a predicate format with arguments, over time, in the order of one key.
    @MainActor
    public static func results(
        where format: String, _ arguments: any CVarArg..., sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil,
        in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Self> {
        results(
            where: .format(Result { try PredicateParsing.predicate(format, arguments) }),
            sortedBy: MagicalRecord.SortOrder(key, direction), limit: limit, in: context)
    }

    /// The objects that fulfil a `#Predicate`, over time, in the order of one key.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    @MainActor
    public static func results(
        where predicate: Predicate<Self>, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil,
        in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Self> {
        results(where: predicate, sortedBy: MagicalRecord.SortOrder(key, direction), limit: limit, in: context)
    }

    /// The objects that fulfil a condition, over time, in sections, in the order of one key.
    @MainActor
    public static func results<Value>(
        groupedBy section: KeyPath<Self, Value>, where condition: MagicalRecord.Condition<Self>? = nil,
        sortedBy key: KeyPath<Self, some Any>, _ direction: MagicalRecord.SortDirection = .ascending,
        in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Self> {
        results(groupedBy: section, where: condition, sortedBy: MagicalRecord.SortOrder(key, direction), in: context)
    }
}
