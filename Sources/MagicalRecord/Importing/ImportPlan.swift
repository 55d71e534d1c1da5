import CoreData

/// The rules for importing into one entity, compiled once from the model's userInfo entries.
final class ImportPlan: @unchecked Sendable {
    /// An attribute: the key paths of its value and its conversion.
    final class Attribute: Sendable {
        let name: String
        let entityName: String?
        let paths: PayloadPaths
        let converter: ValueConverter
        /// The conversion for a property with `@Stored`; nil for other attributes.
        let storing: StoredConversion?
        /// The namespace in which a value of this attribute identifies an object.
        let group: IdentityMap.Group
        #if !canImport(ObjectiveC)
        /// Reads and sets values without key-value coding; nil for attribute types that need it.
        let accessor: AttributeAccessor?
        #endif

        /// Creates an attribute. A key attribute of a relationship's destination is also looked up by its name.
        init(_ attribute: NSAttributeDescription, storing: StoredConversion?, isKey: Bool = false) {
            name = attribute.name
            entityName = attribute.entity.name
            paths = isKey ? attribute.importLookUpPaths : attribute.importPaths
            converter = ValueConverter(attribute)
            self.storing = storing
            group = IdentityMap.Group.of(root: attribute.entity.rootName, attribute: attribute.name)
            #if !canImport(ObjectiveC)
            accessor = AttributeAccessor(attribute)
            #endif
        }

        private func convert(_ value: Any, identifies: Bool, readsLeadingNumbers: Bool) throws -> ImportedValue {
            if let storing { return try storing.convert(value, readsLeadingNumbers: readsLeadingNumbers) }
            return try converter.convert(value, identifies: identifies, readsLeadingNumbers: readsLeadingNumbers)
        }

        /// Returns the converted value of an identity.
        func converted(_ value: Any) throws -> ImportedValue {
            do {
                return try convert(value, identifies: true, readsLeadingNumbers: false)
            } catch var error as MagicalRecordError {
                error.entity = entityName
                throw error
            }
        }

        /// Returns the converted value in a record of a plan's entity, or nil if the record has none. With a tolerance, which
        /// collects the error, a value that cannot be converted counts as missing, an unreadable date as null.
        func value(
            in payload: Payload, of plan: ImportPlan, identifies: Bool, _ tolerance: ImportTolerance?
        ) throws -> ImportedValue? {
            guard let value = paths.value(in: payload) else { return nil }
            do {
                return try convert(value, identifies: identifies, readsLeadingNumbers: tolerance != nil)
            } catch var error as MagicalRecordError {
                error.entity = tolerance == nil ? plan.entityName : entityName
                let located = error.within(paths.path(in: payload))
                guard let tolerance else { throw located }
                tolerance.add(located)
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
            let conversions = StoredConversion.all(of: destination)
            keys = relationship.importKeyAttributes.map { Attribute($0, storing: conversions[$0.name], isKey: true) }
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
        let conversions = StoredConversion.all(of: entity)
        self.attributes = attributes.map { Attribute($0, storing: conversions[$0.name]) }
        relationships = entity.relationshipsByName.values.sorted { $0.name < $1.name }.compactMap(Relationship.init)
        let keyName = entity.importKeyAttribute?.name
        keys = self.attributes.filter { $0.name == keyName }
        defaulted = zip(attributes, self.attributes).compactMap { description, attribute in
            let isDefaulted = (description.importText(ImportKey.usesDefaultValue) as NSString?)?.boolValue == true
            return isDefaulted ? (attribute, description.defaultValue.map(ImportedValue.other) ?? .null) : nil
        }
    }

    /// Returns this plan; for an abstract entity, that of the concrete subentity that reads most of the record's keys. Throws
    /// ``MagicalRecordError/Code/abstractEntity`` if there is none or several match equally well.
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
    var rootName: String { sequence(first: self, next: \.superentity).reduce(self) { $1 }.name ?? "" }

    /// The subentities, at any depth, that are not abstract.
    var concreteDescendants: [NSEntityDescription] {
        subentities.flatMap { ($0.isAbstract ? [] : [$0]) + $0.concreteDescendants }
    }
}
