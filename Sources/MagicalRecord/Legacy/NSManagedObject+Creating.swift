import CoreData

extension NSManagedObject {
    /// A new object in that context, or `nil` when the entity is unknown.
    @discardableResult
    public class func mr_createEntity(in context: NSManagedObjectContext) -> Self? {
        MagicalRecord.reporting { try create(in: context) }
    }

    /// A new object in the thread's context.
    #if canImport(ObjectiveC)
    @objc(MR_createEntity)
    #endif
    @discardableResult
    public class func mr_createEntity() -> Self? { mr_createEntity(in: ThreadContexts.current()) }

    /// Deletes this object in the given context, if it is there. Always true.
    #if canImport(ObjectiveC)
    @objc(MR_deleteEntityInContext:)
    #endif
    @discardableResult
    public func mr_deleteEntity(in context: NSManagedObjectContext) -> Bool {
        let id = objectID
        MagicalRecord.reporting {
            try context.runAndWait { context.delete(try context.existingObject(with: id)) }
        }
        return true
    }

    /// Deletes this object from its context. Always true.
    #if canImport(ObjectiveC)
    @objc(MR_deleteEntity)
    #endif
    @discardableResult
    public func mr_deleteEntity() -> Bool {
        delete()
        return true
    }

    /// Deletes the objects that match, in the context only. Always true; errors go to the error handler.
    @discardableResult
    public class func mr_deleteAll(matching predicate: NSPredicate, in context: NSManagedObjectContext) -> Bool {
        MagicalRecord.reporting {
            try MagicalRecord.Query<NSManagedObject>(type: self).where(predicate).deleteAll(in: context)
        }
        return true
    }

    /// Deletes what fulfils a predicate, in the thread's context. Saves nothing.
    @discardableResult
    public class func mr_deleteAll(matching predicate: NSPredicate) -> Bool {
        mr_deleteAll(matching: predicate, in: ThreadContexts.current())
    }

    /// Deletes all objects of the entity, in the context only. Always true; errors go to the error handler.
    #if canImport(ObjectiveC)
    @objc(MR_truncateAllInContext:)
    #endif
    @discardableResult
    public class func mr_truncateAll(in context: NSManagedObjectContext) -> Bool {
        MagicalRecord.reporting { try MagicalRecord.Query<NSManagedObject>(type: self).deleteAll(in: context) }
        return true
    }

    /// Deletes all objects, in the thread's context. Saves nothing.
    #if canImport(ObjectiveC)
    @objc(MR_truncateAll)
    #endif
    @discardableResult
    public class func mr_truncateAll() -> Bool { mr_truncateAll(in: ThreadContexts.current()) }

    /// The same object in another context, or `nil` when that context cannot see it.
    #if canImport(ObjectiveC)
    @objc(MR_inContext:)
    #endif
    @discardableResult
    public func mr_(in otherContext: NSManagedObjectContext) -> Self? {
        MagicalRecord.reporting { try self.in(otherContext) }
    }

    /// The same object in the thread's context.
    #if canImport(ObjectiveC)
    @objc(MR_inThreadContext)
    #endif
    @available(*, deprecated, message: "Use mr_(in:) and say which context")
    @discardableResult
    public func mr_inThreadContext() -> Self? { mr_(in: ThreadContexts.current()) }

    /// An older name for ``mr_createEntity(in:)``.
    #if canImport(ObjectiveC)
    @objc(MR_createInContext:)
    #endif
    @available(*, deprecated, renamed: "mr_createEntity(in:)")
    @discardableResult
    public class func mr_create(in context: NSManagedObjectContext) -> Self? { mr_createEntity(in: context) }

    /// An older name for ``mr_deleteEntity(in:)``.
    #if canImport(ObjectiveC)
    @objc(MR_deleteInContext:)
    #endif
    @available(*, deprecated, renamed: "mr_deleteEntity(in:)")
    @discardableResult
    public func mr_delete(in context: NSManagedObjectContext) -> Bool { mr_deleteEntity(in: context) }
}
