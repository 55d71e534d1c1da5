import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation
import ModelFormat

/// Converts the plain values of a model file to descriptions.
struct ModelBuilder {
    private let values: Model
    /// Whether the values are part of a model and refer to other entities by name.
    private let isPart: Bool
    private var entities = ObjectTable<String, NSEntityDescription>(minimumCapacity: 0)

    private init(_ values: Model, isPart: Bool = false) {
        self.values = values
        self.isPart = isPart
    }

    /// Fills an empty model.
    ///
    /// - Parameter isChecked: whether the values are known to be valid.
    /// - Throws: `NSCoreDataError` naming entity and property if the values contradict each other, or if a predicate or
    ///   expression cannot be parsed.
    static func fill(_ model: NSManagedObjectModel, from values: Model, isChecked: Bool = false) throws {
        if !isChecked, let problem = ModelFileError.gravest(of: values) { throw ModelFileError.wrapped(problem) }
        var builder = ModelBuilder(values)
        try builder.build(into: model)
    }

    /// Returns entities outside of any model. Their relationships refer to destinations and inverses by name.
    static func part(of values: Model) throws -> [NSEntityDescription] {
        // Missing entities are allowed here.
        let problems = values.problems().filter { [.cycle, .duplicateName, .unsupported].contains($0.code) }
        if let problem = problems.first { throw ModelFileError.wrapped(problem) }
        var builder = ModelBuilder(values, isPart: true)
        return try builder.makeEntities()
    }

    private mutating func build(into model: NSManagedObjectModel) throws {
        model.entities = try makeEntities()
        for configuration in values.configurations {
            model.setEntities(
                configuration.entityNames.compactMap { entities[$0] }, forConfigurationName: configuration.name)
        }
        for template in values.fetchTemplates {
            model.templates[template.name] = try request(template, place: ModelPlace(template: template.name))
        }
        guard !values.versionIdentifiers.isEmpty else { return }
        var identifiers = Set<AnyHashable>(minimumCapacity: values.versionIdentifiers.count)
        for identifier in values.versionIdentifiers { identifiers.insert(identifier) }
        model.versionIdentifiers = identifiers
    }

    private mutating func makeEntities() throws -> [NSEntityDescription] {
        // References are names, so the order is: all entities, inheritance, properties, inverses and indexes.
        entities = ObjectTable(minimumCapacity: values.entities.count)
        for entity in values.entities {
            let description = NSEntityDescription()
            description.name = entity.name
            entities[entity.name] = description
        }
        var children: [String: [NSEntityDescription]] = [:]
        for entity in values.entities {
            guard let parent = entity.parentName, let description = entities[entity.name] else { continue }
            children[parent, default: []].append(description)
        }
        for (parent, children) in children { entities[parent]?.subentities = children }
        for entity in values.entities { try describe(entity) }
        for entity in values.entities { try connect(entity) }
        return values.entities.compactMap { entities[$0.name] }
    }

    // MARK: Entities and properties

    private func describe(_ entity: Entity) throws {
        guard let description = entities[entity.name] else { return }
        description.storedClassName = entity.className
        description.isAbstract = entity.isAbstract
        description.storedRenamingIdentifier = entity.renamingIdentifier
        description.versionHashModifier = entity.versionHashModifier
        description.userInfo = Self.userInfo(entity.userInfo)
        description.constraintNames = entity.uniquenessConstraints
        description.compoundIndexNames = entity.compoundIndexes
        description.spotlightDisplayNameExpression = entity.spotlightDisplayNameExpression
        var properties: [NSPropertyDescription] = []
        for value in entity.attributes { properties.append(try attribute(value, entity: entity.name)) }
        for value in entity.relationships { properties.append(try relationship(value, entity: entity.name)) }
        for value in entity.fetchedProperties { properties.append(try fetchedProperty(value, entity: entity.name)) }
        for property in properties {
            guard let complaint = ReservedNames.complaint(about: property.name, of: entity.name) else { continue }
            throw ModelFileError.reserved(complaint, place: ModelPlace(entity: entity.name, property: property.name))
        }
        description.properties = properties
    }

