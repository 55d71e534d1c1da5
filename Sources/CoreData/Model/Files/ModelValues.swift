import Foundation
import ModelFormat
import ModelPredicates

/// Converts descriptions to the plain values of model files.
enum ModelValues {
    /// Returns the values of the whole model.
    static func model(_ model: NSManagedObjectModel) -> Model {
        var values = Model(entities: model.storedEntities.map(entity))
        values.configurations = model.configurations.map { name in
            let members = model.configurationEntities[name] ?? []
            return Configuration(name: name, entityNames: members.compactMap(\.name))
        }
        values.fetchTemplates = model.templates.sorted(byText: \.key).map { template($0.value, name: $0.key) }
        values.versionIdentifiers = model.versionIdentifiers.compactMap { $0.base as? String }.sorted()
        return values
    }

    /// Returns the values of one entity with the properties it declares.
    static func entity(_ description: NSEntityDescription) -> Entity { entity(description, .everything) }

    /// Returns the values of an entity that are part of version hashes.
    static func hashedEntity(_ description: NSEntityDescription) -> Entity { entity(description, .hashed) }

    /// Returns the values of the entities that the inference of a mapping uses: inheritance, renaming identifiers, types, and
    /// whether default values exist.
    static func compared(_ model: NSManagedObjectModel) -> Model {
        Model(entities: model.storedEntities.map { entity($0, .compared) })
    }

    /// The extent of a conversion. Converting predicates and default values takes long, and no hash includes them.
    private enum Extent {
        case everything, hashed, compared
    }

    private static func entity(_ description: NSEntityDescription, _ extent: Extent) -> Entity {
        var value = Entity(
            name: description.name ?? "", className: description.storedClassName, parentName: description.parentName)
        value.isAbstract = description.isAbstract
        value.versionHashModifier = description.versionHashModifier
        value.uniquenessConstraints = description.constraintNames
        for property in description.ownProperties {
            switch property {
            case let property as NSAttributeDescription: value.attributes.append(attribute(property, extent))
            case let property as NSRelationshipDescription: value.relationships.append(relationship(property, extent))
            case let property as NSFetchedPropertyDescription:
                value.fetchedProperties.append(fetchedProperty(property, extent))
            default: break
            }
        }
        if extent != .hashed { value.renamingIdentifier = description.storedRenamingIdentifier }
        guard extent == .everything else { return value }
        value.userInfo = userInfo(description.userInfo)
        value.compoundIndexes = description.compoundIndexNames
        value.spotlightDisplayNameExpression = description.spotlightDisplayNameExpression
        value.fetchIndexes = description.indexes.map(fetchIndex)
        return value
    }

    static func attribute(_ description: NSAttributeDescription) -> Attribute { attribute(description, .everything) }

    private static func attribute(_ description: NSAttributeDescription, _ extent: Extent) -> Attribute {
        let type = AttributeType(rawValue: UInt32(description.attributeType.rawValue)) ?? .undefined
        var value = Attribute(name: description.name, type: type, isOptional: description.isOptional)
        value.isTransient = description.isTransient
        value.isReadOnly = description.isReadOnly
        value.allowsExternalBinaryDataStorage = description.allowsExternalBinaryDataStorage
        value.preservesValueInHistoryOnDeletion = description.preservesValueInHistoryOnDeletion
        value.versionHashModifier = description.versionHashModifier
        if let derived = description as? NSDerivedAttributeDescription {
            value.derivation = derived.derivation
            value.derivationFilter = derived.derivationFilter
        }
        if let composite = description as? NSCompositeAttributeDescription {
            value.elements = composite.elements.map { attribute($0, extent) }
        }
        if extent != .hashed { value.renamingIdentifier = description.storedRenamingIdentifier }
        if extent == .compared, !description.storedDefault.isNone {
            // Inference only checks whether a default exists; not every value has a form in files.
            value.defaultValue = .bool(true)
        }
        guard extent == .everything else { return value }
        value.defaultValue = description.storedDefault.object.flatMap {
            ModelConstants.value(from: $0, type: description.attributeType)
        }
        value.valueTransformerName = description.valueTransformerName
        value.valueClassName = description.customValueClassName
        value.allowsCloudEncryption = description.allowsCloudEncryption
        value.isIndexedBySpotlight = description.isIndexedBySpotlight
        value.isStoredInExternalRecord = description.isStoredInExternalRecord
        value.isIndexed = description.isIndexed
        value.userInfo = userInfo(description.userInfo)
        value.validation = validation(description)
        return value
    }

    static func relationship(_ description: NSRelationshipDescription) -> Relationship {
        relationship(description, .everything)
    }

