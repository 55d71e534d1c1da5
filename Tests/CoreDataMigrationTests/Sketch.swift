import CoreData

/// A model as plain values with identities, from which versions are derived by changes: what is the same thing in two
/// versions is known by its number, whatever it is called.
struct Sketch {
    struct Attribute {
        var id: Int
        var name: String
        var previous: String?
        var type: NSAttributeType
        var isOptional = true
        var defaultValue: (any Hashable & Sendable)?
    }

    struct Relationship {
        var id: Int
        var name: String
        var previous: String?
        var destination: Int
        var inverse: Int?
        var isToMany: Bool
        var isOrdered = false
        var isRequired = false
    }

    struct Entity {
        var id: Int
        var name: String
        var previous: String?
        var parent: Int?
        var isAbstract = false
        var attributes: [Attribute] = []
        var relationships: [Relationship] = []
    }

    var entities: [Entity] = []

    // MARK: Looking

    func index(_ id: Int) -> Int? { entities.firstIndex { $0.id == id } }
    func entity(_ id: Int) -> Entity? { entities.first { $0.id == id } }

    /// The entity and what is above it.
    func lineage(_ id: Int) -> [Entity] {
        var result: [Entity] = []
        var current = entity(id)
        while let found = current {
            result.append(found)
            current = found.parent.flatMap(entity)
        }
        return result
    }

    func isKind(_ id: Int, of other: Int) -> Bool { lineage(id).contains { $0.id == other } }
    func children(_ id: Int) -> [Entity] { entities.filter { $0.parent == id } }

    func attributes(of id: Int) -> [Attribute] { lineage(id).flatMap(\.attributes) }
    func relationships(of id: Int) -> [Relationship] { lineage(id).flatMap(\.relationships) }

    func relationship(_ id: Int) -> (owner: Int, value: Relationship)? {
        for entity in entities {
            if let found = entity.relationships.first(where: { $0.id == id }) { return (entity.id, found) }
        }
        return nil
    }

    mutating func update(_ relationship: Int, _ change: (inout Relationship) -> Void) {
        for entity in entities.indices {
            for index in entities[entity].relationships.indices
            where entities[entity].relationships[index].id == relationship {
                change(&entities[entity].relationships[index])
            }
        }
    }

    mutating func removeRelationship(_ id: Int) {
        for index in entities.indices { entities[index].relationships.removeAll { $0.id == id } }
    }

    // MARK: The model

    func makeModel() -> NSManagedObjectModel {
        var made: [Int: NSEntityDescription] = [:]
        for entity in entities {
            let description = NSEntityDescription()
            description.name = entity.name
            description.managedObjectClassName = "NSManagedObject"
            description.isAbstract = entity.isAbstract
            if let previous = entity.previous { description.renamingIdentifier = previous }
            made[entity.id] = description
        }
        for entity in entities {
            made[entity.id]?.subentities = children(entity.id).compactMap { made[$0.id] }
        }
        var relationships: [Int: NSRelationshipDescription] = [:]
        for entity in entities {
            var properties: [NSPropertyDescription] = entity.attributes.map { attribute in
                let description = NSAttributeDescription()
                description.name = attribute.name
                description.attributeType = attribute.type
                description.isOptional = attribute.isOptional
                description.defaultValue = attribute.defaultValue
                if let previous = attribute.previous { description.renamingIdentifier = previous }
                return description
            }
            for relationship in entity.relationships {
                let description = NSRelationshipDescription()
                description.name = relationship.name
                description.destinationEntity = made[relationship.destination]
                description.maxCount = relationship.isToMany ? 0 : 1
                description.isOrdered = relationship.isOrdered
                description.isOptional = !relationship.isRequired
                if let previous = relationship.previous { description.renamingIdentifier = previous }
                relationships[relationship.id] = description
                properties.append(description)
            }
            made[entity.id]?.properties = properties
        }
        for relationship in entities.flatMap(\.relationships) {
            guard let inverse = relationship.inverse else { continue }
            relationships[relationship.id]?.inverseRelationship = relationships[inverse]
        }
        let model = NSManagedObjectModel()
        model.entities = entities.compactMap { made[$0.id] }
        return model
    }
}

