import CoreData

extension MagicalRecord.ManagedObject {
    /// Creates an object. It reaches the store with the next save.
    ///
    /// - Throws: ``MagicalRecordError/Code/unknownEntity``, or ``MagicalRecordError/Code/classMismatch`` when the
    ///   entity's class in the model is another one.
    @discardableResult
    public static func create(in context: NSManagedObjectContext? = nil) throws -> Self {
        try create(in: context) { _ in }
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

    /// Returns the object with a value, creating it if there is none: `User.findOrCreate(by: \.userID, 7, in: context)`.
    ///
    /// Inside one of MagicalRecord's saves nothing else can create it in between, since they run one after the other. Against other
    /// processes, contexts saved by hand, and saves to a PostgreSQL store, which run at the same time, only a uniqueness constraint
    /// in the model helps.
    ///
    /// - Throws: ``MagicalRecordError/Code/unsupportedCondition`` for a key that is not a stored attribute of the entity;
    ///   ``MagicalRecordError/Code/unnamedKeyPath``, or Core Data's error.
    @discardableResult
    public static func findOrCreate<Value: MagicalRecord.PredicateValue>(
        by key: KeyPath<Self, Value>, _ value: Value, in context: NSManagedObjectContext? = nil
    ) throws -> Self {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            let (entity, name) = try identity(key, in: context)
            var parts = QueryParts(type: self)
            parts.condition = .comparison(.path(.success(name)), "==", .value(value))
            if let found: Self = try parts.findFirst(in: context) { return found }
            return try create(entity, in: context, value, for: name)
        }
    }

    /// Returns the objects with these values, in the order of the values, creating missing ones. Existing objects are found with
    /// one query.
    ///
    /// A value that stands among `values` more than once leads to one object. Several objects that have a value already are left
    /// as they are; one of them is returned.
    ///
    /// - Throws: as for one object.
    @discardableResult
    public static func findOrCreate<Value: MagicalRecord.PredicateValue & Hashable>(
        by key: KeyPath<Self, Value>, in values: some Sequence<Value>, in context: NSManagedObjectContext? = nil
    ) throws -> [Self] {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            let (entity, name) = try identity(key, in: context)
            let values = Array(values)
            guard !values.isEmpty else { return [] }
            var byValue: [Value: Self] = [:]
            let columns = MagicalRecord.Columns<Self>()
            for object in try findAll(where: columns[dynamicMember: key].in(Set(values)), in: context) {
                byValue[object[keyPath: key], default: object] = object
            }
            return try values.map { value in
                if let object = byValue[value] { return object }
                let object = try create(entity, in: context, value, for: name)
                byValue[value] = object
                return object
            }
        }
    }

    /// Finds the object with that value or creates it, hands it to `update`, and returns it.
    ///
    /// ```swift
    /// try User.upsert(by: \.userID, 7, in: context) { $0.displayName = "Ann" }
    /// ```
    /// - Throws: what ``findOrCreate(by:_:in:)`` throws, or the error of `update`.
    @discardableResult
    public static func upsert<Value: MagicalRecord.PredicateValue>(
        by key: KeyPath<Self, Value>, _ value: Value, in context: NSManagedObjectContext? = nil,
        _ update: (Self) throws -> Void
    ) throws -> Self {
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            let object = try findOrCreate(by: key, value, in: context)
            try update(object)
            return object
        }
    }

    private static func create(
        _ entity: NSEntityDescription, in context: NSManagedObjectContext, _ value: some MagicalRecord.PredicateValue,
        for name: String
    ) throws -> Self {
        let object = try create(entity, in: context)
        object.setValue(value.predicateConstant, forKey: name)
        return object
    }

    /// Returns the entity, and the name of the attribute that identifies its objects.
    private static func identity<Value>(
        _ key: KeyPath<Self, Value>, in context: NSManagedObjectContext
    ) throws -> (NSEntityDescription, String) {
        let entity = try all.entity(in: context)
        let name = try KeyPathName.of(key).get()
        guard let attribute = entity.attributesByName[name], !attribute.isTransient,
            !(attribute is NSDerivedAttributeDescription)
        else {
            throw MagicalRecordError(
                .unsupportedCondition, "Objects cannot be found or created by \(name.isEmpty ? "themselves" : name).",
                advice: "Name a stored attribute of the entity, which a new object can be given.", entity: entity.name,
                key: name)
        }
        return (entity, name)
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
