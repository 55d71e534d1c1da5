import Foundation

/// What differences a mapping can be inferred for: Apple's documented rules, and the reasons where one is broken.
struct InferenceRules {
    private let comparison: ModelComparison

    init(_ comparison: ModelComparison) { self.comparison = comparison }

    /// One sentence for each difference that has no obvious meaning.
    func refusals() -> [String] {
        var reasons = hierarchies()
        for entity in comparison.destination.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
            guard let old = comparison.sourceEntity(of: entity) else { continue }
            // What an entity inherits is reported where it is declared, unless it came from elsewhere.
            for property in entity.properties.sorted(by: { $0.name < $1.name }) {
                guard property.owner === entity || !inheritsMapping(property, entity) else { continue }
                if let reason = refusal(property, in: entity, from: old) { reasons.append(reason) }
            }
        }
        return reasons
    }

    /// Whether the owner of an inherited property is migrated too and makes the same of it.
    private func inheritsMapping(_ property: NSPropertyDescription, _ entity: NSEntityDescription) -> Bool {
        guard let owner = property.owner, comparison.sourceEntity(of: owner) != nil else { return false }
        return comparison.sourceProperty(of: property.name, in: owner)
            === comparison.sourceProperty(of: property.name, in: entity)
    }

    // MARK: Hierarchies

    /// Rows of one table cannot come from several, whose keys may be the same.
    private func hierarchies() -> [String] {
        var reasons: [String] = []
        for root in comparison.destination.entities where root.superentity == nil {
            var origins: [String: [String]] = [:]
            for entity in root.selfAndDescendants {
                guard let old = comparison.sourceEntity(of: entity), let origin = old.rootEntity.name else { continue }
                origins[origin, default: []].append(entity.name ?? "?")
            }
            guard origins.count > 1 else { continue }
            let groups = origins.sorted { $0.key < $1.key }.map { "\($1.sorted().joined(separator: ", ")) from \($0)" }
            reasons.append(
                "entities under \(root.name ?? "?") have no common parent in the source "
                    + "(\(groups.joined(separator: "; ")))")
        }
        return reasons
    }

    // MARK: Properties

    private func refusal(
        _ property: NSPropertyDescription, in entity: NSEntityDescription, from old: NSEntityDescription
    ) -> String? {
        let name = "\(entity.name ?? "?").\(property.name)"
        let origin = comparison.sourceProperty(of: property.name, in: entity)
        switch (property, origin) {
        case (is NSFetchedPropertyDescription, _): return nil
        case (let new as NSAttributeDescription, let old as NSAttributeDescription):
            return attribute(new, old, name)
        case (let new as NSRelationshipDescription, let old as NSRelationshipDescription):
            return relationship(new, old, name)
        case (is NSAttributeDescription, is NSRelationshipDescription):
            return "\(name) was a relationship and is now an attribute"
        case (is NSRelationshipDescription, is NSAttributeDescription):
            return "\(name) was an attribute and is now a relationship"
        case (let new as NSAttributeDescription, nil):
            return added(new, name)
        default: return nil
        }
    }

    private func added(_ attribute: NSAttributeDescription, _ name: String) -> String? {
        guard !attribute.isOptional, !attribute.isTransient, attribute.defaultValue == nil,
            !(attribute is NSDerivedAttributeDescription)
        else { return nil }
        if let composite = attribute as? NSCompositeAttributeDescription {
            return composite.leaves.lazy.compactMap { added($0.attribute, "\(name) (\($0.path))") }.first
        }
        return "\(name) is new and required, but has no default value"
    }

    private func attribute(
        _ new: NSAttributeDescription, _ old: NSAttributeDescription, _ name: String
    ) -> String? {
        if new.isTransient || new is NSDerivedAttributeDescription { return nil }
        if old.isTransient { return added(new, name) }
        guard new.attributeType == old.attributeType else {
            return "\(name) changed its type from \(Self.word(old.attributeType)) to \(Self.word(new.attributeType))"
        }
        if let new = new as? NSCompositeAttributeDescription, let old = old as? NSCompositeAttributeDescription {
            let before = Dictionary(old.elements.map { ($0.name, $0) }) { first, _ in first }
            let pairs = Matching(
                source: old.elements.map { .init(name: $0.name, identifier: $0.renamingIdentifier) },
                destination: new.elements.map { .init(name: $0.name, identifier: $0.renamingIdentifier) }
            ).pairs
            for element in new.elements {
                let path = "\(name).\(element.name)"
                let reason =
                    pairs[element.name].flatMap { before[$0] }.map { attribute(element, $0, path) }
                    ?? added(element, path)
                if let reason { return reason }
            }
            return nil
        }
        if old.isOptional, !new.isOptional, new.defaultValue == nil {
            return "\(name) became required, but has no default value for objects without one"
        }
        return nil
    }

    private func relationship(
        _ new: NSRelationshipDescription, _ old: NSRelationshipDescription, _ name: String
    ) -> String? {
        if new.isTransient || old.isTransient { return nil }
        guard let oldTarget = old.destinationEntity, let target = new.destinationEntity else { return nil }
        let family = oldTarget.rootEntity.selfAndDescendants.compactMap { comparison.destinationEntity(of: $0) }
        // With the destination entity gone, nothing is left to refer to: the relationship starts empty.
        guard !family.isEmpty else { return nil }
        if old.isToMany, !new.isToMany {
            return "\(name) was a to-many relationship and is now to-one: which object to keep is not known"
        }
        guard family.contains(where: { $0.rootEntity === target.rootEntity }) else {
            return "\(name) led to \(oldTarget.name ?? "?") and leads to \(target.name ?? "?"), an unrelated entity"
        }
        return nil
    }

    private static func word(_ type: NSAttributeType) -> String {
        switch type {
        case .undefinedAttributeType: "undefined"
        case .integer16AttributeType: "Integer 16"
        case .integer32AttributeType: "Integer 32"
        case .integer64AttributeType: "Integer 64"
        case .decimalAttributeType: "Decimal"
        case .doubleAttributeType: "Double"
        case .floatAttributeType: "Float"
        case .stringAttributeType: "String"
        case .booleanAttributeType: "Boolean"
        case .dateAttributeType: "Date"
        case .binaryDataAttributeType: "Binary Data"
        case .UUIDAttributeType: "UUID"
        case .URIAttributeType: "URI"
        case .transformableAttributeType: "Transformable"
        case .objectIDAttributeType: "object ID"
        case .compositeAttributeType: "Composite"
        }
    }
}
