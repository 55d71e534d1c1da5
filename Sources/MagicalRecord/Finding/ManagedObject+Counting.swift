import CoreData

extension MagicalRecord.ManagedObject {
    /// How many objects fulfil a condition; without one, how many there are. Unsaved ones count.
    public static func count(
        where condition: MagicalRecord.Condition<Self>? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> Int {
        try query(condition).count(in: context)
    }

    /// How many objects fulfil a ready-made predicate.
    public static func count(where predicate: NSPredicate, in context: NSManagedObjectContext? = nil) throws -> Int {
        try query(.predicate(predicate)).count(in: context)
    }

    /// How many objects fulfil a predicate format with arguments.
    public static func count(
        where format: String, _ arguments: any CVarArg..., in context: NSManagedObjectContext? = nil
    ) throws -> Int {
        try query(try parsed(format, arguments)).count(in: context)
    }

    /// How many objects fulfil a `#Predicate`.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    public static func count(where predicate: Predicate<Self>, in context: NSManagedObjectContext? = nil) throws -> Int
    {
        try query(.matching(predicate)).count(in: context)
    }

    /// Whether an object fulfils a condition; without one, whether there is any.
    public static func exists(
        where condition: MagicalRecord.Condition<Self>? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> Bool {
        try query(condition).exists(in: context)
    }

    /// Whether an object fulfils a ready-made predicate.
    public static func exists(where predicate: NSPredicate, in context: NSManagedObjectContext? = nil) throws -> Bool {
        try query(.predicate(predicate)).exists(in: context)
    }

    /// Whether an object fulfils a predicate format with arguments.
    public static func exists(
        where format: String, _ arguments: any CVarArg..., in context: NSManagedObjectContext? = nil
    ) throws -> Bool {
        try query(try parsed(format, arguments)).exists(in: context)
    }

    /// Whether an object fulfils a `#Predicate`.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    public static func exists(
        where predicate: Predicate<Self>, in context: NSManagedObjectContext? = nil
    ) throws -> Bool {
        try query(.matching(predicate)).exists(in: context)
    }
}
