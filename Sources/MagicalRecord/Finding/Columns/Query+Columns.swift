import CoreData

extension MagicalRecord.Query {
    /// Adds a condition made by a closure over typed columns, combined with AND.
    ///
    /// ```swift
    /// let reds = User.all.where { $0.team.name == "Red" && $0.messages.count > 3 }
    /// ```
    public func `where`<Made: MagicalRecord.ConditionConvertible>(
        _ condition: (MagicalRecord.Columns<Object>) -> Made
    ) -> Self where Made.Root == Object {
        self.where(MagicalRecord.Condition(condition))
    }
}

extension MagicalRecord.ManagedObject {
    /// The query for the objects that fulfil a condition made by a closure over typed columns.
    ///
    /// ```swift
    /// let reds = try User.where { $0.team.name == "Red" && $0.messages.any { $0.length > 100 } }.findAll()
    /// ```
    public static func `where`<Made: MagicalRecord.ConditionConvertible>(
        _ condition: (MagicalRecord.Columns<Self>) -> Made
    ) -> MagicalRecord.Query<Self> where Made.Root == Self {
        query(MagicalRecord.Condition(condition))
    }

    /// The query for the objects that fulfil a condition.
    public static func `where`(_ condition: MagicalRecord.Condition<Self>) -> MagicalRecord.Query<Self> {
        query(condition)
    }

    /// The query for the objects that fulfil a ready-made predicate.
    public static func `where`(_ predicate: NSPredicate) -> MagicalRecord.Query<Self> { query(.predicate(predicate)) }

    /// The query for the objects that fulfil a predicate format with arguments.
    ///
    /// - Throws: ``MagicalRecordError/Code/malformedFormat``.
    public static func `where`(_ format: String, _ arguments: any CVarArg...) throws -> MagicalRecord.Query<Self> {
        query(try parsed(format, arguments))
    }

    /// The query for the objects that fulfil a `#Predicate`.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    public static func `where`(_ predicate: Predicate<Self>) -> MagicalRecord.Query<Self> {
        query(.matching(predicate))
    }

    /// The query for all objects in the order of a key.
    ///
    /// ```swift
    /// let newest = try User.sorted(by: \.lastUpdate, .descending).findFirst()
    /// ```
    public static func sorted(
        by key: KeyPath<Self, some Any>, _ direction: MagicalRecord.SortDirection = .ascending
    ) -> MagicalRecord.Query<Self> {
        all.sorted(by: key, direction)
    }

    /// The query for all objects in that order.
    public static func sorted(by order: MagicalRecord.SortOrder<Self>) -> MagicalRecord.Query<Self> {
        all.sorted(by: order)
    }
}