    private func attribute(_ value: Attribute, entity: String) throws -> NSAttributeDescription {
        let place = ModelPlace(entity: entity, property: value.name)
        let description: NSAttributeDescription
        if let derivation = value.derivation {
            let derived = NSDerivedAttributeDescription()
            derived.derivationExpression = try ModelText.expression(derivation, place: place)
            derived.derivationText = derivation
            derived.derivationFilter = value.derivationFilter
            description = derived
        } else if value.type == .composite {
            let composite = NSCompositeAttributeDescription()
            composite.elements = try elements(of: value).map { try attribute($0, entity: entity) }
            description = composite
        } else {
            description = NSAttributeDescription()
        }
        description.name = value.name
        description.attributeType = NSAttributeType(rawValue: UInt(value.type.rawValue)) ?? .undefinedAttributeType
        description.isOptional = value.isOptional
        description.isTransient = value.isTransient
        description.isReadOnly = value.isReadOnly
        description.storedDefault = AttributeDefault(value.defaultValue, type: description.attributeType)
        description.valueTransformerName = value.valueTransformerName
        description.customValueClassName = value.valueClassName
        description.allowsExternalBinaryDataStorage = value.allowsExternalBinaryDataStorage
        description.preservesValueInHistoryOnDeletion = value.preservesValueInHistoryOnDeletion
        description.allowsCloudEncryption = value.allowsCloudEncryption
        description.isIndexedBySpotlight = value.isIndexedBySpotlight
        description.isStoredInExternalRecord = value.isStoredInExternalRecord
        description.isIndexed = value.isIndexed
        description.storedRenamingIdentifier = value.renamingIdentifier
        description.versionHashModifier = value.versionHashModifier
        description.userInfo = Self.userInfo(value.userInfo)
        description.validation = try validation(value.validation, place: place)
        return description
    }

    private func elements(of attribute: Attribute) -> [Attribute] {
        guard attribute.elements.isEmpty, let name = attribute.compositeName else { return attribute.elements }
        return values.composites.first { $0.name == name }?.attributes ?? []
    }

    private func relationship(_ value: Relationship, entity: String) throws -> NSRelationshipDescription {
        let description = NSRelationshipDescription()
        description.name = value.name
        if !isPart {
            description.destinationEntity = entities[value.destinationName]
        } else if !value.destinationName.isEmpty {
            description.unresolved = (value.destinationName, value.inverseName)
        }
        description.isOptional = value.isOptional
        description.isTransient = value.isTransient
        description.isReadOnly = value.isReadOnly
        description.isOrdered = value.isOrdered
        description.minCount = value.minCount
        description.maxCount = value.maxCount
        description.deleteRule = NSDeleteRule(rawValue: value.deleteRule.rawValue) ?? .nullifyDeleteRule
        description.isIndexed = value.isIndexed
        description.isIndexedBySpotlight = value.isIndexedBySpotlight
        description.isStoredInExternalRecord = value.isStoredInExternalRecord
        description.storedRenamingIdentifier = value.renamingIdentifier
        description.versionHashModifier = value.versionHashModifier
        description.userInfo = Self.userInfo(value.userInfo)
        description.validation = try validation(
            value.validation, place: ModelPlace(entity: entity, property: value.name))
        return description
    }

    private func fetchedProperty(_ value: FetchedProperty, entity: String) throws -> NSFetchedPropertyDescription {
        let description = NSFetchedPropertyDescription()
        description.name = value.name
        description.isOptional = value.isOptional
        description.fetchRequest = try request(
            value.fetchRequest, place: ModelPlace(entity: entity, property: value.name))
        description.storedRenamingIdentifier = value.renamingIdentifier
        description.versionHashModifier = value.versionHashModifier
        description.userInfo = Self.userInfo(value.userInfo)
        return description
    }