    private static func relationship(_ description: NSRelationshipDescription, _ extent: Extent) -> Relationship {
        var value = Relationship(
            name: description.name, destinationName: description.destinationName ?? "",
            inverseName: description.inverseName)
        value.isOptional = description.isOptional
        value.isTransient = description.isTransient
        value.isReadOnly = description.isReadOnly
        value.isOrdered = description.isOrdered
        value.minCount = description.minCount
        value.maxCount = description.maxCount
        value.versionHashModifier = description.versionHashModifier
        if extent != .hashed { value.renamingIdentifier = description.storedRenamingIdentifier }
        guard extent == .everything else { return value }
        value.deleteRule = DeleteRule(rawValue: description.deleteRule.rawValue) ?? .nullify
        value.isIndexed = description.isIndexed
        value.isIndexedBySpotlight = description.isIndexedBySpotlight
        value.isStoredInExternalRecord = description.isStoredInExternalRecord
        value.validation = validation(description)
        value.userInfo = userInfo(description.userInfo)
        return value
    }

    static func fetchedProperty(_ description: NSFetchedPropertyDescription) -> FetchedProperty {
        fetchedProperty(description, .everything)
    }

    private static func fetchedProperty(
        _ description: NSFetchedPropertyDescription, _ extent: Extent
    ) -> FetchedProperty {
        guard extent == .everything else {
            var value = FetchedProperty(name: description.name, fetchRequest: FetchTemplate(name: "", entityName: ""))
            value.isOptional = description.isOptional
            value.versionHashModifier = description.versionHashModifier
            return value
        }
        let request = description.fetchRequest ?? NSFetchRequest()
        var value = FetchedProperty(
            name: description.name, fetchRequest: template(request, name: "fetchedPropertyFetchRequest"))
        value.isOptional = description.isOptional
        value.renamingIdentifier = description.storedRenamingIdentifier
        value.versionHashModifier = description.versionHashModifier
        value.userInfo = userInfo(description.userInfo)
        return value
    }

    private static func fetchIndex(_ description: NSFetchIndexDescription) -> FetchIndex {
        var value = FetchIndex(name: description.name, elements: description.elements.map(element))
        value.partialIndexPredicate = description.partialIndexPredicate.map(ModelText.format)
        return value
    }

    private static func element(_ description: NSFetchIndexElementDescription) -> FetchIndexElement {
        let kind = FetchIndexElement.Kind(rawValue: description.collationType.rawValue) ?? .binary
        guard let expression = description.property as? NSExpressionDescription else {
            return FetchIndexElement(
                property: description.propertyPath, kind: kind, isAscending: description.isAscending)
        }
        let type = AttributeType(rawValue: UInt32(expression.expressionResultType.rawValue)) ?? .undefined
        let text = expression.expression.map(ModelText.format) ?? ""
        return FetchIndexElement(.expression(text, resultType: type), kind: kind, isAscending: description.isAscending)
    }

    private static func template(_ request: FetchRequestBase, name: String) -> FetchTemplate {
        var value = FetchTemplate(name: name, entityName: request.entityName ?? "")
        value.predicate = request.predicate.map(ModelText.format)
        value.havingPredicate = request.havingPredicate.map(ModelText.format)
        value.sortKeys = (request.sortDescriptors ?? []).compactMap(ModelText.sortKey)
        value.fetchLimit = request.fetchLimit
        value.fetchOffset = request.fetchOffset
        value.fetchBatchSize = request.fetchBatchSize
        value.resultType = FetchTemplate.ResultType(rawValue: request.resultType.rawValue) ?? .objects
        value.includesSubentities = request.includesSubentities
        value.includesPropertyValues = request.includesPropertyValues
        value.includesPendingChanges = request.includesPendingChanges
        value.returnsObjectsAsFaults = request.returnsObjectsAsFaults
        value.returnsDistinctResults = request.returnsDistinctResults
        value.propertiesToFetch = NSEntityDescription.propertyNames(request.propertiesToFetch ?? [])
        value.propertiesToGroupBy = NSEntityDescription.propertyNames(request.propertiesToGroupBy ?? [])
        value.relationshipKeyPathsForPrefetching = request.relationshipKeyPathsForPrefetching ?? []
        return value
    }

    private static func validation(_ description: NSPropertyDescription) -> [ValidationRule] {
        zip(description.validation.predicates, description.validation.warnings).map { predicate, warning in
            let code = (warning as? NSNumber)?.intValue
            let kind = code.map { ValidationRule.Warning.code($0) } ?? .text("\(warning)")
            let text = ModelText.format(predicate)
            // The limits that an editor offers have a dedicated form.
            guard code != nil, let tree = try? FormatTextParser().predicate(text) else { return .predicate(text, kind) }
            return ValidationRule(tree, warning: kind)
        }
    }

    private static func userInfo(_ values: [AnyHashable: Any]?) -> [String: ModelValue] {
        var result: [String: ModelValue] = [:]
        for (key, value) in values ?? [:] {
            if let key = key.base as? String { result[key] = ModelConstants.value(from: value) }
        }
        return result
    }
}
