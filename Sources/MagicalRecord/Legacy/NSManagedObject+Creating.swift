import CoreData

extension NSManagedObject {
    /// Creates an object in a context, that of the current thread unless one is given; returns nil if the entity is unknown.
    @discardableResult
    public class func mr_createEntity(in context: NSManagedObjectContext = .currentThread) -> Self? {
        MagicalRecord.reporting { try create(in: context) }
    }

    /// Deletes this object in a context, if it exists there. Always returns true.
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

    /// Deletes this object from its context. Always returns true.
    #if canImport(ObjectiveC)
    @objc(MR_deleteEntity)
    #endif
    @discardableResult
    public func mr_deleteEntity() -> Bool {
        delete()
        return true
    }

    /// Deletes the objects that match a predicate, in the current thread's context unless one is given, without saving. Always
    /// returns true; errors go to the error handler.
    @discardableResult
    public class func mr_deleteAll(
        matching predicate: NSPredicate, in context: NSManagedObjectContext = .currentThread
    ) -> Bool {
        MagicalRecord.reporting {
            try MagicalRecord.Query<NSManagedObject>(type: self).where(predicate).deleteAll(in: context)
        }
        return true
    }

    /// Deletes all objects of the entity as ``mr_deleteAll(matching:in:)``.
    #if canImport(ObjectiveC)
    @objc(MR_truncateAllInContext:)
    #endif
    @discardableResult
    public class func mr_truncateAll(in context: NSManagedObjectContext = .currentThread) -> Bool {
        MagicalRecord.reporting { try MagicalRecord.Query<NSManagedObject>(type: self).deleteAll(in: context) }
        return true
    }

    /// Returns this object in another context, or nil if that context cannot find it.
    #if canImport(ObjectiveC)
    @objc(MR_inContext:)
    #endif
    @discardableResult
    public func mr_(in otherContext: NSManagedObjectContext) -> Self? {
        MagicalRecord.reporting { try self.in(otherContext) }
    }

    /// Returns this object in the current thread's context, or nil if that context cannot find it.
    #if canImport(ObjectiveC)
    @objc(MR_inThreadContext)
    #endif
    @available(*, deprecated, message: "Use mr_(in:) and say which context")
    @discardableResult
    public func mr_inThreadContext() -> Self? { mr_(in: .currentThread) }

    /// Creates an object as ``mr_createEntity(in:)``, under an older name.
    #if canImport(ObjectiveC)
    @objc(MR_createInContext:)
    #endif
    @available(*, deprecated, renamed: "mr_createEntity(in:)")
    @discardableResult
    public class func mr_create(in context: NSManagedObjectContext) -> Self? { mr_createEntity(in: context) }

    /// Deletes this object as ``mr_deleteEntity(in:)``, under an older name.
    #if canImport(ObjectiveC)
    @objc(MR_deleteInContext:)
    #endif
    @available(*, deprecated, renamed: "mr_deleteEntity(in:)")
    @discardableResult
    public func mr_delete(in context: NSManagedObjectContext) -> Bool { mr_deleteEntity(in: context) }
}
