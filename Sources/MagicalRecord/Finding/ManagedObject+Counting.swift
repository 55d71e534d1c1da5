import CoreData

extension MagicalRecord.ManagedObject {
    // The forms that take a closure come first: the compiler reports mistakes in a closure best for what it looks up first.

    /// Returns the number of objects that fulfil a condition made by a closure over typed columns. Unsaved ones count.
    public static func count<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, in context: NSManagedObjectContext? = nil
    ) throws -> Int where Made.Root == Self {
        try query(MagicalRecord.Condition(condition)).count(in: context)
    }

    /// Returns whether an object fulfils a condition made by a closure over typed columns.
    public static func exists<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, in context: NSManagedObjectContext? = nil
    ) throws -> Bool where Made.Root == Self {
        try query(MagicalRecord.Condition(condition)).exists(in: context)
    }

    /// Returns the number of objects that fulfil a condition; without one, of all objects. Unsaved ones count.
    public static func count(
        where condition: MagicalRecord.Condition<Self>? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> Int {
        try query(condition).count(in: context)
    }

    /// Returns the number of objects that fulfil a predicate. Unsaved ones count.
    public static func count(
        where predicate: NSPredicate, in context: NSManagedObjectContext? = nil
    ) throws -> Int {
        try query(.predicate(predicate)).count(in: context)
    }

    /// Returns the number of objects that fulfil a predicate format with arguments. Unsaved ones count.
    public static func count(
        where format: String, _ arguments: any CVarArg..., in context: NSManagedObjectContext? = nil
    ) throws -> Int {
        try query(try parsed(format, arguments)).count(in: context)
    }

    /// Returns whether an object fulfils a condition; without one, whether there is any.
    public static func exists(
        where condition: MagicalRecord.Condition<Self>? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> Bool {
        try query(condition).exists(in: context)
    }

    /// Returns whether an object fulfils a predicate.
    public static func exists(
        where predicate: NSPredicate, in context: NSManagedObjectContext? = nil
    ) throws -> Bool {
        try query(.predicate(predicate)).exists(in: context)
    }

    /// Returns whether an object fulfils a predicate format with arguments.
    public static func exists(
        where format: String, _ arguments: any CVarArg..., in context: NSManagedObjectContext? = nil
    ) throws -> Bool {
        try query(try parsed(format, arguments)).exists(in: context)
    }
}