/// What a store holds, by the numbers of a sketch.
struct SketchGraph: Equatable {
    struct Node: Equatable {
        var entity: Int
        var values: [Int: AnyHashable] = [:]
        var links: [Int: [Int]] = [:]
    }

    /// By the objects' own numbers, which every object keeps in an attribute "key".
    var nodes: [Int: Node] = [:]

    /// Reads everything.
    init(_ context: NSManagedObjectContext, _ sketch: Sketch) throws {
        for entity in sketch.entities where !entity.isAbstract {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
            request.includesSubentities = false
            for object in try context.fetch(request) {
                var node = Node(entity: entity.id)
                for attribute in sketch.attributes(of: entity.id) {
                    node.values[attribute.id] = (object.value(forKey: attribute.name) as? AnyHashable).map(Self.plain)
                }
                for relationship in sketch.relationships(of: entity.id) {
                    node.links[relationship.id] = Self.keys(object.value(forKey: relationship.name))
                }
                nodes[Self.key(object)] = node
            }
        }
    }

    private static func plain(_ value: AnyHashable) -> AnyHashable {
        (value as? NSNumber).map { AnyHashable($0.doubleValue) } ?? value
    }

    private static func key(_ object: NSManagedObject) -> Int {
        (object.value(forKey: "key") as? NSNumber)?.intValue ?? -1
    }

    private static func keys(_ value: Any?) -> [Int] {
        switch value {
        case let object as NSManagedObject: [key(object)]
        case let set as Set<NSManagedObject>: set.map(key).sorted()
        case let set as NSOrderedSet: set.compactMap { ($0 as? NSManagedObject).map(key) }
        default: []
        }
    }

    /// What the objects are to be in another version, from the meaning of the changes alone.
    func expected(from old: Sketch, to new: Sketch) -> SketchGraph {
        var result = self
        result.nodes = [:]
        for (key, node) in nodes {
            guard let entity = new.entity(node.entity) else { continue }
            var made = Node(entity: entity.id)
            let known = Set(old.attributes(of: node.entity).map(\.id))
            for attribute in new.attributes(of: entity.id) {
                let value = known.contains(attribute.id) ? node.values[attribute.id] : nil
                // Old objects get the default value of what is new to them, and of what must have a value.
                let mayBeNil = attribute.isOptional && known.contains(attribute.id)
                let initial = mayBeNil ? nil : attribute.defaultValue.map { AnyHashable($0) }.map(Self.plain)
                made.values[attribute.id] = value ?? initial
            }
            for relationship in new.relationships(of: entity.id) {
                made.links[relationship.id] = links(of: key, relationship, old, new)
            }
            result.nodes[key] = made
        }
        return result
    }

    /// What an object leads to in another version: what it led to, and what led to it by the relationship that is the inverse
    /// now, as far as it exists and is of the destination.
    private func links(of key: Int, _ relationship: Sketch.Relationship, _ old: Sketch, _ new: Sketch) -> [Int] {
        let own = (nodes[key]?.links[relationship.id] ?? []).filter { isKind($0, of: relationship.destination, new) }
        guard let inverse = relationship.inverse, let back = new.relationship(inverse)?.value,
            isKind(key, of: back.destination, new)
        else { return own }
        let others = nodes.filter { other, node in
            node.links[inverse]?.contains(key) == true && has(other, inverse, new)
                && isKind(other, of: relationship.destination, new)
        }
        return own + others.keys.sorted().filter { !own.contains($0) }
    }

