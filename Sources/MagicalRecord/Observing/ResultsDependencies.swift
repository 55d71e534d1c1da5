import CoreData

/// The objects on which the results of a request depend.
final class ResultsDependencies {
    /// A stage of a key path: an entity, reached through relationships that begin at the results.
    private struct Place {
        var entity: NSEntityDescription
        var path: [NSRelationshipDescription]
    }

    private let entity: NSEntityDescription
    private let includesSubentities: Bool
    private var places: [Place] = []
    /// True if part of the request cannot be analyzed, so that any change may affect the results.
    private var isOpen = false
    private var known: [ObjectIdentifier: [Place]] = [:]

    init<Object: NSManagedObject>(
        of request: NSFetchRequest<Object>, _ sectionNameKeyPath: String?, entity: NSEntityDescription
    ) {
        self.entity = entity
        includesSubentities = request.includesSubentities
        let start = [Place(entity: entity, path: [])]
        if let predicate = request.predicate { add(predicate, start) }
        for descriptor in request.sortDescriptors ?? [] {
            if let key = descriptor.key { _ = follow(key, start) } else { isOpen = true }
        }
        if let sectionNameKeyPath { _ = follow(sectionNameKeyPath, start) }
    }

    /// Returns whether objects of an entity can be results.
    func includesResults(of other: NSEntityDescription) -> Bool {
        includesSubentities ? other.isKindOf(entity: entity) : other == entity
    }

    /// Returns whether a change of an object of an entity can change other objects' membership, place or section.
    func reach(_ other: NSEntityDescription) -> Bool { isOpen || !places(for: other).isEmpty }

    /// Returns the objects that may have changed their membership, place or section with an object, along inverse relationships;
    /// nil if only a fetch can tell. Objects removed from a relationship are changed themselves and need no lookup.
    func affected(by object: NSManagedObject) -> Set<NSManagedObject>? {
        if isOpen { return nil }
        var result: Set<NSManagedObject> = []
        guard !object.isDeleted, object.managedObjectContext != nil else { return result }
        for place in places(for: object.entity) {
            var current: Set<NSManagedObject> = [object]
            for relationship in place.path.reversed() {
                guard let inverse = relationship.inverseRelationship else { return nil }
                var origins: Set<NSManagedObject> = []
                for member in current where member.entity.relationshipsByName[inverse.name] != nil {
                    switch member.value(forKey: inverse.name) {
                    case let one as NSManagedObject: origins.insert(one)
                    case let many as Set<NSManagedObject>: origins.formUnion(many)
                    case let ordered as NSOrderedSet: origins.formUnion(ordered.compactMap { $0 as? NSManagedObject })
                    default: break
                    }
                }
                current = origins
            }
            result.formUnion(current)
        }
        return result
    }

    private func places(for other: NSEntityDescription) -> [Place] {
        if places.isEmpty { return [] }
        if let answer = known[ObjectIdentifier(other)] { return answer }
        let answer = places.filter { other.isKindOf(entity: $0.entity) }
        known[ObjectIdentifier(other)] = answer
        return answer
    }

    // MARK: Analysis of the request

    private func add(_ predicate: NSPredicate, _ starts: [Place]) {
        switch predicate {
        case let compound as NSCompoundPredicate:
            for case let part as NSPredicate in compound.subpredicates as [Any] { add(part, starts) }
        case let comparison as NSComparisonPredicate:
            add(comparison.leftExpression, starts)
            add(comparison.rightExpression, starts)
        default:
            // TRUEPREDICATE and its opposite depend on nothing; a block may depend on anything.
            if predicate != NSPredicate(value: true), predicate != NSPredicate(value: false) { isOpen = true }
        }
    }

    private func add(_ expression: NSExpression, _ starts: [Place]) {
        switch expression.expressionType {
        case .constantValue, .evaluatedObject, .variable, .anyKey: break
        case .keyPath: _ = follow(expression.keyPath, starts)
        case .function:
            // A key path from a variable or another expression is a function of both.
            add(expression.operand, starts)
            for argument in expression.arguments ?? [] { add(argument, starts) }
        case .aggregate:
            for case let element as NSExpression in expression.collection as? [Any] ?? [] { add(element, starts) }
        case .unionSet, .intersectSet, .minusSet:
            add(expression.left, starts)
            add(expression.right, starts)
        case .subquery:
            guard let collection = expression.collection as? NSExpression else { return isOpen = true }
            add(collection, starts)
            // Inside, key paths start at the elements, but may start outside as well.
            let elements = collection.expressionType == .keyPath ? follow(collection.keyPath, starts) : []
            add(expression.predicate, elements + starts)
        case .conditional:
            add(expression.predicate, starts)
            add(expression.true, starts)
            add(expression.false, starts)
        default: isOpen = true
        }
    }

    /// Records the stages of a key path, and returns the last ones.
    private func follow(_ keyPath: String, _ starts: [Place]) -> [Place] {
        var current = starts
        for component in keyPath.split(separator: ".").map(String.init) {
            // Operators and variables do not lead elsewhere.
            if component.hasPrefix("@") || component.hasPrefix("$") || component.lowercased() == "self" { continue }
            current = current.compactMap { place in
                guard let relationship = relationship(component, of: place.entity),
                    let destination = relationship.destinationEntity
                else { return nil }
                return Place(entity: destination, path: place.path + [relationship])
            }
            places += current.filter { new in !places.contains { $0.path == new.path } }
        }
        return current
    }

    private func relationship(_ name: String, of entity: NSEntityDescription) -> NSRelationshipDescription? {
        if let known = entity.relationshipsByName[name] { return known }
        // A condition may name what only some of the sub-entities have.
        return entity.subentities.lazy.compactMap { self.relationship(name, of: $0) }.first
    }
}
