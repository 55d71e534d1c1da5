import CoreData

extension MagicalRecord.ManagedObject {
    /// Returns the object with a value, creating it if there is none.
    ///
    /// Inside one of MagicalRecord's saves nothing else can create it in between, since they run one after the other. Against other
    /// processes, or contexts saved by hand, only a uniqueness constraint in the model helps.
    ///
    /// ```swift
    /// let user = try User.findOrCreate(by: \.userID, 7, in: context)
    /// ```
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
            let object = try create(entity, in: context)
            object.setValue(value.predicateConstant, forKey: name)
            return object
        }
    }

    /// Returns the objects with these values, in the order of the values, creating missing ones. Existing objects are found with
    /// one query.
    ///
    /// ```swift
    /// let users = try User.findOrCreate(by: \.userID, in: ids, in: context)
    /// ```
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
                let object = try create(entity, in: context)
                object.setValue(value.predicateConstant, forKey: name)
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
}