    /// Whether an object is of an entity in another version.
    private func isKind(_ key: Int, of entity: Int, _ new: Sketch) -> Bool {
        guard let node = nodes[key], new.entity(node.entity) != nil else { return false }
        return new.isKind(node.entity, of: entity)
    }

    private func has(_ key: Int, _ relationship: Int, _ new: Sketch) -> Bool {
        nodes[key].map { new.relationships(of: $0.entity).contains { $0.id == relationship } } ?? false
    }

    /// Why no migration without a loss is possible: links that cannot stand, places that several objects claim, values that are
    /// missing. Empty when one is.
    func obstacles(from old: Sketch, to new: Sketch) -> [String] {
        var words: [String] = []
        for (key, node) in nodes.sorted(by: { $0.key < $1.key }) {
            guard let entity = new.entity(node.entity) else { continue }
            for attribute in new.attributes(of: entity.id) where !attribute.isOptional && attribute.defaultValue == nil
            {
                let known = old.attributes(of: node.entity).contains { $0.id == attribute.id }
                if !known || node.values[attribute.id] == nil { words.append("\(key).\(attribute.name) is missing") }
            }
            for relationship in new.relationships(of: entity.id) {
                for target in node.links[relationship.id] ?? [] {
                    guard let other = nodes[target], new.entity(other.entity) != nil else { continue }
                    if !new.isKind(other.entity, of: relationship.destination) {
                        words.append("\(key).\(relationship.name) leads to \(target)")
                    }
                }
                let targets = links(of: key, relationship, old, new)
                if !relationship.isToMany, targets.count > 1 {
                    words.append("\(key).\(relationship.name) holds \(targets)")
                }
                if relationship.isRequired, targets.isEmpty {
                    words.append("\(key).\(relationship.name) is empty")
                }
            }
        }
        for relationship in new.entities.flatMap(\.relationships)
        where relationship.inverse == nil && relationship.isToMany {
            var owners: [Int: Int] = [:]
            for (key, _) in nodes where has(key, relationship.id, new) {
                for target in links(of: key, relationship, old, new) { owners[target, default: 0] += 1 }
            }
            for (target, count) in owners where count > 1 {
                words.append("\(target) is in \(count) of \(relationship.name)")
            }
        }
        return words
    }

    /// Whether objects, values or links are not there any more.
    func hasLost(_ before: SketchGraph) -> Bool {
        before.nodes.contains { key, old in
            guard let node = nodes[key] else { return true }
            return old.values.contains { node.values[$0.key] == nil }
                || old.links.contains { id, links in !Set(links).isSubset(of: node.links[id] ?? []) }
        }
    }

    /// The differences in words. Order counts where it did before and does now.
    func differences(from expected: SketchGraph, old: Sketch, new: Sketch) -> [String] {
        var words: [String] = []
        for key in Set(nodes.keys).union(expected.nodes.keys).sorted() {
            guard let node = nodes[key] else {
                words.append("object \(key) is missing")
                continue
            }
            guard let other = expected.nodes[key] else {
                words.append("object \(key) should be gone")
                continue
            }
            let name = "\(new.entity(node.entity)?.name ?? "?") \(key)"
            if node.entity != other.entity { words.append("\(name) is of the wrong entity") }
            for attribute in new.attributes(of: other.entity)
            where node.values[attribute.id] != other.values[attribute.id] {
                words.append(
                    "\(name).\(attribute.name): \(String(describing: node.values[attribute.id])), "
                        + "not \(String(describing: other.values[attribute.id]))")
            }
            for relationship in new.relationships(of: other.entity) {
                let (a, b) = (node.links[relationship.id] ?? [], other.links[relationship.id] ?? [])
                let isOrdered = relationship.isOrdered && (old.relationship(relationship.id)?.value.isOrdered ?? false)
                if isOrdered ? a != b : Set(a) != Set(b) || a.count != b.count {
                    words.append("\(name).\(relationship.name): \(a), not \(b)")
                }
            }
        }
        return words
    }
}
