import CoreDataRowStorage
import ModelFormat

/// The layouts of a ``Model``, as `CoreData` builds them from entity descriptions.
package final class StoreLayouts {
    package let layouts: ModelLayouts
    /// Retained, because layouts refer to them without retaining.
    private let traits: [ModelEntityTraits]
    /// The highest number of entities: numbers share a word with keys.
    private static let entityLimit = 1 << 15 - 1

    /// The error for a model with too many entities.
    package struct TooManyEntities: Error {
        package let message: String
    }

    /// Numbers and lays out the entities. Entities with a cycle of parents are left out.
    package init(_ model: Model) throws(TooManyEntities) {
        guard model.entities.count <= Self.entityLimit else {
            throw TooManyEntities(
                message: "The model has \(model.entities.count) entities, more than a store can have.")
        }
        let index = EntityIndex(model)
        var specs: [EntitySpec] = []
        var traits: [ModelEntityTraits] = []
        // For the entities on the path from the root to the current one: the names that each adds, and their union.
        var path: [(index: Int, names: [String])] = []
        var inherited: Set<String> = []
        for (number, place) in index.order.enumerated() {
            while let last = path.last, last.index != place.parent {
                inherited.subtract(last.names)
                path.removeLast()
            }
            let own = ModelEntityTraits(place.entity, parent: place.parent.map { traits[$0] })
            var spec = EntitySpec(
                name: place.entity.name, isAbstract: place.entity.isAbstract, parent: place.parent, traits: own)
            spec.properties = index.properties(of: place.entity, without: inherited)
            specs.append(spec)
            traits.append(own)
            let names = spec.properties.map(\.name)
            path.append((number, names))
            inherited.formUnion(names)
        }
        self.traits = traits
        layouts = ModelLayouts(specs)
    }
}

/// The entities of a model in the order of their numbers, with their properties.
private struct EntityIndex {
    typealias Place = (entity: Entity, parent: Int?)

    private(set) var order: [Place] = []
    private var numbers: [String: Int] = [:]
    private let byName: [String: Entity]

