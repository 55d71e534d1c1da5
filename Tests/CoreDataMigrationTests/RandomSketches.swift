import CoreData
import CoreDataTestSupport

/// Random models, random data in them, and random changes that a mapping can be inferred for.
struct RandomSketches {
    private var generator: SeededGenerator
    private var nextID = 0
    /// The kinds of changes made so far, numbered below ``kindsOfChanges``.
    private(set) var kinds: Set<Int> = []
    /// The kinds of changes of links made so far, numbered below ``kindsOfLinkChanges``.
    private(set) var linkKinds: Set<Int> = []
    static let kindsOfChanges = 17
    static let kindsOfLinkChanges = 6

    init(seed: Int) { generator = SeededGenerator(state: UInt64(seed) &* 7919 &+ 17) }

    private mutating func number(_ limit: Int) -> Int { limit > 0 ? Int.random(in: 0..<limit, using: &generator) : 0 }
    private mutating func chance(_ percent: Int) -> Bool { number(100) < percent }
    private mutating func pick<T>(_ items: [T]) -> T? { items.randomElement(using: &generator) }
    private mutating func id() -> Int {
        nextID += 1
        return nextID
    }

    // MARK: Models

    mutating func model() -> Sketch {
        var sketch = Sketch()
        for _ in 0..<(2 + number(4)) {
            let id = id()
            let parent = chance(40) ? pick(sketch.entities.map(\.id)) : nil
            // Mixed case, so that order by name and by letter differ.
            var entity = Sketch.Entity(
                id: id, name: (chance(30) ? "e" : "E") + "\(10 - number(9))n\(id)", parent: parent)
            if parent == nil {
                entity.attributes.append(
                    .init(id: self.id(), name: "key", type: .integer64AttributeType, isOptional: false, defaultValue: 0)
                )
            }
            for _ in 0..<number(4) { entity.attributes.append(attribute()) }
            sketch.entities.append(entity)
        }
        for index in sketch.entities.indices where chance(20) && !sketch.children(sketch.entities[index].id).isEmpty {
            sketch.entities[index].isAbstract = true
        }
        for _ in 0..<(1 + number(5)) { addRelationship(&sketch) }
        return sketch
    }

    private mutating func attribute() -> Sketch.Attribute {
        let types: [(NSAttributeType, any Hashable & Sendable)] = [
            (.stringAttributeType, "some'thing"), (.integer32AttributeType, 7), (.doubleAttributeType, 1.5),
            (.booleanAttributeType, true), (.dateAttributeType, Date(timeIntervalSinceReferenceDate: 1234.5)),
            (.UUIDAttributeType, UUID(uuidString: "619F5BBC-799D-44E4-8B9F-49AC950CD416")!),
            (.binaryDataAttributeType, Data([0, 1, 2])),
        ]
        let (type, value) = types[number(types.count)]
        let id = id()
        let isOptional = chance(70)
        return .init(
            id: id, name: "a\(id)", type: type, isOptional: isOptional,
            defaultValue: isOptional && chance(50) ? nil : value)
    }

    private mutating func addRelationship(_ sketch: inout Sketch) {
        guard let owner = pick(Array(sketch.entities.indices)), let other = pick(Array(sketch.entities.indices)) else {
            return
        }
        let (there, back) = (id(), id())
        var relationship = Sketch.Relationship(
            id: there, name: "r\(there)", destination: sketch.entities[other].id, isToMany: chance(60))
        relationship.isOrdered = relationship.isToMany && chance(30)
        if chance(80) {
            var inverse = Sketch.Relationship(
                id: back, name: "r\(back)", destination: sketch.entities[owner].id, inverse: there, isToMany: chance(50)
            )
            inverse.isOrdered = inverse.isToMany && chance(20)
            relationship.inverse = back
            sketch.entities[other].relationships.append(inverse)
        }
        sketch.entities[owner].relationships.append(relationship)
    }

    // MARK: Data

