import CoreData

extension MagicalRecord.ManagedObject {
    // The forms that take a closure come first: the compiler reports mistakes in a closure best for what it looks up first.

    /// Returns the objects that fulfil a condition made by a closure over typed columns.
    ///
    /// ```swift
    /// let pals = try User.findAll(
    ///     where: { $0.isFriend && $0.displayName.contains(filter, .caseInsensitive) },
    ///     sortedBy: \.displayName, limit: 50)
    /// ```
    /// The closure is called once, before the function returns.
    public static func findAll<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        limit: Int? = nil, offset: Int? = nil, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> [Self] where Made.Root == Self {
        try query(MagicalRecord.Condition(condition), order, limit: limit, offset: offset, prefetching: prefetching)
            .findAll(in: context)
    }

    /// Returns the first object that fulfils a condition made by a closure over typed columns, or `nil`. Without an order, which one is unspecified.
    public static func findFirst<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> Self? where Made.Root == Self {
        try query(MagicalRecord.Condition(condition), order, prefetching: prefetching).findFirst(in: context)
    }

    /// Returns the objects that fulfil a condition; without one, all.
    ///
    /// ```swift
    /// let friends = try User.findAll(where: \.isFriend == true, sortedBy: \.displayName, limit: 50)
    /// ```
    /// - Parameters:
    ///   - condition: the condition that the objects fulfil.
    ///   - order: their order; without one, any.
    ///   - limit: the most objects to return.
    ///   - offset: the number of objects to leave out at the beginning.
    ///   - prefetching: relationships to read in the same go.
    ///   - context: where to look; without one, see ``MagicalRecord/Query``.
    /// - Throws: ``MagicalRecordError`` for a condition or class that does not fit the model, or Core Data's error.
    public static func findAll(
        where condition: MagicalRecord.Condition<Self>? = nil, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        limit: Int? = nil, offset: Int? = nil, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        try query(condition, order, limit: limit, offset: offset, prefetching: prefetching).findAll(in: context)
    }

    /// Returns the objects that fulfil a predicate.
    public static func findAll(
        where predicate: NSPredicate, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        limit: Int? = nil, offset: Int? = nil, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        try query(.predicate(predicate), order, limit: limit, offset: offset, prefetching: prefetching).findAll(
            in: context)
    }

    /// Returns the objects that fulfil a predicate format with arguments.
    public static func findAll(
        where format: String, _ arguments: any CVarArg..., sortedBy order: MagicalRecord.SortOrder<Self> = [],
        limit: Int? = nil, offset: Int? = nil, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        try query(try parsed(format, arguments), order, limit: limit, offset: offset, prefetching: prefetching).findAll(
            in: context)
    }

    /// Returns the first object that fulfils a condition, or `nil`. Without an order, which one is unspecified.
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

    /// Returns the first object that fulfils a predicate, or `nil`. Without an order, which one is unspecified.
    public static func findFirst(
        where predicate: NSPredicate, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> Self? {
        try query(.predicate(predicate), order, prefetching: prefetching).findFirst(in: context)
    }

    /// Returns the first object that fulfils a predicate format with arguments, or `nil`. Without an order, which one is unspecified.
    public static func findFirst(
        where format: String, _ arguments: any CVarArg..., sortedBy order: MagicalRecord.SortOrder<Self> = [],
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> Self? {
        try query(try parsed(format, arguments), order, prefetching: prefetching).findFirst(in: context)
    }

    /// Returns the object with that ID, or `nil` if the store has none.
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
