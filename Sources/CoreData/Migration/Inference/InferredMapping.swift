import Foundation
import ModelFormat
import PredicateFormat

/// Converts a comparison of two models to a mapping model for migration managers.
struct InferredMapping {
    private let comparison: ModelComparison

    init(_ comparison: ModelComparison) { self.comparison = comparison }

    func make() -> NSMappingModel {
        let model = NSMappingModel()
        let destination = comparison.destination.entities.sorted(byText: { $0.name ?? "" })
        let removed = comparison.source.entities.filter { comparison.destinationEntity(of: $0) == nil }
        model.entityMappings =
            destination.map(mapping) + removed.sorted(byText: { $0.name ?? "" }).map(removal)
        model.comparison = comparison
        return model
    }

    private func removal(_ entity: NSEntityDescription) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.name = "IEM_Remove_\(entity.name ?? "")"
        mapping.mappingType = .removeEntityMappingType
        mapping.sourceEntityName = entity.name
        mapping.sourceEntityVersionHash = entity.versionHash
        mapping.sourceExpression = Self.fetch(entity)
        mapping.userInfo = propertyNames(from: entity, to: nil)
        return mapping
    }

    /// Returns the names of the properties that are mapped, added and removed, under the keys of Apple's inferred mappings,
    /// which published programs read.
    private func propertyNames(from old: NSEntityDescription?, to new: NSEntityDescription?) -> [AnyHashable: Any] {
        var mapped: [String] = []
        var kept: Set<String> = []
        let names = (new?.properties ?? []).map(\.name)
        for name in names {
            guard let new, let property = comparison.sourceProperty(of: name, in: new) else { continue }
            mapped.append(name)
            kept.insert(property.name)
        }
        return [
            "mappedProperties": NSSet(array: mapped),
            "addedProperties": NSSet(array: names.filter { !mapped.contains($0) }),
            "removedProperties": NSSet(array: (old?.properties ?? []).map(\.name).filter { !kept.contains($0) }),
        ]
    }

    private func mapping(_ entity: NSEntityDescription) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.destinationEntityName = entity.name
        mapping.destinationEntityVersionHash = entity.versionHash
        mapping.userInfo = propertyNames(from: comparison.sourceEntity(of: entity), to: entity)
        guard let old = comparison.sourceEntity(of: entity) else {
            mapping.name = "IEM_Add_\(entity.name ?? "")"
            mapping.mappingType = .addEntityMappingType
            return mapping
        }
        let isCopy = old.name == entity.name && old.versionHash == entity.versionHash
        mapping.name = "IEM_\(isCopy ? "Copy" : "Transform")_\(entity.name ?? "")"
        mapping.mappingType = isCopy ? .copyEntityMappingType : .transformEntityMappingType
        mapping.sourceEntityName = old.name
        mapping.sourceEntityVersionHash = old.versionHash
        mapping.sourceExpression = Self.fetch(old)
        let properties = entity.properties.sorted(byText: \.name)
        mapping.attributeMappings = properties.compactMap { property in
            guard let attribute = property as? NSAttributeDescription, !attribute.isTransient,
                !(attribute is NSDerivedAttributeDescription)
            else { return nil }
            let mapping = NSPropertyMapping(name: attribute.name, valueExpression: value(of: attribute, in: entity))
            if let new = attribute as? NSCompositeAttributeDescription,
                let old = comparison.sourceAttribute(of: new, in: entity) as? NSCompositeAttributeDescription
            {
                mapping.composite = CompositeMapping(old, new)
            }
            return mapping
        }
        mapping.relationshipMappings = properties.compactMap { property in
            guard let relationship = property as? NSRelationshipDescription, !relationship.isTransient else {
                return nil
            }
            return NSPropertyMapping(
                name: relationship.name, valueExpression: value(of: relationship, in: entity))
        }
        return mapping
    }

    // MARK: Expressions

    static var source: ExpressionNode { .variable(NSMigrationSourceObjectKey) }
    static var manager: ExpressionNode { .variable(NSMigrationManagerKey) }

    /// Returns an expression that fetches all objects of an entity, without those of its subentities, in the form of Xcode's
    /// mapping models.
    static func fetch(_ entity: NSEntityDescription, predicate: String = "TRUEPREDICATE") -> NSExpression {
        NSExpression(
            node: .fetch(
                request: .message(
                    manager, .other("fetchRequestForSourceEntityNamed:predicateString:"),
                    [.constant(entity.name ?? ""), .constant(predicate)]),
                context: .path(["sourceContext"], of: manager), countOnly: .constant(false)))
    }

    /// Returns the value expression of an attribute; nil for a new attribute, which gets its default value.
    private func value(of attribute: NSAttributeDescription, in entity: NSEntityDescription) -> NSExpression? {
        guard let old = comparison.sourceAttribute(of: attribute, in: entity) else { return nil }
        let path = ExpressionNode.path([old.name], of: Self.source)
        guard !attribute.isOptional, old.isOptional, let value = attribute.defaultValue else {
            return NSExpression(node: path)
        }
        let isMissing = PredicateNode.comparison(
            ComparisonNode(path, .equalTo, .constant(nil)))
        return NSExpression(node: .conditional(isMissing, .constant(value), path))
    }

    private func value(of relationship: NSRelationshipDescription, in entity: NSEntityDescription) -> NSExpression? {
        guard let old = comparison.sourceRelationship(of: relationship, in: entity) else { return nil }
        return NSExpression(
            node: .message(
                Self.manager, .other("destinationInstancesForSourceRelationshipNamed:sourceInstances:"),
                [.constant(old.name), .path([old.name], of: Self.source)]))
    }
}