    private func validation(_ rules: [ValidationRule], place: ModelPlace) throws -> PropertyValidation {
        var validation = PropertyValidation()
        for rule in rules {
            validation.predicates.append(try ModelText.predicate(rule.predicateFormat, place: place))
            switch rule.warning {
            case .code(let code): validation.warnings.append(NSNumber(value: code))
            case .text(let text): validation.warnings.append(text)
            }
        }
        return validation
    }

    // MARK: References

    /// Sets inverses and indexes, which refer to properties.
    private func connect(_ entity: Entity) throws {
        guard let description = entities[entity.name] else { return }
        for value in entity.relationships {
            guard let relationship = description.declared(value.name) as? NSRelationshipDescription,
                let destination = relationship.destinationEntity, let inverse = value.inverseName
            else { continue }
            relationship.inverseRelationship = destination.declared(inverse) as? NSRelationshipDescription
        }
        description.indexes = try entity.effectiveFetchIndexes.map { index in
            let place = ModelPlace(entity: entity.name, property: index.name)
            let elements = try index.elements.compactMap { element in
                try self.element(element, of: description, place: place)
            }
            let result = NSFetchIndexDescription(name: index.name, elements: elements)
            result.partialIndexPredicate = try index.partialIndexPredicate.map {
                try ModelText.predicate($0, place: place)
            }
            return result
        }
    }

    private func element(
        _ value: FetchIndexElement,
        of entity: NSEntityDescription,
        place: ModelPlace
    ) throws -> NSFetchIndexElementDescription? {
        let property: NSPropertyDescription
        switch value.subject {
        case .property(let name):
            if let known = entity.property(at: name) {
                property = known
            } else if isPart {
                property = NSPropertyDescription()
                property.name = name
            } else {
                return nil
            }
        case .expression(let text, let type):
            let expression = NSExpressionDescription()
            expression.name = text
            expression.expression = try ModelText.expression(text, place: place)
            expression.expressionResultType = NSAttributeType(rawValue: UInt(type.rawValue)) ?? .undefinedAttributeType
            property = expression
        }
        let element = NSFetchIndexElementDescription(
            property: property, collationType: NSFetchIndexElementType(rawValue: value.kind.rawValue) ?? .binary)
        element.isAscending = value.isAscending
        return element
    }

    private func request(
        _ template: FetchTemplate,
        place: ModelPlace
    ) throws -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: template.entityName)
        if !isPart, let entity = entities[template.entityName] { request.entity = entity }
        request.predicate = try template.predicate.map { try ModelText.predicate($0, place: place) }
        request.havingPredicate = try template.havingPredicate.map { try ModelText.predicate($0, place: place) }
        if !template.sortKeys.isEmpty {
            request.sortDescriptors = template.sortKeys.map(ModelText.sortDescriptor)
        }
        request.fetchLimit = template.fetchLimit
        request.fetchOffset = template.fetchOffset
        request.fetchBatchSize = template.fetchBatchSize
        request.resultType = NSFetchRequestResultType(rawValue: template.resultType.rawValue)
        request.includesSubentities = template.includesSubentities
        request.includesPropertyValues = template.includesPropertyValues
        request.includesPendingChanges = template.includesPendingChanges
        request.returnsObjectsAsFaults = template.returnsObjectsAsFaults
        request.returnsDistinctResults = template.returnsDistinctResults
        if !template.propertiesToFetch.isEmpty { request.propertiesToFetch = template.propertiesToFetch }
        if !template.propertiesToGroupBy.isEmpty { request.propertiesToGroupBy = template.propertiesToGroupBy }
        if !template.relationshipKeyPathsForPrefetching.isEmpty {
            request.relationshipKeyPathsForPrefetching = template.relationshipKeyPathsForPrefetching
        }
        return request
    }

    private static func userInfo(_ values: [String: ModelValue]) -> [AnyHashable: Any] {
        var result: [AnyHashable: Any] = [:]
        for (key, value) in values { result[key] = value.foundationValue }
        return result
    }
}
