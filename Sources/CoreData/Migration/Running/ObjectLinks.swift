import ModelFormat

/// The links of a destination relationship between objects of the source: those of the corresponding source relationship, and
/// those of the inverse's if the two were not inverses of each other.
struct ObjectLinks {
    /// Source relationships, each with the exact entity of the objects that have it, not including subentities.
    typealias Origins = [(entity: NSEntityDescription, relationship: NSRelationshipDescription)]

    let relationship: NSRelationshipDescription
    let own: Origins
    /// The source relationships of the inverse, with links in the opposite direction.
    let foreign: Origins
    private let comparison: ModelComparison
    private let objects: SourceObjects

    init(_ relationship: NSRelationshipDescription, _ comparison: ModelComparison, _ objects: SourceObjects) {
        self.relationship = relationship
        self.comparison = comparison
        self.objects = objects
        func origins(_ relationship: NSRelationshipDescription) -> Origins {
            comparison.heirs(of: relationship.name, declaredIn: relationship.declaringEntity).compactMap { heir in
                comparison.formerRelationship(of: relationship, in: heir.new).map { (heir.old, $0) }
            }
        }
        let own = origins(relationship)
        self.own = own
        foreign = (relationship.inverseRelationship.map(origins) ?? []).filter { other in
            !own.contains { Self.areInverse($0.relationship, other.relationship) }
        }
    }

    private static func areInverse(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) -> Bool {
        one.inverseRelationship?.name == other.name
            && one.destinationEntity?.isKindOf(entity: other.declaringEntity) == true
    }

    /// Returns the relationship's pairs with a second object that exists but is not of the destination entity.
    func strays() throws -> [(NSManagedObject, NSManagedObject)] {
        try own.flatMap { try pairs($0) }.filter { _, target in
            comparison.destinationEntity(of: target.entity).map { !fits($0, relationship) } ?? false
        }
    }

    /// Returns the pairs that remain valid in the destination, without duplicates.
    func pairs() throws -> [(NSManagedObject, NSManagedObject)] {
        var seen: Set<[ObjectIdentifier]> = []
        let forward = try own.flatMap { try pairs($0) }.filter { stands($0.1, relationship) }
        let back = try foreign.flatMap { try pairs($0) }
            .filter { pair in relationship.inverseRelationship.map { stands(pair.1, $0) } ?? false }
            .map { ($0.1, $0.0) }
        return (forward + back).filter { seen.insert([ObjectIdentifier($0.0), ObjectIdentifier($0.1)]).inserted }
    }

    private func pairs(_ origin: Origins.Element) throws -> [(NSManagedObject, NSManagedObject)] {
        try objects.all(origin.entity).flatMap { object in
            object.related(by: origin.relationship).map { (object, $0) }
        }
    }

    private func stands(_ target: NSManagedObject, _ relationship: NSRelationshipDescription) -> Bool {
        comparison.destinationEntity(of: target.entity).map { fits($0, relationship) } ?? false
    }

    private func fits(_ entity: NSEntityDescription, _ relationship: NSRelationshipDescription) -> Bool {
        relationship.destinationEntity.map { entity.isKindOf(entity: $0) } ?? false
    }
}

/// The objects of the migrated store by entity, fetched once.
final class SourceObjects {
    private let context: NSManagedObjectContext
    private var fetched: [ObjectIdentifier: [NSManagedObject]] = [:]

    init(_ context: NSManagedObjectContext) { self.context = context }

    /// Returns the objects of an entity, without those of its subentities.
    func all(_ entity: NSEntityDescription) throws -> [NSManagedObject] {
        if let known = fetched[ObjectIdentifier(entity)] { return known }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        request.includesSubentities = false
        let found = try context.fetch(request)
        fetched[ObjectIdentifier(entity)] = found
        return found
    }
}

extension NSManagedObject {
    /// Returns the objects of a relationship.
    fileprivate func related(by relationship: NSRelationshipDescription) -> [NSManagedObject] {
        switch value(forKey: relationship.name) {
        case let one as NSManagedObject: [one]
        case let ordered as NSOrderedSet: ordered.compactMap { $0 as? NSManagedObject }
        case let set as NSSet: set.compactMap { $0 as? NSManagedObject }
        default: []
        }
    }
}

extension NSPropertyDescription {
    /// The topmost ancestor entity that has the property.
    var declaringEntity: NSEntityDescription {
        var declaring = entity
        while let parent = declaring.superentity, parent.propertiesByName[name] != nil { declaring = parent }
        return declaring
    }
}
