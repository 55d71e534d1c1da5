import CoreDataRowStorage
import Foundation
import ModelFormat

/// Finds objects that an inferred migration cannot migrate unchanged, for migrations object by object; the counterpart of
/// ``HazardCheck``, which checks a database.
struct ObjectHazardCheck {
    let comparison: ModelComparison
    let objects: SourceObjects

    /// Checks the source objects for every hazard of the comparison.
    ///
    /// - Throws: 134110 naming entity, property and objects.
    func run(at url: URL) throws {
        for hazard in comparison.hazards {
            guard let entity = comparison.destination.entitiesByName[hazard.entity] else { continue }
            let found = try groups(hazard, entity)
            guard !found.isEmpty else { continue }
            let examples = found.prefix(UnmigratableObjects.limit).map { group in
                (
                    object: group.0.objectID.uriRepresentation(),
                    others: group.1.prefix(UnmigratableObjects.limit).map { $0.objectID.uriRepresentation() }
                )
            }
            throw UnmigratableObjects(hazard: hazard, examples: Array(examples), count: found.count).failure(at: url)
        }
    }

    /// Returns the objects concerned, each with the objects at the other end of its links.
    private func groups(_ hazard: MigrationHazard, _ entity: NSEntityDescription) throws
        -> [(NSManagedObject, [NSManagedObject])]
    {
        if hazard.kind == .missingValue { return try missingValues(hazard, entity) }
        guard let relationship = entity.relationshipsByName[hazard.property] else { return [] }
        let links = ObjectLinks(relationship, comparison, objects)
        switch hazard.kind {
        case .destination: return grouped(try links.strays())
        case .place:
            let pairs = try links.pairs()
            // For a to-many relationship without an inverse, the owner is the place.
            return grouped(relationship.isToMany ? pairs.map { ($0.1, $0.0) } : pairs).filter { $0.1.count > 1 }
        case .missingObject, .missingValue:
            let present = Set(try links.pairs().map { ObjectIdentifier($0.0) })
            return try comparison.heirs(of: hazard.property, declaredIn: entity).flatMap { try objects.all($0.old) }
                .filter { !present.contains(ObjectIdentifier($0)) }.map { ($0, []) }
        }
    }

    private func grouped(_ pairs: [(NSManagedObject, NSManagedObject)]) -> [(NSManagedObject, [NSManagedObject])] {
        var order: [NSManagedObject] = []
        var others: [ObjectIdentifier: [NSManagedObject]] = [:]
        for (object, other) in pairs {
            if others[ObjectIdentifier(object)] == nil { order.append(object) }
            others[ObjectIdentifier(object), default: []].append(other)
        }
        return order.map { ($0, others[ObjectIdentifier($0)] ?? []) }
    }

    // MARK: Values

    private func missingValues(_ hazard: MigrationHazard, _ entity: NSEntityDescription) throws
        -> [(NSManagedObject, [NSManagedObject])]
    {
        let path = hazard.property.split(separator: ".").map(String.init)
        guard let attribute = entity.attributesByName[path[0]] else { return [] }
        return try comparison.heirs(of: attribute.name, declaredIn: entity).flatMap { heir in
            let old = comparison.sourceAttribute(of: attribute, in: heir.new)
            return try objects.all(heir.old).filter { object in
                isMissing(old.flatMap { object.value(forKey: $0.name) }, of: old, in: attribute, path.dropFirst())
            }
        }.map { ($0, []) }
    }

    private func isMissing(
        _ value: Any?, of old: NSAttributeDescription?, in new: NSAttributeDescription, _ path: ArraySlice<String>
    ) -> Bool {
        guard let name = path.first else { return value == nil || value is NSNull }
        guard let composite = new as? NSCompositeAttributeDescription,
            let element = composite.elements.first(where: { $0.name == name })
        else { return false }
        let parts = value as? [String: Any]
        // An optional composite attribute that is nil has no elements that could be missing.
        if parts == nil, new.isOptional { return false }
        let before = (old as? NSCompositeAttributeDescription)?.elements ?? []
        let pairs = Matching(source: before.map(\.matched), destination: composite.elements.map(\.matched)).pairs
        let oldElement = before.first { $0.name == pairs[name] }
        return isMissing(oldElement.flatMap { parts?[$0.name] }, of: oldElement, in: element, path.dropFirst())
    }
}

/// Restores links of relationships that have become inverses of each other, which setting one relationship after the other has
/// removed because each had different objects.
struct JoinedLinks {
    let comparison: ModelComparison
    let objects: SourceObjects

    func restore(_ manager: NSMigrationManager) throws {
        for entity in comparison.destination.entities {
            for relationship in entity.relationshipsByName.values where relationship.declaringEntity === entity {
                let links = ObjectLinks(relationship, comparison, objects)
                guard !links.foreign.isEmpty, !links.own.isEmpty else { continue }
                for (source, target) in try links.pairs() { try link(source, target, relationship, manager) }
            }
        }
    }

    private func link(
        _ source: NSManagedObject, _ target: NSManagedObject, _ relationship: NSRelationshipDescription,
        _ manager: NSMigrationManager
    ) throws {
        guard let object = manager.destinationInstances(ofRelated: [source]).first,
            let other = manager.destinationInstances(ofRelated: [target]).first
        else { return }
        if !relationship.isToMany {
            if object.value(forKey: relationship.name) as? NSManagedObject !== other {
                object.setValue(other, forKey: relationship.name)
            }
        } else if relationship.isOrdered {
            object.mutableOrderedSetValue(forKey: relationship.name).add(other)
        } else {
            object.mutableSetValue(forKey: relationship.name).add(other)
        }
    }
}
