import CoreData

/// How to import into one entity, worked out once from the model's userInfo entries.
final class ImportPlan: @unchecked Sendable {
    /// An attribute: where its value is, how it is converted.
    final class Attribute: Sendable {
        let name: String
        let entityName: String?
        let paths: PayloadPaths
        let converter: ValueConverter
        /// The objects among which a value of this attribute identifies one.
        let group: IdentityMap.Group
        /// Whether a record without a value sets the model's default.
        let usesDefault: Bool
        #if !canImport(ObjectiveC)
        /// Reads and sets values without key-value coding; nil for kinds of values that need it.
        let accessor: AttributeAccessor?
        #endif

        convenience init(_ attribute: NSAttributeDescription) {
            self.init(attribute, paths: attribute.importPaths)
        }

        /// An attribute that identifies objects behind a relationship.
        convenience init(key attribute: NSAttributeDescription) {
            self.init(attribute, paths: attribute.importLookUpPaths)
        }

        private init(_ attribute: NSAttributeDescription, paths: PayloadPaths) {
            name = attribute.name
            entityName = attribute.entity.name
            self.paths = paths
            converter = ValueConverter(attribute)
            group = IdentityMap.Group.of(root: attribute.entity.rootName, attribute: attribute.name)
            let flag = attribute.importText(kMagicalRecordImportAttributeUseDefaultValueWhenNotPresent)
            usesDefault = flag.map { ($0 as NSString).boolValue } ?? false
            #if !canImport(ObjectiveC)
            accessor = AttributeAccessor(attribute)
            #endif
        }

        /// Whether a record has a value for this attribute that could identify an object.
        func hasValue(in payload: Payload) -> Bool { paths.hasValue(in: payload) }

        /// A value that identifies an object, converted. An error says which attribute it is about.
        func converted(_ value: Any) throws -> ImportedValue {
            do {
                return try converter.convertIdentity(value)
            } catch var error as MagicalRecordError {
                error.key = error.key.map { "\(name).\($0)" } ?? name
                error.entity = entityName
                throw error
            }
        }

        /// The converted value in a record; `nil` when there is none.
        ///
        /// - Parameters:
        ///   - identifies: whether the value says which object the record is about.
        ///   - tolerance: collects the error of a value that cannot be converted, which then counts as missing; an
        ///     unreadable date becomes null. Without one the error is thrown.
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

    /// A relationship: where its data is, what identifies the objects at its other end.
    final class Relationship: @unchecked Sendable {
        let name: String
        let paths: PayloadPaths
        let isToMany: Bool
        let isOrdered: Bool
        /// Belongs to the same model as the plan's entity.
        unowned let destination: NSEntityDescription
        /// What may identify a related object: of a record, the first of these it has a value for.
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

    /// Kept alive by its model, which whoever uses the plan holds.
    unowned let entity: NSEntityDescription
    let entityName: String
    /// The topmost entity above this one: objects of one hierarchy share their identities.
    let rootName: String
    let attributes: [Attribute]
    /// Those of them that get the model's default when a record has no value.
    let defaulted: [(attribute: Attribute, value: ImportedValue)]
    let relationships: [Relationship]
    /// What identifies a record at the top level: one attribute, or none.
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

    /// This plan, or, of an abstract entity, that of the sub-entity which knows most of the record's keys.
    ///
    /// - Throws: ``MagicalRecordError/Code/abstractEntity`` when there is none, or several fit alike.
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

    // MARK: Plans are kept for as long as their model lives.

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
    /// The name of the topmost entity above this one, or its own.
    var rootName: String {
        var root = self
        while let parent = root.superentity { root = parent }
        return root.name ?? ""
    }

    /// The entities below this one that may have objects.
    fileprivate var concreteDescendants: [NSEntityDescription] {
        subentities.flatMap { ($0.isAbstract ? [] : [$0]) + $0.concreteDescendants }
    }
}
