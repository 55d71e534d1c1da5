import CoreDataStoreFiles
import ModelFormat

/// The entities of a model in the order of their numbers: root entities by case-insensitive name, each followed by its
/// subentities.
struct ModelOutline {
    private(set) var entities: [EntityOutline] = []
    private var byName: [String: EntityOutline] = [:]
    private let composites: [String: CompositeType]
    private var cellCount = 0

    /// Limits of what is read from a file. Models of programs are far below.
    private enum Limit {
        static let depth = 2000
        static let cells = 200_000
        static let inheritedCells = 1_000_000
        static let compositeDepth = 32
    }

    /// Creates the outline.
    ///
    /// - Throws: ``StoreToolError`` for a model that no SQLite store can have: it contradicts itself, or a name cannot be
    ///   part of one in SQL.
    init(_ model: Model) throws {
        composites = [String: CompositeType](
            model.composites.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        try arrange(model)
        try addProperties()
        for entity in entities {
            for cell in entity.cells { if let relationship = cell.relationship { try resolve(relationship) } }
            for relationship in entity.toManys { try resolve(relationship) }
        }
    }

    subscript(name: String) -> EntityOutline? { byName[name] }

    /// Returns the entity and its subentities.
    func family(of entity: EntityOutline) -> ArraySlice<EntityOutline> { entities[entity.index..<entity.end] }

    // MARK: Order

    private mutating func arrange(_ model: Model) throws {
        var names: Set<String> = []
        var children: [String: [Entity]] = [:]
        var roots: [Entity] = []
        for entity in model.entities {
            guard names.insert(entity.name).inserted else {
                throw Self.misfit("two entities are named \(entity.name)", entity)
            }
            if let parent = entity.parentName {
                children[parent, default: []].append(entity)
            } else {
                roots.append(entity)
            }
        }
        for parent in children.keys.sorted() where !names.contains(parent) {
            throw Self.misfit("the parent entity \(parent) does not exist", children[parent]![0])
        }
        var waiting = Self.sorted(roots).reversed().map { (entity: $0, parent: nil as EntityOutline?, depth: 0) }
        entities.reserveCapacity(model.entities.count)
        while let (entity, parent, depth) = waiting.popLast() {
            guard depth < Limit.depth else { throw Self.misfit("its hierarchy is too deep", entity) }
            let outline = EntityOutline(entity, index: entities.count, parent: parent)
            entities.append(outline)
            byName[entity.name] = outline
            for child in Self.sorted(children[entity.name] ?? []).reversed() {
                waiting.append((child, outline, depth + 1))
            }
        }
        guard entities.count == model.entities.count else {
            let lost = model.entities.first { byName[$0.name] == nil }
            throw Self.misfit("the entity inherits from itself", lost)
        }
        for entity in entities.reversed() { if let parent = entity.parent { parent.end = max(parent.end, entity.end) } }
    }

    private static func sorted(_ entities: [Entity]) -> [Entity] {
        guard entities.count > 1 else { return entities }
        let keys = entities.map { $0.name.uppercased() }
        return entities.indices.sorted {
            keys[$0] == keys[$1] ? entities[$0].name < entities[$1].name : keys[$0] < keys[$1]
        }.map { entities[$0] }
    }

    // MARK: Properties

    private mutating func addProperties() throws {
        // The names that the entities on the path from the root to the current one add, and their union.
        var path: [(entity: EntityOutline, names: [String])] = []
        var inherited: Set<String> = []
        var inheritedCells = 0
        var counts = [Int](repeating: 0, count: entities.count)
        for entity in entities {
            while let last = path.last, last.entity !== entity.parent {
                inherited.subtract(last.names)
                path.removeLast()
            }
            try addProperties(to: entity, inherited: inherited)
            counts[entity.index] =
                (entity.parent.map { counts[$0.index] } ?? 0) + entity.cells.count + entity.toManys.count
            inheritedCells += counts[entity.index]
            guard inheritedCells <= Limit.inheritedCells else {
                throw Self.misfit("the hierarchy has too many properties", entity.entity)
            }
            guard entity.hasSubentities else { continue }
            let names = Array(entity.members.keys)
            path.append((entity, names))
            inherited.formUnion(names)
        }
    }

    private mutating func addProperties(to outline: EntityOutline, inherited: Set<String>) throws {
        let entity = outline.entity
        try checkName(of: outline)
        // Attributes are large values, so their indices are sorted.
        let attributes = Self.order(entity.attributes.map(\.name), without: inherited)
        for isTransient in [false, true] {
            for index in attributes where entity.attributes[index].isTransient == isTransient {
                try add(entity.attributes[index], to: outline)
            }
        }
        let relationships = Self.order(entity.relationships.map(\.name), without: inherited)
            .map { RelationshipOutline(entity.relationships[$0], of: outline) }
        for relationship in relationships where !relationship.isToMany {
            try note(relationship.name, .cell(outline.cells.count), in: outline)
            let cell = EntityOutline.Cell(relationship)
            relationship.cell = cell
            outline.cells.append(cell)
            cellCount += 1
        }
        for isOrdered in [false, true] {
            for relationship in relationships where relationship.isToMany && relationship.isOrdered == isOrdered {
                try note(relationship.name, .toMany(outline.toManys.count), in: outline)
                outline.toManys.append(relationship)
            }
        }
        for property in entity.fetchedProperties where !inherited.contains(property.name) {
            try note(property.name, .fetched, in: outline)
        }
        guard cellCount <= Limit.cells else { throw Self.misfit("the model has too many properties", entity) }
    }

    /// Returns the positions of the names that are not inherited, in the order of the names.
    private static func order(_ names: [String], without inherited: Set<String>) -> [Int] {
        var places = Array(names.indices)
        if !inherited.isEmpty { places.removeAll { inherited.contains(names[$0]) } }
        guard places.count > 1 else { return places }
        return places.sorted { names[$0].utf8.lexicographicallyPrecedes(names[$1].utf8) }
    }

    private func note(_ name: String, _ member: EntityOutline.Member, in outline: EntityOutline) throws {
        guard outline.members.updateValue(member, forKey: name) == nil else {
            throw Self.misfit("two properties are named \(name)", outline.entity)
        }
    }

    private mutating func add(_ attribute: Attribute, to outline: EntityOutline) throws {
        // A derived attribute has no elements.
        guard attribute.type == .composite, attribute.derivation == nil else {
            try note(attribute.name, .cell(outline.cells.count), in: outline)
            outline.cells.append(EntityOutline.Cell(attribute))
            cellCount += 1
            return
        }
        let first = outline.cells.count
        try addElements(
            of: attribute, of: attribute, at: [attribute.name], isRequired: !attribute.isOptional, to: outline)
        try note(attribute.name, .composite(first..<outline.cells.count), in: outline)
    }

    private mutating func addElements(
        of attribute: Attribute, of whole: Attribute, at path: [String], isRequired: Bool, to outline: EntityOutline
    ) throws {
        guard path.count < Limit.compositeDepth, cellCount <= Limit.cells else {
            throw Self.misfit("the composite attribute \(whole.name) is nested too deeply", outline.entity)
        }
        for element in elements(of: attribute) {
            if !whole.isTransient { try Self.check(element.name, "attribute", of: outline.entity) }
            let path = path + [element.name]
            let isRequired = isRequired && !element.isOptional
            if element.type == .composite, element.derivation == nil {
                try addElements(of: element, of: whole, at: path, isRequired: isRequired, to: outline)
                continue
            }
            outline.cells.append(
                EntityOutline.Cell(element, of: whole, path: path.joined(separator: "."), isRequired: isRequired))
            cellCount += 1
        }
    }

    private func elements(of attribute: Attribute) -> [Attribute] {
        guard attribute.elements.isEmpty, let name = attribute.compositeName else { return attribute.elements }
        return composites[name]?.attributes ?? []
    }

    // MARK: Checks

    /// The tables of every file, by the names of the entities that they would collide with.
    private static let taken = ["_PRIMARYKEY", "_METADATA", "_MODELCACHE"]

    private func checkName(of outline: EntityOutline) throws {
        let entity = outline.entity
        try Self.check(entity.name, "entity", of: entity)
        if outline.isRoot, entity.name.utf8.first == UInt8(ascii: "_"), Self.taken.contains(entity.name.uppercased()) {
            throw Self.misfit("a table of every store has the name of the entity", entity)
        }
        // Transient attributes have no columns and may have any name.
        for index in entity.attributes.indices where !entity.attributes[index].isTransient {
            try Self.check(entity.attributes[index].name, "attribute", of: entity)
        }
        for index in entity.relationships.indices {
            try Self.check(entity.relationships[index].name, "relationship", of: entity)
        }
    }

    private static func check(_ name: String, _ kind: String, of entity: Entity) throws {
        guard !name.isPlainIdentifier(afterPrefix: true) else { return }
        throw misfit("the name of the \(kind) “\(name)” cannot be used in an SQLite store", entity)
    }

    /// Finds the destination and the inverse of a relationship.
    private func resolve(_ relationship: RelationshipOutline) throws {
        guard let destination = byName[relationship.destinationName] else {
            throw Self.misfit(
                "the relationship \(relationship.name) has the destination \(relationship.destinationName), which does "
                    + "not exist", relationship.owner.entity)
        }
        relationship.destination = destination
        guard let name = relationship.inverseName else { return }
        guard let inverse = destination.relationship(name) else {
            throw Self.misfit(
                "the relationship \(relationship.name) has the inverse \(destination.name).\(name), which does not exist",
                relationship.owner.entity)
        }
        relationship.inverse = inverse
    }

    static func misfit(_ reason: String, _ entity: Entity?) -> StoreToolError {
        StoreToolError(
            .otherModel, "The model cannot be that of a store: \(entity.map { "entity \($0.name): " } ?? "")\(reason).",
            advice: "Give the model that the store was made with.")
    }
}
