import CoreData

extension NSManagedObject {
    /// Deletes the object from its context; it is gone for good with the next save. Does nothing for an object that
    /// has no context.
    public func delete() {
        guard let context = managedObjectContext else { return }
        context.runAndWait { context.delete(self) }
    }
}

extension MagicalRecord.ManagedObject {
    /// Deletes the objects that fulfil a condition, in the context only; without a condition, all of them.
    ///
    /// - Returns: how many were deleted.
    @discardableResult
    public static func deleteAll(
        where condition: MagicalRecord.Condition<Self>? = nil, in context: NSManagedObjectContext? = nil
    ) throws -> Int {
        try query(condition).deleteAll(in: context)
    }

    /// Deletes the objects that fulfil a ready-made predicate.
    @discardableResult
    public static func deleteAll(where predicate: NSPredicate, in context: NSManagedObjectContext? = nil) throws -> Int
    {
        try query(.predicate(predicate)).deleteAll(in: context)
    }

    /// Deletes the objects that fulfil a predicate format with arguments.
    @discardableResult
    public static func deleteAll(
        where format: String, _ arguments: any CVarArg..., in context: NSManagedObjectContext? = nil
    ) throws -> Int {
        try query(try parsed(format, arguments)).deleteAll(in: context)
    }

    /// Deletes the objects that fulfil a `#Predicate`.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    @discardableResult
    public static func deleteAll(
        where predicate: Predicate<Self>, in context: NSManagedObjectContext? = nil
    ) throws -> Int {
        try query(.matching(predicate)).deleteAll(in: context)
    }
}
