import CoreData

extension MagicalRecord.ManagedObject {
    /// The objects that fulfil a condition, over time; without one, all. See ``MagicalRecord/LiveResults``.
    ///
    /// ```swift
    /// for try await friends in User.results(where: \.isFriend == true, sortedBy: \.displayName) { … }
    /// ```
    @MainActor
    public static func results(
        where condition: MagicalRecord.Condition<Self>? = nil, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        limit: Int? = nil,
        in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Self> {
        query(condition, order, limit: limit).results(in: context)
    }

    /// The objects that fulfil a ready-made predicate, over time.
    @MainActor
    public static func results(
        where predicate: NSPredicate, sortedBy order: MagicalRecord.SortOrder<Self> = [], limit: Int? = nil,
        in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Self> {
        query(.predicate(predicate), order, limit: limit).results(in: context)
    }

    /// The objects that fulfil a predicate format with arguments, over time.
    @MainActor
    public static func results(
        where format: String, _ arguments: any CVarArg..., sortedBy order: MagicalRecord.SortOrder<Self> = [],
        limit: Int? = nil,
        in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Self> {
        let condition = MagicalRecord.Condition<Self>(
            .predicate(Result { try PredicateParsing.predicate(format, arguments) }, isFormat: true))
        return query(condition, order, limit: limit).results(in: context)
    }

    /// The objects that fulfil a `#Predicate`, over time.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    @MainActor
    public static func results(
        where predicate: Predicate<Self>, sortedBy order: MagicalRecord.SortOrder<Self> = [], limit: Int? = nil,
        in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Self> {
        query(.matching(predicate), order, limit: limit).results(in: context)
    }

    /// The objects that fulfil a condition, over time, in sections.
    ///
    /// - Parameters:
    ///   - section: what the objects are grouped by, and sorted by first.
    ///   - condition: which objects; all unless given.
    ///   - order: the order within a section.
    ///   - context: the context to watch.
    @MainActor
    public static func results<Value>(
        groupedBy section: KeyPath<Self, Value>, where condition: MagicalRecord.Condition<Self>? = nil,
        sortedBy order: MagicalRecord.SortOrder<Self> = [], in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Self> {
        query(condition, order).results(groupedBy: section, in: context)
    }
}