    mutating func fill(_ context: NSManagedObjectContext, _ sketch: Sketch) {
        var objects: [(entity: Int, object: NSManagedObject)] = []
        let concrete = sketch.entities.filter { !$0.isAbstract }
        for key in 1...(12 + number(20)) {
            guard let entity = pick(concrete) else { return }
            let object = NSEntityDescription.insertNewObject(forEntityName: entity.name, into: context)
            for attribute in sketch.attributes(of: entity.id) {
                if attribute.name == "key" {
                    object.setValue(key, forKey: "key")
                } else if attribute.isOptional && chance(30) {
                    object.setValue(nil, forKey: attribute.name)
                } else {
                    object.setValue(value(attribute.type), forKey: attribute.name)
                }
            }
            objects.append((entity.id, object))
        }
        for (entity, object) in objects {
            for relationship in sketch.relationships(of: entity) {
                let fitting = objects.filter { sketch.isKind($0.entity, of: relationship.destination) }.map(\.object)
                guard !fitting.isEmpty, chance(70) else { continue }
                let chosen = (0..<(1 + number(3))).compactMap { _ in pick(fitting) }
                if !relationship.isToMany {
                    object.setValue(chosen[0], forKey: relationship.name)
                } else if relationship.isOrdered {
                    object.setValue(NSOrderedSet(array: chosen), forKey: relationship.name)
                } else {
                    object.setValue(Set(chosen), forKey: relationship.name)
                }
            }
        }
    }

    private mutating func value(_ type: NSAttributeType) -> Any? {
        switch type {
        case .stringAttributeType: "text \(number(1000))"
        case .integer32AttributeType: number(100_000) - 50_000
        case .doubleAttributeType: Double(number(1000)) / 8
        case .booleanAttributeType: chance(50)
        case .dateAttributeType: Date(timeIntervalSinceReferenceDate: Double(number(1_000_000)) / 4)
        case .UUIDAttributeType:
            UUID(uuid: (1, 2, 3, UInt8(number(256)), 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(number(256))))
        case .binaryDataAttributeType: Data((0..<number(50)).map { UInt8($0) })
        default: nil
        }
    }

    // MARK: Changes

    /// Another version, and what was changed.
    mutating func change(_ old: Sketch) -> (Sketch, [String]) {
        var new = old
        var words: [String] = []
        for _ in 0..<(1 + number(6)) {
            guard let index = pick(Array(new.entities.indices)) else { continue }
            let kind = number(Self.kindsOfChanges)
            if let word = change(kind, &new, index, from: old) {
                kinds.insert(kind)
                words.append(word)
            }
        }
        return (new, words)
    }

    private mutating func change(_ kind: Int, _ new: inout Sketch, _ index: Int, from old: Sketch) -> String? {
        let entity = new.entities[index]
        switch kind {
        case 15: return changeType(&new, index)
        case 0:
            guard let known = old.entity(entity.id) else { return nil }
            new.entities[index].name = (chance(50) ? "A" : "Z") + "renamed\(entity.id)"
            new.entities[index].previous = known.name
            return "rename entity \(known.name)"
        case 1:
            guard let place = pick(entity.attributes.indices.filter { entity.attributes[$0].name != "key" }) else {
                return nil
            }
            let attribute = entity.attributes[place]
            guard let known = old.attributes(named: attribute.id) else { return nil }
            for index in new.entities.indices {
                for place in new.entities[index].attributes.indices
                where new.entities[index].attributes[place].id == attribute.id {
                    new.entities[index].attributes[place].name = "renamed\(attribute.id)"
                    new.entities[index].attributes[place].previous = known.name
                }
            }
            return "rename attribute \(entity.name).\(known.name)"
        case 2:
            var added = attribute()
            if !added.isOptional, added.defaultValue == nil { added.isOptional = true }
            new.entities[index].attributes.append(added)
            return "add \(entity.name).\(added.name)"
        case 3:
            guard let place = pick(entity.attributes.indices.filter { entity.attributes[$0].name != "key" }) else {
                return nil
            }
            new.entities[index].attributes.remove(at: place)
            return "remove \(entity.name).\(entity.attributes[place].name)"
        case 4:
            guard let place = pick(Array(entity.attributes.indices)), entity.attributes[place].name != "key" else {
                return nil
            }
            let isOptional = entity.attributes[place].isOptional
            new.entities[index].attributes[place].isOptional = !isOptional
            return "\(entity.name).\(entity.attributes[place].name) optional: \(!isOptional)"
        case 5:
            guard let relationship = pick(entity.relationships),
                let known = old.relationship(relationship.id)?.value
            else { return nil }
            new.update(relationship.id) {
                $0.name = "renamed\(relationship.id)"
                $0.previous = known.name
            }
            return "rename relationship \(entity.name).\(known.name)"
        case 6:
            guard let relationship = pick(entity.relationships) else { return nil }
            if let inverse = relationship.inverse { new.removeRelationship(inverse) }
            new.removeRelationship(relationship.id)
            return "remove relationship \(entity.name).\(relationship.name)"
        case 7:
            addRelationship(&new)
            return "add a relationship"
        case 8:
            guard let relationship = pick(entity.relationships.filter { !$0.isToMany && $0.inverse != nil }) else {
                return nil
            }
            let isOrdered = chance(30)
            new.update(relationship.id) {
                $0.isToMany = true
                $0.isOrdered = isOrdered
            }
            return "\(entity.name).\(relationship.name) to-many"
        case 9:
            guard let relationship = pick(entity.relationships.filter(\.isToMany)) else { return nil }
            new.update(relationship.id) { $0.isOrdered.toggle() }
            return "\(entity.name).\(relationship.name) ordered: \(!relationship.isOrdered)"
        case 10:
            guard new.children(entity.id).isEmpty, new.entities.count > 1 else { return nil }
            for relationship in new.entities.flatMap(\.relationships) where relationship.destination == entity.id {
                new.removeRelationship(relationship.id)
                if let inverse = relationship.inverse { new.removeRelationship(inverse) }
            }
            for relationship in entity.relationships {
                if let inverse = relationship.inverse { new.removeRelationship(inverse) }
            }
            new.entities.removeAll { $0.id == entity.id }
            return "remove entity \(entity.name)"
        case 11:
            let id = id()
            var added = Sketch.Entity(
                id: id, name: (chance(50) ? "B" : "y") + "new\(id)", parent: chance(50) ? entity.id : nil)
            if added.parent == nil {
                added.attributes.append(
                    .init(id: self.id(), name: "key", type: .integer64AttributeType, isOptional: false, defaultValue: 0)
                )
            }
            new.entities.append(added)
            return "add entity \(added.name)"
        case 12: return pullUp(&new, index)
        case 13: return pushDown(&new, index)
        case 14: return moveInHierarchy(&new, index)
        default: return changeInverse(&new, entity)
        }
    }

