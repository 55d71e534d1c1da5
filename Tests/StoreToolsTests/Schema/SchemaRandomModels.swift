import CoreDataTestSupport
import ModelFormat

/// Random models with everything that has a form in a file: inheritance, equal names, composites, relationships of all
/// kinds, derived attributes, constraints and indexes.
struct SchemaRandomModels {
    private var generator: SeededGenerator
    private var model = Model()

    /// True if an entity may declare an attribute of its parent again, even with another type.
    private let redeclares: Bool

    init(seed: Int, redeclares: Bool = true) {
        generator = SeededGenerator(seed: UInt64(seed))
        self.redeclares = redeclares
    }

    private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
    private mutating func chance(_ percent: Int) -> Bool { number(100) < percent }
    private mutating func pick<Value>(_ values: [Value]) -> Value { values[number(values.count)] }

    /// Names of which many differ in case only, or equal others with a number behind them, or names of the framework's.
    private static let names = [
        "title", "Title", "title1", "TITLE2", "name", "date", "amount", "_pk", "_ent1", "kind", "größe", "x", "X",
        "note",
        "Note1", "text$", "place",
    ]
    private static let types: [AttributeType] = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binary, .uuid, .uri,
        .transformable,
    ]

    mutating func make() -> Model {
        let pool = ["Person", "account", "Zebra", "album", "Track", "Éclair", "log2", "NWActivity", "Network", "Order"]
        for name in pool.shuffled(using: &generator).prefix(2 + number(7)) {
            var entity = Entity(name: name)
            if !model.entities.isEmpty, chance(45) { entity.parentName = pick(model.entities).name }
            entity.isAbstract = chance(15)
            addAttributes(to: &entity)
            model.entities.append(entity)
        }
        for _ in 0..<(2 + number(9)) { addRelationship() }
        for index in model.entities.indices {
            addDerived(to: index)
            addIndexes(to: index)
            addConstraints(to: index)
        }
        model.entities.shuffle(using: &generator)
        return model
    }

    /// Returns false for one of two names that differ in case only: two indexes of an entity cannot.
    private func isIndexable(_ name: String) -> Bool { name.first?.isUppercase == false }

    // MARK: Attributes

    private mutating func addAttributes(to entity: inout Entity) {
        let parent = model.entities.firstIndex { $0.name == entity.parentName }
        let inherited = Set(parent.map { lineage($0).flatMap(\.attributes).map(\.name) } ?? [])
        for name in Self.names.shuffled(using: &generator).prefix(number(8))
        where redeclares || !inherited.contains(name) {
            var attribute: Attribute
            if chance(15) {
                attribute = composite(name, depth: 0)
            } else {
                attribute = Attribute(name: name, type: pick(Self.types), isOptional: true)
                attribute.isIndexed = chance(10) && isIndexable(name)
                attribute.allowsExternalBinaryDataStorage = attribute.type == .binary && chance(50)
            }
            attribute.isTransient = chance(8)
            if attribute.isTransient, attribute.type != .composite, chance(50) { attribute.type = .undefined }
            entity.attributes.append(attribute)
        }
    }

    private mutating func composite(_ name: String, depth: Int) -> Attribute {
        var attribute = Attribute(name: name, type: .composite, isOptional: true)
        for element in Self.names.shuffled(using: &generator).prefix(1 + number(3)) {
            if depth < 2, chance(20) {
                attribute.elements.append(composite(element, depth: depth + 1))
            } else {
                attribute.elements.append(Attribute(name: element, type: pick(Self.types), isOptional: true))
            }
        }
        return attribute
    }

    // MARK: Relationships

    private mutating func addRelationship() {
        let (owner, other) = (number(model.entities.count), number(model.entities.count))
        let names = ["owner", "items", "Items", "friends", "parent", "children", "tags", "members", "item1"]
        guard let name = unusedName(names, owner) else { return }
        var there = Relationship(
            name: name, destinationName: model.entities[other].name, isToMany: chance(60))
        there.isOptional = true
        there.isOrdered = there.isToMany && chance(35)
        there.isTransient = chance(6)
        if owner == other, there.isToMany, chance(40) {
            there.inverseName = name
            model.entities[owner].relationships.append(there)
            return
        }
        if chance(80) {
            model.entities[owner].relationships.append(there)
            guard let backName = unusedName(names, other) else { return }
            var back = Relationship(
                name: backName, destinationName: model.entities[owner].name, inverseName: name, isToMany: chance(55))
            back.isOptional = true
            back.isOrdered = back.isToMany && chance(35)
            back.isTransient = chance(6)
            model.entities[other].relationships.append(back)
            let index = model.entities[owner].relationships.firstIndex { $0.name == name }!
            model.entities[owner].relationships[index].inverseName = backName
            return
        }
        model.entities[owner].relationships.append(there)
    }

    /// Returns a name that neither the entity's ancestors nor its descendants have. Two join tables of an entity cannot have
    /// names that differ in case only.
    private mutating func unusedName(_ names: [String], _ index: Int) -> String? {
        let entity = model.entities[index]
        let related = model.entities.filter { inherits($0, from: entity.name) || inherits(entity, from: $0.name) }
        let used = Set(
            related.flatMap { $0.relationships.map(\.name) + $0.attributes.map(\.name) }.map { $0.lowercased() })
        let free = names.filter { !used.contains($0.lowercased()) }
        return free.isEmpty ? nil : pick(free)
    }

    private func inherits(_ entity: Entity, from name: String) -> Bool {
        var current: Entity? = entity
        while let next = current {
            if next.name == name { return true }
            current = next.parentName.flatMap(model.entity(named:))
        }
        return false
    }

    /// Returns an entity and its ancestors.
    private func lineage(_ index: Int) -> [Entity] {
        var lineage = [model.entities[index]]
        while let parent = lineage[lineage.count - 1].parentName.flatMap(model.entity(named:)) {
            lineage.append(parent)
        }
        return lineage.reversed()
    }

    // MARK: What refers to properties

    /// Returns the stored attributes of an entity, without those of a parent that it declares again.
    private func attributes(_ index: Int) -> [Attribute] {
        let all = lineage(index).flatMap(\.attributes)
        let counts = [String: Int](all.map { ($0.name, 1) }, uniquingKeysWith: +)
        return all.filter { counts[$0.name] == 1 && !$0.isTransient }
    }

    private mutating func addDerived(to index: Int) {
        for (place, relationship) in model.entities[index].relationships.enumerated()
        where !relationship.isTransient && chance(30) {
            let destination = model.entities.firstIndex { $0.name == relationship.destinationName }!
            let inverse = relationship.inverseName.flatMap { name in
                lineage(destination).flatMap(\.relationships).first { $0.name == name }
            }
            var attribute = Attribute(name: "derived\(place)", type: .integer64, isOptional: true)
            if relationship.isToMany {
                // Without a stored inverse there is nothing to count.
                if let inverse, inverse.isTransient { continue }
                attribute.derivation = chance(50) ? "\(relationship.name).@count" : "count:(\(relationship.name))"
            } else {
                // Expressions cannot name a property with a dollar sign.
                let values = attributes(destination).filter {
                    $0.type != .composite && $0.derivation == nil && !$0.name.contains("$")
                }
                guard !values.isEmpty else { continue }
                let value = pick(values)
                attribute.type = value.type
                attribute.derivation = "\(relationship.name).\(value.name)"
                if value.type == .string, chance(30) { attribute.derivation = "canonical:(\(attribute.derivation!))" }
            }
            model.entities[index].attributes.append(attribute)
        }
        guard chance(15) else { return }
        var now = Attribute(name: "derivedNow", type: .date, isOptional: true)
        now.derivation = "now()"
        model.entities[index].attributes.append(now)
    }

    private mutating func addIndexes(to index: Int) {
        let values = attributes(index).filter { $0.type != .composite && isIndexable($0.name) }
        let plain = values.filter { $0.name.allSatisfy { $0.isLetter && $0.isASCII } }
        guard !values.isEmpty else { return }
        for number in 0..<number(4) {
            var elements = (0..<(1 + self.number(2))).map { _ in
                FetchIndexElement(property: pick(values).name, isAscending: chance(70))
            }
            if chance(20) {
                elements.append(FetchIndexElement(.expression(pick(["self", "entity"]), resultType: .undefined)))
            }
            if chance(10),
                let toOne = model.entities[index].relationships.first(where: { !$0.isToMany && !$0.isTransient })
            {
                elements = [FetchIndexElement(property: toOne.name)] + (chance(50) ? elements : [])
            }
            if chance(20) {
                let reals = values.filter { $0.type == .double || $0.type == .float }
                if let real = reals.first { elements = [FetchIndexElement(property: real.name, kind: .rTree)] }
            }
            var fetchIndex = FetchIndex(name: pick(["by", "by the ", "index-"]) + "\(number)", elements: elements)
            if elements[0].kind == .binary, chance(40), let value = plain.randomElement(using: &generator) {
                fetchIndex.partialIndexPredicate = condition(
                    value.name, (plain.randomElement(using: &generator) ?? value).name)
            }
            model.entities[index].fetchIndexes.append(fetchIndex)
        }
        if chance(15) {
            let names = values.map(\.name).prefix(2)
            if names.count == 2 { model.entities[index].compoundIndexes = [Array(names)] }
        }
    }

    private mutating func condition(_ a: String, _ b: String) -> String {
        pick([
            "\(a) == 1", "\(a) != nil", "\(a) == NULL OR \(b) > 2", "\(a) <> 0 AND \(b) <= 1.5 AND \(a) != -3",
            "(\(a) = 2 || \(a) = 4) && NOT \(b) == \"it's\"", "NOT (\(a) == YES AND (\(b) => 7 AND \(a) =< 1e3))",
            "\(a) == 1 AND \(b) == 2 OR \(a) == 3", "\(a) > CAST(1000.5, \"NSDate\")", "SELF.\(a) == FALSE",
            "(\(a) == 1 AND \(b) == 2) AND \(a) == 'x\\\\y'",
        ])
    }

    private mutating func addConstraints(to index: Int) {
        let values = attributes(index).filter { $0.type != .transformable }
        guard chance(35), !values.isEmpty else { return }
        var constraint = [pick(values).name]
        let other = pick(values)
        if other.name != constraint[0], chance(50) {
            constraint.append(other.elements.first.map { "\(other.name).\($0.name)" } ?? other.name)
        }
        model.entities[index].uniquenessConstraints = [constraint]
    }
}
