import CoreData

extension ManagedObject {
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

    /// On the queue.
    static func create(_ entity: NSEntityDescription, in context: NSManagedObjectContext) throws -> Self {
        guard !entity.isAbstract else {
            throw MagicalRecordError(
                .abstractEntity, "The entity \(entity.name ?? "") is abstract, and has no objects of its own.",
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

    /// The object with that value, created if there is none.
    ///
    /// Inside one of MagicalRecord's saves nobody else can create it in between, since they run one after the other. Against other
    /// processes, or contexts saved by hand, only a uniqueness constraint in the model helps.
    ///
    /// ```swift
    /// let user = try User.findFirstOrCreate(where: \.userID, equals: 7, in: context)
    /// ```
    @discardableResult
    public static func findFirstOrCreate<Value: PredicateValue>(
        where key: KeyPath<Self, Value>, equals value: Value, in context: NSManagedObjectContext? = nil
    ) throws -> Self {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            if let found = try findFirst(where: key == value, in: context) { return found }
            let name = try KeyPathName.of(key).get()
            let object = try create(in: context)
            object.setValue(value.predicateConstant, forKey: name)
            return object
        }
    }

    /// Finds the object with that value or creates it, hands it to `update`, and returns it.
    @discardableResult
    public static func upsert<Value: PredicateValue>(
        where key: KeyPath<Self, Value>, equals value: Value, in context: NSManagedObjectContext? = nil,
        _ update: (Self) throws -> Void
    ) throws -> Self {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            let object = try findFirstOrCreate(where: key, equals: value, in: context)
            try update(object)
            return object
        }
    }
}

extension NSEntityDescription {
    /// On the context's queue: a new object of this entity and its class.
    func makeObject(in context: NSManagedObjectContext) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: name ?? "", into: context)
    }
}
