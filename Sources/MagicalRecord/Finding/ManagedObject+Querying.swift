import CoreData

extension MagicalRecord.ManagedObject {
    // The forms that take a closure come first: the compiler reports mistakes in a closure best for what it looks up first.

    /// Returns the query for the objects that fulfil a condition made by a closure over typed columns.
    ///
    /// ```swift
    /// let reds = try User.where { $0.team.name == "Red" && $0.messages.any { $0.length > 100 } }.findAll()
    /// ```
    public static func `where`<Made: MagicalRecord.ConditionConvertible>(
        _ condition: (MagicalRecord.Columns<Self>) -> Made
    ) -> MagicalRecord.Query<Self> where Made.Root == Self { query(MagicalRecord.Condition(condition)) }

    /// Returns the number of objects that fulfil a condition made by a closure over typed columns. Unsaved ones count.
    public static func count<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, in context: NSManagedObjectContext? = nil
    ) throws -> Int where Made.Root == Self { try query(MagicalRecord.Condition(condition)).count(in: context) }

    /// Returns whether an object fulfils a condition made by a closure over typed columns.
    public static func exists<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, in context: NSManagedObjectContext? = nil
    ) throws -> Bool where Made.Root == Self { try query(MagicalRecord.Condition(condition)).exists(in: context) }

    /// The query for all objects of this class.
    public static var all: MagicalRecord.Query<Self> { MagicalRecord.Query(type: self) }

    /// Returns the query for the objects that fulfil a condition.
    public static func `where`(_ condition: MagicalRecord.Condition<Self>) -> MagicalRecord.Query<Self> {
        query(condition)
    }

    /// Returns the query for the objects that fulfil a predicate.
    public static func `where`(_ predicate: NSPredicate) -> MagicalRecord.Query<Self> { query(.predicate(predicate)) }

    /// Returns the query for the objects that fulfil a predicate format with arguments.
    ///
    /// - Throws: ``MagicalRecordError/Code/malformedFormat``.
    public static func `where`(_ format: String, _ arguments: any CVarArg...) throws -> MagicalRecord.Query<Self> {
        query(try parsed(format, arguments))
    }

    /// Returns the query for all objects in the order of a key.
    ///
    /// ```swift
    /// let newest = try User.sorted(by: \.lastUpdate, .descending).findFirst()
    /// ```
    public static func sorted(
        by key: KeyPath<Self, some Any>, _ direction: MagicalRecord.SortDirection = .ascending
    ) -> MagicalRecord.Query<Self> { all.sorted(by: key, direction) }

    /// Returns the query for all objects in an order.
    public static func sorted(by order: MagicalRecord.SortOrder<Self>) -> MagicalRecord.Query<Self> {
        all.sorted(by: order)
    }

    /// Returns the number of objects that fulfil a condition; without one, of all objects. Unsaved ones count.
    public static func count(
        where condition: MagicalRecord.Condition<Self>? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> Int { try query(condition).count(in: context) }

    /// Returns the number of objects that fulfil a predicate. Unsaved ones count.
    public static func count(where predicate: NSPredicate, in context: NSManagedObjectContext? = nil) throws -> Int {
        try query(.predicate(predicate)).count(in: context)
    }

    /// Returns the number of objects that fulfil a predicate format with arguments. Unsaved ones count.
    public static func count(
        where format: String, _ arguments: any CVarArg..., in context: NSManagedObjectContext? = nil
    ) throws -> Int { try query(try parsed(format, arguments)).count(in: context) }

    /// Returns whether an object fulfils a condition; without one, whether there is any.
    public static func exists(
        where condition: MagicalRecord.Condition<Self>? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> Bool { try query(condition).exists(in: context) }

    /// Returns whether an object fulfils a predicate.
    public static func exists(where predicate: NSPredicate, in context: NSManagedObjectContext? = nil) throws -> Bool {
        try query(.predicate(predicate)).exists(in: context)
    }

    /// Returns whether an object fulfils a predicate format with arguments.
    public static func exists(
        where format: String, _ arguments: any CVarArg..., in context: NSManagedObjectContext? = nil
    ) throws -> Bool { try query(try parsed(format, arguments)).exists(in: context) }
}
