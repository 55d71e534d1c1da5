import CoreData

extension MagicalRecord.ManagedObject {
    /// Creates an object. It reaches the store with the next save.
    ///
    /// - Throws: ``MagicalRecordError/Code/unknownEntity``, or ``MagicalRecordError/Code/classMismatch`` when the
    ///   entity's class in the model is another one.
    @discardableResult
    public static func create(in context: NSManagedObjectContext? = nil) throws -> Self {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            try create(all.entity(in: context), in: context)
        }
    }

    /// Creates an object and hands it to `configure`.
    @discardableResult
    public static func create(
        in context: NSManagedObjectContext? = nil, _ configure: (Self) throws -> Void
    ) throws -> Self {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            let object = try create(all.entity(in: context), in: context)
            do {
                try configure(object)
            } catch {
                context.delete(object)
                throw error
            }
            return object
        }
    }

    /// Creates an object of an entity. Runs on the context's queue.
    static func create(_ entity: NSEntityDescription, in context: NSManagedObjectContext) throws -> Self {
        guard !entity.isAbstract else {
            throw MagicalRecordError(
                .abstractEntity, "The entity \(entity.name ?? "") is abstract, and has no objects.",
                advice: "Create an object of one of its sub-entities.", entity: entity.name)
        }
        let object = entity.makeObject(in: context)
        guard let typed = object as? Self else {
            context.delete(object)
            throw MagicalRecordError(
                .classMismatch,
                "Objects of the entity \(entity.name ?? "") are of class \(type(of: object)), not \(self).",
                advice: "Set the entity's class in the model to \(ClassName.full(self)).", entity: entity.name)
        }
        return typed
    }
}

extension NSEntityDescription {
    /// Creates an object of this entity and its class. Runs on the context's queue.
    func makeObject(in context: NSManagedObjectContext) -> NSManagedObject {
        #if canImport(ObjectiveC)
        if let object = objectFromItsClass(in: context) { return object }
        #endif
        return NSEntityDescription.insertNewObject(forEntityName: name ?? "", into: context)
    }
}
