import CoreData

extension NSManagedObject {
    /// Deletes the object from its context, and with the next save from the store. Does nothing for an object without a context.
    public func delete() {
        guard let context = managedObjectContext else { return }
        context.runAndWait { context.delete(self) }
    }
}

extension MagicalRecord.ManagedObject {
    // The forms that take a closure come first: the compiler reports mistakes in a closure best for what it looks up first.

    /// Deletes the objects that fulfil a condition made by a closure over typed columns: see the form with a
    /// condition.
    @discardableResult
    public static func deleteAll<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, in context: NSManagedObjectContext? = nil
    ) throws -> Int where Made.Root == Self {
        try query(MagicalRecord.Condition(condition)).deleteAll(in: context)
    }

    /// Deletes the objects that fulfil a condition; without one, all, in the context only. They leave the store with the next
    /// save.
    ///
    /// - Returns: the number of deleted objects.
    @discardableResult
    public static func deleteAll(
        where condition: MagicalRecord.Condition<Self>? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> Int {
        try query(condition).deleteAll(in: context)
    }

    /// Deletes the objects that fulfil a predicate, as the other forms.
    @discardableResult
    public static func deleteAll(where predicate: NSPredicate, in context: NSManagedObjectContext? = nil) throws -> Int
    {
        try query(.predicate(predicate)).deleteAll(in: context)
    }

    /// Deletes the objects that fulfil a predicate format with arguments, as the other forms.
    @discardableResult
    public static func deleteAll(
        where format: String, _ arguments: any CVarArg..., in context: NSManagedObjectContext? = nil
    ) throws -> Int {
        try query(try parsed(format, arguments)).deleteAll(in: context)
    }
}
