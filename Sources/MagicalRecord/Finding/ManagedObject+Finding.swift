import CoreData

extension MagicalRecord.ManagedObject {
    // The forms that take a closure come first: the compiler reports mistakes in a closure best for what it looks up first.

    /// Returns the objects that fulfil a condition made by a closure over typed columns.
    ///
    /// ```swift
    /// let pals = try User.findAll(where: { $0.isFriend && $0.displayName.contains(filter) }, sortedBy: \.userID, limit: 50)
    /// ```
    /// The closure is called once, before the function returns.
    public static func findAll<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        limit: Int? = nil, offset: Int? = nil, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> [Self] where Made.Root == Self {
        try query(MagicalRecord.Condition(condition), order, limit, offset, prefetching).findAll(in: context)
    }

    /// Returns the first object that fulfils a condition made by a closure over typed columns, or `nil`. Without an order, any.
    public static func findFirst<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> Self? where Made.Root == Self {
        try parts(MagicalRecord.Condition(condition), order, prefetching).findFirst(in: context)
    }

    /// Returns the objects that fulfil a condition; without one, all.
    ///
    /// ```swift
    /// let friends = try User.findAll(where: \.isFriend == true, sortedBy: \.displayName, limit: 50)
    /// ```
    /// At most `limit` are returned, and `offset` left out at the beginning. The relationships in `prefetching` are read in the
    /// same go. Without a context, see ``MagicalRecord/Query``.
    ///
    /// - Throws: ``MagicalRecordError`` for a condition or class that does not fit the model, or Core Data's error.
    public static func findAll(
        where condition: MagicalRecord.Condition<Self>? = nil, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        limit: Int? = nil, offset: Int? = nil, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> [Self] { try query(condition, order, limit, offset, prefetching).findAll(in: context) }

    /// Returns the objects that fulfil a predicate.
    public static func findAll(
        where predicate: NSPredicate, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        limit: Int? = nil, offset: Int? = nil, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> [Self] { try query(.predicate(predicate), order, limit, offset, prefetching).findAll(in: context) }

    /// Returns the objects that fulfil a predicate format with arguments.
    public static func findAll(
        where format: String, _ arguments: any CVarArg..., sortedBy order: MagicalRecord.SortOrder<Self> = [],
        limit: Int? = nil, offset: Int? = nil, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        try query(try parsed(format, arguments), order, limit, offset, prefetching).findAll(in: context)
    }

    /// Returns the first object that fulfils a condition, or `nil`. Without an order, any.
    public static func findFirst(
        where condition: MagicalRecord.Condition<Self>? = nil, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> Self? { try parts(condition, order, prefetching).findFirst(in: context) }

    /// Returns the first object that fulfils a predicate, or `nil`. Without an order, any.
    public static func findFirst(
        where predicate: NSPredicate, sortedBy order: MagicalRecord.SortOrder<Self> = [],
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> Self? { try parts(.predicate(predicate), order, prefetching).findFirst(in: context) }

    /// Returns the first object that fulfils a predicate format with arguments, or `nil`. Without an order, any.
    public static func findFirst(
        where format: String, _ arguments: any CVarArg..., sortedBy order: MagicalRecord.SortOrder<Self> = [],
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> Self? { try parts(try parsed(format, arguments), order, prefetching).findFirst(in: context) }

    // With their order given as one key path.

    /// Returns the objects that fulfil a condition made by a closure over typed columns, in the order of one key.
    public static func findAll<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil, offset: Int? = nil,
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Self] where Made.Root == Self {
        try query(MagicalRecord.Condition(condition), .init(key, direction), limit, offset, prefetching).findAll(
            in: context)
    }

    /// Returns the first object that fulfils a condition made by a closure over typed columns, in the order of one key, or `nil`.
    public static func findFirst<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> Self? where Made.Root == Self {
        try parts(MagicalRecord.Condition(condition), .init(key, direction), prefetching).findFirst(in: context)
    }

    /// Returns the objects that fulfil a condition; without one, all, in the order of one key.
    public static func findAll(
        where condition: MagicalRecord.Condition<Self>? = nil, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil, offset: Int? = nil,
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Self] { try query(condition, .init(key, direction), limit, offset, prefetching).findAll(in: context) }

    /// Returns the objects that fulfil a predicate, in the order of one key.
    public static func findAll(
        where predicate: NSPredicate, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil, offset: Int? = nil,
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        try query(.predicate(predicate), .init(key, direction), limit, offset, prefetching).findAll(in: context)
    }

    /// Returns the objects that fulfil a predicate format with arguments, in the order of one key.
    public static func findAll(
        where format: String, _ arguments: any CVarArg..., sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, limit: Int? = nil, offset: Int? = nil,
        prefetching: [MagicalRecord.Prefetch<Self>] = [], in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        try query(try parsed(format, arguments), .init(key, direction), limit, offset, prefetching).findAll(in: context)
    }

    /// Returns the first object that fulfils a condition, in the order of one key, or `nil`.
    public static func findFirst(
        where condition: MagicalRecord.Condition<Self>? = nil, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> Self? { try parts(condition, .init(key, direction), prefetching).findFirst(in: context) }

    /// Returns the first object that fulfils a predicate, in the order of one key, or `nil`.
    public static func findFirst(
        where predicate: NSPredicate, sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> Self? { try parts(.predicate(predicate), .init(key, direction), prefetching).findFirst(in: context) }

    /// Returns the first object that fulfils a predicate format with arguments, in the order of one key, or `nil`.
    public static func findFirst(
        where format: String, _ arguments: any CVarArg..., sortedBy key: KeyPath<Self, some Any>,
        _ direction: MagicalRecord.SortDirection = .ascending, prefetching: [MagicalRecord.Prefetch<Self>] = [],
        in context: NSManagedObjectContext? = nil
    ) throws -> Self? {
        try parts(try parsed(format, arguments), .init(key, direction), prefetching).findFirst(in: context)
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
        _ condition: MagicalRecord.Condition<Self>?, _ order: MagicalRecord.SortOrder<Self> = [], _ limit: Int? = nil,
        _ offset: Int? = nil, _ prefetching: [MagicalRecord.Prefetch<Self>] = []
    ) -> MagicalRecord.Query<Self> {
        var query = all
        query.parts = parts(condition, order, prefetching)
        query.limit = limit
        query.offset = offset
        return query
    }

    /// Returns the parts of a query without making the query, which is generic: see `QueryParts`.
    @inline(__always)
    static func parts(
        _ condition: MagicalRecord.Condition<Self>?, _ order: MagicalRecord.SortOrder<Self>,
        _ prefetching: [MagicalRecord.Prefetch<Self>]
    ) -> QueryParts {
        var parts = QueryParts(type: self)
        parts.condition = condition?.node
        parts.order = order.keys
        if prefetching.count > 0 { parts.prefetching = prefetching.map { $0.path } }
        return parts
    }

    static func parsed(_ format: String, _ arguments: [any CVarArg]) throws -> MagicalRecord.Condition<Self> {
        .init(.predicate(.success(try PredicateParsing.predicate(format, arguments)), isFormat: true))
    }
}