    /// Another version with relationships that lead elsewhere, have other inverses or must lead somewhere, and what was changed.
    mutating func changeLinks(_ old: Sketch) -> (Sketch, [String]) {
        var (new, words) = chance(50) ? change(old) : (old, [])
        for _ in 0..<(1 + number(2)) {
            guard let entity = pick(new.entities.filter { !$0.relationships.isEmpty }),
                let relationship = pick(entity.relationships)
            else { continue }
            let kind = number(Self.kindsOfLinkChanges)
            if let word = changeLink(kind, &new, entity, relationship) {
                linkKinds.insert(kind)
                words.append(word)
            }
        }
        return (new, words)
    }

    private mutating func changeLink(
        _ kind: Int, _ new: inout Sketch, _ entity: Sketch.Entity, _ relationship: Sketch.Relationship
    ) -> String? {
        let name = "\(entity.name).\(relationship.name)"
        switch kind {
        case 0, 1:
            // To a child, to a relative or to something else: the inverse goes along.
            let children = new.entities.filter { new.isKind($0.id, of: relationship.destination) }
            guard let target = pick(chance(60) ? children : new.entities), target.id != relationship.destination else {
                return nil
            }
            if let id = relationship.inverse, id != relationship.id, let inverse = new.relationship(id)?.value {
                new.removeRelationship(id)
                new.entities[new.index(target.id) ?? 0].relationships.append(inverse)
            }
            new.update(relationship.id) { $0.destination = target.id }
            return "\(name) to \(target.name)"
        case 2:
            // Two pairs of inverses between the same entities are paired otherwise.
            guard let first = relationship.inverse,
                let other = pick(
                    entity.relationships.filter {
                        $0.destination == relationship.destination && $0.id != relationship.id && $0.inverse != nil
                            && $0.id != first
                    }), let second = other.inverse
            else { return nil }
            for (one, two) in [(relationship.id, second), (other.id, first)] {
                new.update(one) { $0.inverse = two }
                new.update(two) { $0.inverse = one }
            }
            return "\(name) and \(other.name) exchange their inverses"
        case 3:
            // Two relationships without inverses become inverses of each other.
            guard relationship.inverse == nil,
                let other = pick(
                    new.entities.first { $0.id == relationship.destination }?.relationships.filter {
                        $0.inverse == nil && $0.destination == entity.id && $0.id != relationship.id
                    } ?? [])
            else { return nil }
            new.update(relationship.id) { $0.inverse = other.id }
            new.update(other.id) { $0.inverse = relationship.id }
            return "\(name) and \(other.name) become inverses"
        case 4:
            // Another inverse, to one.
            guard relationship.inverse != relationship.id, let place = new.index(relationship.destination) else {
                return nil
            }
            if let inverse = relationship.inverse { new.removeRelationship(inverse) }
            let id = id()
            new.entities[place].relationships.append(
                .init(id: id, name: "r\(id)", destination: entity.id, inverse: relationship.id, isToMany: chance(30)))
            new.update(relationship.id) { $0.inverse = id }
            return "\(name) gets another inverse"
        default:
            guard !relationship.isToMany else { return nil }
            new.update(relationship.id) { $0.isRequired = true }
            return "\(name) is required"
        }
    }

