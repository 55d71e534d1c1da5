import CoreData

/// The rules for importing into one entity, compiled once from the model's userInfo entries.
final class ImportPlan: @unchecked Sendable {
    /// An attribute: the key paths of its value and its conversion.
    final class Attribute: Sendable {
        let name: String
        let entityName: String?
        let paths: PayloadPaths
        let converter: ValueConverter
        /// The namespace in which a value of this attribute identifies an object.
        let group: IdentityMap.Group
        /// Whether a record without a value sets the model's default.
        let usesDefault: Bool
        #if !canImport(ObjectiveC)
        /// Reads and sets values without key-value coding; nil for attribute types that need it.
        let accessor: AttributeAccessor?
        #endif

        convenience init(_ attribute: NSAttributeDescription) {
            self.init(attribute, paths: attribute.importPaths)
        }

        /// Creates a key attribute of a relationship's destination. Its lookup paths also include the attribute's name.
        convenience init(key attribute: NSAttributeDescription) {
            self.init(attribute, paths: attribute.importLookUpPaths)
        }

        private init(_ attribute: NSAttributeDescription, paths: PayloadPaths) {
            name = attribute.name
            entityName = attribute.entity.name
            self.paths = paths
            converter = ValueConverter(attribute)
            group = IdentityMap.Group.of(root: attribute.entity.rootName, attribute: attribute.name)
            let flag = attribute.importText(ImportKey.usesDefaultValue)
            usesDefault = flag.map { ($0 as NSString).boolValue } ?? false
            #if !canImport(ObjectiveC)
            accessor = AttributeAccessor(attribute)
            #endif
        }

        /// Returns whether a record has a non-null value for this attribute.
        func hasValue(in payload: Payload) -> Bool { paths.hasValue(in: payload) }

        /// Returns the converted value of an identity. Errors name the attribute.
        func converted(_ value: Any) throws -> ImportedValue {
            do {
                return try converter.convertIdentity(value)
            } catch var error as MagicalRecordError {
                error.key = error.key.map { "\(name).\($0)" } ?? name
                error.entity = entityName
                throw error
            }
        }

        /// Returns the converted value in a record, or nil if the record has none.
        ///
        /// - Parameters:
        ///   - identifies: whether the value is the record's identity.
        ///   - tolerance: collects the error of a value that cannot be converted; the value then counts as missing, an
        ///     unreadable date as null. Without it the error is thrown.
        func value(
            in payload: Payload, identifies: Bool, _ tolerance: ImportTolerance?
        ) throws -> ImportedValue? {
            guard let value = paths.value(in: payload) else { return nil }
            let readsLeadingNumbers = tolerance != nil
            do {
                return identifies
                    ? try converter.convertIdentity(value, readsLeadingNumbers: readsLeadingNumbers)
                    : try converter.convert(value, readsLeadingNumbers: readsLeadingNumbers)
            } catch var error as MagicalRecordError {
                error.key = error.key.map { "\(name).\($0)" } ?? name
                guard let tolerance else { throw error }
                error.entity = entityName
                tolerance.add(error)
                return converter.isForDates ? .null : nil
            }
        }
    }

    /// A relationship: the key paths of its data and the key attributes of its destination.
    final class Relationship: @unchecked Sendable {
        let name: String
        let paths: PayloadPaths
        let isToMany: Bool
        let isOrdered: Bool
        /// Kept alive by the model of the plan's entity.
        unowned let destination: NSEntityDescription
        /// The attributes that may identify a related object; the first that a record has a value for is used.
        let keys: [Attribute]

        init?(_ relationship: NSRelationshipDescription) {
            guard let destination = relationship.destinationEntity else { return nil }
            name = relationship.name
            paths = relationship.importPaths
            isToMany = relationship.isToMany
            isOrdered = relationship.isOrdered
            self.destination = destination
            keys = relationship.importKeyAttributes.map(Attribute.init(key:))
        }
    }

    /// Kept alive by its model, which every user of the plan holds.
    unowned let entity: NSEntityDescription
    let entityName: String
    /// The name of the hierarchy's topmost entity; identities are shared within a hierarchy.
    let rootName: String
    let attributes: [Attribute]
    /// The attributes that get the model's default when a record has no value.
    let defaulted: [(attribute: Attribute, value: ImportedValue)]
    let relationships: [Relationship]
    /// The key attribute of top-level records: one or none.
    let keys: [Attribute]

    private init(_ entity: NSEntityDescription) {
        self.entity = entity
        entityName = entity.name ?? ""
        rootName = entity.rootName
        let attributes = entity.attributesByName.values.filter { !($0 is NSDerivedAttributeDescription) }
            .sorted { $0.name < $1.name }
        self.attributes = attributes.map { Attribute($0) }
        relationships = entity.relationshipsByName.values.sorted { $0.name < $1.name }.compactMap(Relationship.init)
        let keyName = entity.importKeyAttribute?.name
        keys = self.attributes.filter { $0.name == keyName }
        defaulted = self.attributes.filter(\.usesDefault).map {
            ($0, entity.attributesByName[$0.name]?.defaultValue.map(ImportedValue.other) ?? .null)
        }
    }

    // MARK: Abstract entities

    /// Returns this plan; for an abstract entity, the plan of the concrete subentity that has properties for most of the
    /// record's keys.
    ///
    /// - Throws: ``MagicalRecordError/Code/abstractEntity`` if there is no such subentity or several match equally well.
    func concrete(for payload: Payload) throws -> ImportPlan {
        guard entity.isAbstract else { return self }
        let candidates = entity.concreteDescendants.map { candidate in
            let plan = ImportPlan.plan(for: candidate)
            let paths = plan.attributes.map(\.paths) + plan.relationships.map(\.paths)
            return (plan, paths.count { $0.value(in: payload) != nil })
        }
        let most = candidates.map(\.1).max()
        let best = candidates.filter { $0.1 == most }
        guard best.count == 1 else {
            let names = candidates.map(\.0.entityName).sorted().joined(separator: ", ")
            throw MagicalRecordError(
                .abstractEntity,
                "The entity \(entityName) is abstract, and the record does not say which of its "
                    + "sub-entities is meant (\(names)).",
                advice: "Import the sub-entity itself, or lead the relationship to it.", entity: entityName)
        }
        return best[0].0
    }

    // MARK: Cache of plans

    private struct Entry {
        weak var entity: NSEntityDescription?
        let plan: ImportPlan
    }

    private static let cache = Locked<[ObjectIdentifier: Entry]>([:])

    static func plan(for entity: NSEntityDescription) -> ImportPlan {
        let key = ObjectIdentifier(entity)
        if let entry = cache.withLock({ $0[key] }), entry.entity === entity { return entry.plan }
        let plan = ImportPlan(entity)
        cache.withLock { entries in
            entries = entries.filter { $0.value.entity != nil }
            entries[key] = Entry(entity: entity, plan: plan)
        }
        return plan
    }
}

extension NSEntityDescription {
    /// The name of the topmost superentity, or the entity's own name.
    var rootName: String {
        var root = self
        while let parent = root.superentity { root = parent }
        return root.name ?? ""
    }

    /// The subentities, at any depth, that are not abstract.
    fileprivate var concreteDescendants: [NSEntityDescription] {
        subentities.flatMap { ($0.isAbstract ? [] : [$0]) + $0.concreteDescendants }
    }
}
