import MagicalRecord

extension MagicalRecord.ManagedObject {
    /// Creates a valid object: properties that the model requires and `configure` does not set are filled in.
    ///
    /// ```swift
    /// let ann = try User.sample(in: context) { $0.displayName = "Ann" }
    /// ```
    /// The function fills in required attributes without a value, attributes with an invalid default value, attributes of
    /// uniqueness constraints, with values that no other sample of the process has, and required relationships, with samples of
    /// their destinations. Values respect the ranges, lengths and lists of allowed values in the model; other properties keep
    /// their defaults. The object is validated, with all objects created for it.
    ///
    /// - Parameters:
    ///   - context: the context to create it in; without one, as for `create(in:)`.
    ///   - configure: sets the properties relevant to the test. It runs first.
    /// - Throws: `MagicalRecordError.Code.noSample` for a value that cannot be generated, such as text for a pattern; the
    ///   validation error; the error of `configure`. Then all created objects are removed from the context.
    @discardableResult
    public static func sample(
        in context: NSManagedObjectContext? = nil, _ configure: (Self) throws -> Void = { _ in }
    ) throws -> Self {
        try create(in: context) { object in
            try configure(object)
            var filling = SampleFilling()
            do {
                try filling.fill(object)
                try filling.validate()
            } catch {
                filling.takeBack(except: object)
                throw error
            }
        }
    }
}

extension MagicalRecordError.Code {
    /// The code for a property without a sample value that satisfies its validation rules.
    public static let noSample = MagicalRecordError.Code(rawValue: 101)
}

/// Fills in the properties of an object, and of the objects it requires.
struct SampleFilling {
    private var objects: [NSManagedObject] = []
    /// The maximum depth of required objects.
    private static let deepest = 50

    /// Fills in the properties of an object, and recursively those of the objects it requires.
    mutating func fill(_ object: NSManagedObject, depth: Int = 0) throws {
        objects.append(object)
        for (key, attribute) in object.entity.attributesByName.sorted(by: { $0.key < $1.key }) {
            try Self.fill(attribute, key, of: object)
        }
        for (key, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key }) {
            try fill(relationship, key, of: object, depth: depth)
        }
    }

    func validate() throws {
        for object in objects { try object.validateForInsert() }
    }

    func takeBack(except sample: NSManagedObject) {
        for object in objects where object !== sample { object.managedObjectContext?.delete(object) }
    }

    private static func fill(_ attribute: NSAttributeDescription, _ key: String, of object: NSManagedObject) throws {
        guard !attribute.isTransient, !(attribute is NSDerivedAttributeDescription),
            object.changedValues()[key] == nil
        else { return }
        let value = object.value(forKey: key)
        let isUnique = object.entity.constrainedKeys.contains(key)
        if value == nil, attribute.isOptional { return }
        if let value, !isUnique, attribute.allows(value) { return }
        guard let made = SampleValues(for: attribute).value(isUnique: isUnique) else {
            let rules = attribute.validationPredicates.map(\.format)
            throw MagicalRecordError(
                .noSample,
                rules.isEmpty
                    ? "No sample value can be made up." : "No sample value fits \(rules.joined(separator: " and ")).",
                advice: "Set it in the closure: sample(in: context) { $0.\(key) = … }.",
                entity: object.entity.name, key: key)
        }
        object.setValue(made, forKey: key)
    }

    private mutating func fill(
        _ relationship: NSRelationshipDescription, _ key: String, of object: NSManagedObject, depth: Int
    ) throws {
        guard !relationship.isOptional, !relationship.isTransient, let destination = relationship.destinationEntity
        else {
            return
        }
        let needed = max(relationship.minCount, 1) - object.countOfObjects(key, relationship)
        guard needed > 0 else { return }
        guard depth < Self.deepest, let entity = destination.instantiable, let name = entity.name,
            let context = object.managedObjectContext
        else {
            throw MagicalRecordError(
                .noSample,
                depth < Self.deepest
                    ? "The destination is abstract, and has no sub-entity."
                    : "The objects it requires require others without end.",
                advice: "Set it in the closure: sample(in: context) { $0.\(key) = … }.",
                entity: object.entity.name, key: key)
        }
        for _ in 0..<needed {
            // An object that requires one of the same entity is related to itself, if the inverse permits it.
            let loops = !relationship.isToMany && relationship.inverseRelationship?.isToMany ?? true
            if loops, object.entity.isKindOf(entity: destination) {
                object.setValue(object, forKey: key)
                continue
            }
            let other = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
            object.link(other, key, relationship)
            try fill(other, depth: depth + 1)
        }
    }
}

extension NSEntityDescription {
    /// The attributes of uniqueness constraints, including those of superentities.
    fileprivate var constrainedKeys: Set<String> {
        var keys: Set<String> = []
        for entity in sequence(first: self, next: \.superentity) {
            for element in entity.uniquenessConstraints.joined() {
                if let key = element as? String ?? (element as? NSAttributeDescription)?.name { keys.insert(key) }
            }
        }
        return keys
    }

    /// The entity itself, or the first of its subentities that is not abstract.
    fileprivate var instantiable: NSEntityDescription? {
        if !isAbstract { return self }
        let below = subentities.sorted { ($0.name ?? "") < ($1.name ?? "") }
        return below.lazy.compactMap(\.instantiable).first
    }
}

extension NSManagedObject {
    fileprivate func countOfObjects(_ key: String, _ relationship: NSRelationshipDescription) -> Int {
        switch value(forKey: key) {
        case nil: 0
        case let set as NSOrderedSet where relationship.isToMany: set.count
        case let set as NSSet where relationship.isToMany: set.count
        case let set as Set<NSManagedObject> where relationship.isToMany: set.count
        default: 1
        }
    }

    fileprivate func link(_ other: NSManagedObject, _ key: String, _ relationship: NSRelationshipDescription) {
        if !relationship.isToMany {
            setValue(other, forKey: key)
        } else if relationship.isOrdered {
            mutableOrderedSetValue(forKey: key).add(other)
        } else {
            mutableSetValue(forKey: key).add(other)
        }
    }
}

extension NSPredicate {
    fileprivate var format: String {
        #if canImport(ObjectiveC)
        predicateFormat
        #else
        node.predicateFormat
        #endif
    }
}

extension NSAttributeDescription {
    /// Returns whether a value satisfies the validation rules.
    func allows(_ value: Any) -> Bool { validationPredicates.allSatisfy { $0.evaluate(with: value) } }
}