    /// Widens a number: every value fits the new type.
    private mutating func changeType(_ new: inout Sketch, _ index: Int) -> String? {
        let entity = new.entities[index]
        let wider: [NSAttributeType: [NSAttributeType]] = [
            .booleanAttributeType: [.integer16AttributeType, .integer64AttributeType],
            .integer32AttributeType: [.integer64AttributeType, .doubleAttributeType, .floatAttributeType],
            .doubleAttributeType: [.floatAttributeType], .floatAttributeType: [.doubleAttributeType],
        ]
        guard
            let place = pick(
                entity.attributes.indices.filter { wider[entity.attributes[$0].type] != nil }),
            let type = pick(wider[entity.attributes[place].type] ?? [])
        else { return nil }
        new.entities[index].attributes[place].type = type
        return "change the type of \(entity.name).\(entity.attributes[place].name)"
    }

    private mutating func pullUp(_ new: inout Sketch, _ index: Int) -> String? {
        let entity = new.entities[index]
        guard let parent = entity.parent.flatMap(new.index),
            let place = pick(entity.attributes.indices.filter { entity.attributes[$0].name != "key" })
        else { return nil }
        let attribute = entity.attributes[place]
        guard !new.entities[parent].attributes.contains(where: { $0.id == attribute.id })
        else { return nil }
        for place in new.entities.indices { new.entities[place].attributes.removeAll { $0.id == attribute.id } }
        new.entities[parent].attributes.append(attribute)
        return "pull up \(entity.name).\(attribute.name)"
    }

    private mutating func pushDown(_ new: inout Sketch, _ index: Int) -> String? {
        let entity = new.entities[index]
        guard let child = pick(new.children(entity.id)).flatMap({ new.index($0.id) }),
            let place = pick(entity.attributes.indices.filter { entity.attributes[$0].name != "key" })
        else { return nil }
        let attribute = new.entities[index].attributes.remove(at: place)
        new.entities[child].attributes.append(attribute)
        return "push down \(entity.name).\(attribute.name)"
    }

    private mutating func moveInHierarchy(_ new: inout Sketch, _ index: Int) -> String? {
        let entity = new.entities[index]
        if entity.parent != nil {
            // What it inherited becomes its own; relationships it inherited are lost.
            let inherited = new.lineage(entity.id).dropFirst().flatMap(\.attributes)
            new.entities[index].attributes += inherited.filter { attribute in
                !entity.attributes.contains { $0.id == attribute.id }
            }
            new.entities[index].parent = nil
            return "make \(entity.name) a root"
        }
        let id = id()
        new.entities.append(.init(id: id, name: "Cparent\(id)", isAbstract: true))
        new.entities[index].parent = id
        return "put \(entity.name) under a new parent"
    }

    private mutating func changeInverse(_ new: inout Sketch, _ entity: Sketch.Entity) -> String? {
        guard let relationship = pick(entity.relationships) else { return nil }
        if let inverse = relationship.inverse {
            guard inverse != relationship.id, let other = new.relationship(inverse)?.value else { return nil }
            // Without inverse, an object can be in one to-many relationship only.
            guard !(relationship.isToMany && other.isToMany) else { return nil }
            new.removeRelationship(inverse)
            new.update(relationship.id) { $0.inverse = nil }
            return "remove the inverse of \(entity.name).\(relationship.name)"
        }
        let id = id()
        let destination = relationship.destination
        guard let place = new.index(destination) else { return nil }
        new.entities[place].relationships.append(
            .init(
                id: id, name: "r\(id)", destination: entity.id, inverse: relationship.id,
                isToMany: !relationship.isToMany))
        new.update(relationship.id) { $0.inverse = id }
        return "give \(entity.name).\(relationship.name) an inverse"
    }
}

extension Sketch {
    /// An attribute by its number, wherever it is.
    fileprivate func attributes(named id: Int) -> Attribute? {
        entities.flatMap(\.attributes).first { $0.id == id }
    }
}
