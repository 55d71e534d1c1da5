import CoreData

extension MagicalRecord.ManagedObject {
    /// The query for all objects of this class.
    public static var all: MagicalRecord.Query<Self> { MagicalRecord.Query(type: self) }

    /// The objects that fulfil a condition; without one, all.
    ///
    /// ```swift
    /// let pals = try User.findAll(
    ///     where: { $0.isFriend && $0.displayName.contains(filter, .caseInsensitive) },
    ///     sortedBy: \.displayName, limit: 50)
    /// ```
    /// - Parameters:
    ///   - condition: what they must fulfil.
    ///   - order: their order; without one, any.
    ///   - limit: the most objects to return.
    ///   - offset: how many to leave out at the beginning.
    ///   - prefetching: relationships to read in the same go.
    ///   - context: where; without one, see ``MagicalRecord/Query``.
    /// - Throws: ``MagicalRecordError`` for a condition or class that does not fit the model, or Core Data's error.
    public static func findAll(
        where condition: MagicalRecord.Condition<Self>? = nil, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        limit: Int? = nil,
        offset: Int? = nil, prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        try query(condition, order, limit: limit, offset: offset, prefetching: prefetching).findAll(in: context)
    }

    /// The objects that fulfil a ready-made predicate.
    public static func findAll(
        where predicate: NSPredicate, sortedBy order: MagicalRecord.SortOrder<Self> = [], limit: Int? = nil,
        offset: Int? = nil,
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        try query(.predicate(predicate), order, limit: limit, offset: offset, prefetching: prefetching)
            .findAll(in: context)
    }

    /// The objects that fulfil a predicate format with arguments.
    public static func findAll(
        where format: String, _ arguments: any CVarArg..., sortedBy order: MagicalRecord.SortOrder<Self> = [],
        limit: Int? = nil,
        offset: Int? = nil, prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        try query(
            try parsed(format, arguments), order, limit: limit, offset: offset, prefetching: prefetching
        ).findAll(in: context)
    }

    /// The objects that fulfil a `#Predicate`.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    public static func findAll(
        where predicate: Predicate<Self>, sortedBy order: MagicalRecord.SortOrder<Self> = [], limit: Int? = nil,
        offset: Int? = nil, prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        try query(.matching(predicate), order, limit: limit, offset: offset, prefetching: prefetching)
            .findAll(in: context)
    }

    /// The first object that fulfils a condition, or `nil`. Without an order, any one.
    public static func findFirst(
        where condition: MagicalRecord.Condition<Self>? = nil, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> Self? {
        // No query, which is generic: see `QueryParts`.
        var parts = QueryParts(type: self)
        parts.condition = condition?.node
        parts.order = order.keys
        if !prefetching.isEmpty { parts.prefetching = prefetching.map { $0.path } }
        return try parts.findFirst(in: context)
    }

    /// The first object that fulfils a ready-made predicate, or `nil`.
    public static func findFirst(
        where predicate: NSPredicate, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> Self? {
        try query(.predicate(predicate), order).findFirst(in: context)
    }

    /// The first object that fulfils a predicate format with arguments, or `nil`.
    public static func findFirst(
        where format: String, _ arguments: any CVarArg..., sortedBy order: MagicalRecord.SortOrder<Self> = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> Self? {
        try query(try parsed(format, arguments), order).findFirst(in: context)
    }

    /// The first object that fulfils a `#Predicate`, or `nil`.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    public static func findFirst(
        where predicate: Predicate<Self>, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> Self? {
        try query(.matching(predicate), order).findFirst(in: context)
    }

    /// The object with that ID, or `nil` when the store has none.
    public static func find(id: NSManagedObjectID, in context: NSManagedObjectContext? = nil) throws -> Self? {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            do {
                return try context.existingObject(with: id) as? Self
            } catch let error as NSError where error.code == NSManagedObjectReferentialIntegrityError {
                return nil
            }
        }
    }

    static func query(
        _ condition: MagicalRecord.Condition<Self>?, _ order: MagicalRecord.SortOrder<Self> = [], limit: Int? = nil,
        offset: Int? = nil,
        prefetching: [MagicalRecord.Prefetch<Self>] = []
    ) -> MagicalRecord.Query<Self> {
        var query = all
        query.parts.condition = condition?.node
        query.parts.order = order.keys
        query.limit = limit
        query.offset = offset
        if prefetching.count > 0 { query.prefetching = prefetching }
        return query
    }

    static func parsed(_ format: String, _ arguments: [any CVarArg]) throws -> MagicalRecord.Condition<Self> {
        .format(.success(try PredicateParsing.predicate(format, arguments)))
    }
}