    init(_ model: Model) {
        let byName = Dictionary(model.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.byName = byName
        var children: [String: [Entity]] = [:]
        var roots: [Entity] = []
        var seen: Set<String> = []
        for entity in model.entities where seen.insert(entity.name).inserted {
            if let parent = entity.parentName, byName[parent] != nil {
                children[parent, default: []].append(entity)
            } else {
                roots.append(entity)
            }
        }
        // Root entities by case-insensitive name, each followed by its descendants.
        var waiting: [Place] = Self.sorted(roots).reversed().map { ($0, nil) }
        while let (entity, parent) = waiting.popLast() {
            order.append((entity, parent))
            numbers[entity.name] = order.count
            for child in Self.sorted(children[entity.name] ?? []).reversed() {
                waiting.append((child, order.count - 1))
            }
        }
    }

    private static func sorted(_ entities: [Entity]) -> [Entity] {
        entities.sorted {
            let (x, y) = ($0.name.uppercased(), $1.name.uppercased())
            return x == y ? $0.name < $1.name : x < y
        }
    }

    /// Returns the ancestors of an entity, nearest first. Only entities without a cycle of parents are asked for.
    private func ancestors(of entity: Entity) -> [Entity] {
        var ancestors: [Entity] = []
        var next = entity.parentName.flatMap { byName[$0] }
        while let ancestor = next, ancestors.count < byName.count {
            ancestors.append(ancestor)
            next = ancestor.parentName.flatMap { byName[$0] }
        }
        return ancestors
    }

    /// Returns the properties that an entity adds: by kind and name, as a store orders them.
    func properties(of entity: Entity, without inherited: Set<String>) -> [PropertySpec] {
        var seen: Set<String> = []
        func adds(_ name: String) -> Bool { !inherited.contains(name) && seen.insert(name).inserted }
        var properties: [(group: Int, spec: PropertySpec)] = []
        for attribute in entity.attributes where adds(attribute.name) {
            properties.append((attribute.isTransient ? 1 : 0, spec(of: attribute)))
        }
        for relationship in entity.relationships where adds(relationship.name) {
            properties.append((relationship.storeGroup, spec(of: relationship)))
        }
        for fetched in entity.fetchedProperties where adds(fetched.name) {
            properties.append((5, PropertySpec(fetched.name, entityMarker, .fetched)))
        }
        return properties.sorted {
            $0.group == $1.group
                ? $0.spec.name.utf8.lexicographicallyPrecedes($1.spec.name.utf8) : $0.group < $1.group
        }.map(\.spec)
    }

    // MARK: Properties

    private let entityMarker = ModelAttributeSource(Attribute(name: "", type: .undefined))

    private func spec(of attribute: Attribute) -> PropertySpec {
        let source = ModelAttributeSource(attribute)
        let form: PropertySpec.Form =
            attribute.type == .composite
            ? .composite(elements(of: attribute, within: attribute, path: []))
            : .attribute(element(attribute, within: attribute, path: [], source))
        return PropertySpec(attribute.name, source, form)
    }

    private func elements(of composite: Attribute, within owner: Attribute, path: [String]) -> [ElementSpec] {
        composite.elements.flatMap { element in
            let path = path + [element.name]
            if element.type == .composite { return elements(of: element, within: owner, path: path) }
            return [self.element(element, within: owner, path: path, ModelAttributeSource(element))]
        }
    }

    private func element(
        _ attribute: Attribute, within property: Attribute, path: [String], _ source: ModelAttributeSource
    ) -> ElementSpec {
        let kind = CellKind(attribute)
        return ElementSpec(
            path: path, kind: kind, traits: EntityLayout.Traits(property, of: attribute), source: source,
            coder: kind == .transformable ? TransformableDescription(attribute) : nil)
    }

    private func spec(of relationship: Relationship) -> PropertySpec {
        var traits: EntityLayout.Traits = []
        if relationship.isOptional { traits.insert(.optional) } else { traits.insert(.required) }
        if relationship.isTransient { traits.insert(.transient) }
        let destination = byName[relationship.destinationName]
        let inverse = relationship.inverseName.flatMap { name in
            destination.flatMap { destination in
                ([destination] + ancestors(of: destination)).lazy
                    .compactMap { $0.relationships.first { $0.name == name } }.first
            }
        }
        return PropertySpec(
            relationship.name, entityMarker,
            .relationship(
                RelationshipSpec(
                    isToMany: relationship.isToMany, isOrdered: relationship.isOrdered, traits: traits,
                    deleteRule: EntityLayout.DeleteRule(relationship.deleteRule),
                    destinationNumber: numbers[relationship.destinationName] ?? 0,
                    inverse: inverse.map(EntityLayout.Inverse.init))))
    }
}

extension Relationship {
    /// The place of the kind of relationship among a store's properties.
    var storeGroup: Int { isToMany ? (isOrdered ? 4 : 3) : 2 }
}

extension EntityLayout.DeleteRule {
    fileprivate init(_ rule: DeleteRule) {
        self =
            switch rule {
            case .noAction: .noAction
            case .nullify: .nullify
            case .cascade: .cascade
            case .deny: .deny
            }
    }
}

extension EntityLayout.Inverse {
    fileprivate init(_ relationship: Relationship) {
        self.init(
            name: relationship.name, isToMany: relationship.isToMany, isOrdered: relationship.isOrdered,
            isTransient: relationship.isTransient, isOptional: relationship.isOptional)
    }
}

extension EntityLayout.Traits {
    /// Creates the traits of an attribute.
    ///
    /// - Parameters:
    ///   - property: the attribute of the entity.
    ///   - source: the same attribute, or the element of it that has the slot.
    fileprivate init(_ property: Attribute, of source: Attribute) {
        self = [.attribute]
        if property.isOptional { insert(.optional) }
        if property.isTransient { insert(.transient) }
        if !source.isOptional { insert(.required) }
        if source.isDerived { insert(.derived) }
        if source.allowsExternalBinaryDataStorage { insert(.external) }
        if source.preservesValueInHistoryOnDeletion { insert(.keptInHistory) }
        if source.isIndexed { insert(.indexed) }
    }
}

extension CellKind {
    fileprivate init(_ attribute: Attribute) {
        self =
            switch attribute.type {
            case .integer16: .int16
            case .integer32: .int32
            case .integer64: .int64
            case .boolean: .boolean
            case .double: .double
            case .float: .float
            case .date: .date
            case .string: .string
            case .uri: .uri
            case .binary: .data
            case .uuid: .uuid
            case .decimal: .decimal
            case .transformable: attribute.isTransient ? .boxed : .transformable
            case .undefined, .objectID, .composite: .boxed
            }
    }
}
