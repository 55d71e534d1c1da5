import CoreDataRowStorage

/// Describes the entities of a model for their layouts: see ``EntitySpec``.
struct LayoutBuilder {
    /// The entities that are laid out, in the order of their numbers.
    private let entities: [NSEntityDescription]
    /// The place among them of the entity that each inherits from.
    private let parents: [Int?]

    /// - Parameter model: a model that does not change any more.
    init(_ model: NSManagedObjectModel) {
        var entities: [NSEntityDescription] = []
        var parents: [Int?] = []
        // Roots by name without regard to case, each followed by what is below it.
        var waiting = Self.sorted(model.entities.filter { $0.superentity == nil }).reversed().map {
            (entity: $0, parent: nil as Int?)
        }
        while let (entity, parent) = waiting.popLast() {
            let index = entities.count
            entities.append(entity)
            parents.append(parent)
            for child in Self.sorted(entity.subentities).reversed() { waiting.append((child, index)) }
        }
        self.entities = entities
        self.parents = parents
    }

    /// Numbers and lays out the entities, which lead to their layouts from then on.
    func layouts() -> ModelLayouts {
        for index in entities.indices { entities[index].layoutNumber = index + 1 }
        var specs: [EntitySpec] = []
        specs.reserveCapacity(entities.count)
        // Of the entities between the top of a hierarchy and the present one: the names that each adds, and all of these.
        var path: [(index: Int, names: [String])] = []
        var inherited: Set<String> = []
        for (index, entity) in entities.enumerated() {
            while let last = path.last, last.index != parents[index] {
                inherited.subtract(last.names)
                path.removeLast()
            }
            let spec = spec(of: entity, under: parents[index], inherited: inherited)
            specs.append(spec)
            guard !entity.subentities.isEmpty else { continue }
            let names = spec.properties.map(\.name)
            path.append((index, names))
            inherited.formUnion(names)
        }
        let layouts = ModelLayouts(specs)
        for layout in layouts.all { layout.entity.layoutStorage = layout }
        return layouts
    }

    private static func sorted(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        entities.sorted {
            let (a, b) = ($0.name ?? "", $1.name ?? "")
            let (x, y) = (a.uppercased(), b.uppercased())
            return x == y ? a < b : x < y
        }
    }

    /// - Parameter inherited: the names of the properties that entities above have.
    private func spec(of entity: NSEntityDescription, under parent: Int?, inherited: Set<String>) -> EntitySpec {
        var spec = EntitySpec(
            name: entity.name ?? "", isAbstract: entity.isAbstract, parent: parent, traits: entity)
        let properties = entity.orderedOwnProperties
        spec.properties.reserveCapacity(properties.count)
        for property in properties where !inherited.contains(property.name) {
            if let form = form(of: property) { spec.properties.append(PropertySpec(property.name, property, form)) }
        }
        return spec
    }

    /// nil for a property that has no place in objects.
    private func form(of property: NSPropertyDescription) -> PropertySpec.Form? {
        switch property {
        case let composite as NSCompositeAttributeDescription:
            .composite(elements(of: composite, within: composite, path: []))
        case let attribute as NSAttributeDescription: .attribute(ElementSpec(attribute, within: attribute))
        case let relationship as NSRelationshipDescription: .relationship(spec(relationship))
        case is NSFetchedPropertyDescription: .fetched
        case is NSExpressionDescription: nil
        // A property of no particular kind is kept in memory, as a transient attribute without a type is.
        default:
            .attribute(
                ElementSpec(kind: .boxed, traits: EntityLayout.Traits(property, of: property), source: property))
        }
    }

    private func elements(
        of composite: NSCompositeAttributeDescription, within owner: NSCompositeAttributeDescription, path: [String]
    ) -> [ElementSpec] {
        composite.elements.flatMap { element in
            let path = path + [element.name]
            if let nested = element as? NSCompositeAttributeDescription {
                return elements(of: nested, within: owner, path: path)
            }
            return [ElementSpec(element, within: owner, path: path)]
        }
    }

    private func spec(_ relationship: NSRelationshipDescription) -> RelationshipSpec {
        RelationshipSpec(
            isToMany: relationship.isToMany, isOrdered: relationship.isOrdered,
            traits: EntityLayout.Traits(relationship, of: relationship),
            deleteRule: EntityLayout.DeleteRule(relationship.deleteRule),
            destinationNumber: number(of: relationship.destinationEntity),
            inverse: relationship.inverseRelationship.map(EntityLayout.Inverse.init))
    }

    /// The number of an entity; 0 where it is none of those laid out.
    private func number(of entity: NSEntityDescription?) -> Int {
        guard let entity, entities.indices.contains(entity.layoutNumber - 1),
            entities[entity.layoutNumber - 1] === entity
        else { return 0 }
        return entity.layoutNumber
    }
}

extension ElementSpec {
    /// - Parameter property: the attribute itself, or the composite one it is an element of.
    init(_ attribute: NSAttributeDescription, within property: NSAttributeDescription, path: [String] = []) {
        let kind = CellKind(attribute)
        self.init(
            path: path, kind: kind, traits: EntityLayout.Traits(property, of: attribute), source: attribute,
            coder: kind == .transformable ? AttributeTransformer(attribute) : nil)
    }
}

extension EntityLayout.DeleteRule {
    init(_ rule: NSDeleteRule) {
        self =
            switch rule {
            case .noActionDeleteRule: .noAction
            case .nullifyDeleteRule: .nullify
            case .cascadeDeleteRule: .cascade
            case .denyDeleteRule: .deny
            }
    }
}

extension EntityLayout.Inverse {
    init(_ relationship: NSRelationshipDescription) {
        self.init(
            name: relationship.name, isToMany: relationship.isToMany, isOrdered: relationship.isOrdered,
            isTransient: relationship.isTransient, isOptional: relationship.isOptional)
    }
}

extension EntityLayout.Traits {
    /// - Parameters:
    ///   - property: the property of the entity.
    ///   - source: the same, or the element of it that has the cell.
    init(_ property: NSPropertyDescription, of source: NSPropertyDescription) {
        self = []
        if property.isOptional { insert(.optional) }
        if property.isTransient { insert(.transient) }
        if !source.isOptional { insert(.required) }
        guard let attribute = source as? NSAttributeDescription else {
            // Of no particular kind, and in no store.
            if !(source is NSRelationshipDescription) { insert(.transient) }
            return
        }
        insert(.attribute)
        if attribute is NSDerivedAttributeDescription { insert(.derived) }
        if attribute.allowsExternalBinaryDataStorage { insert(.external) }
        if attribute.preservesValueInHistoryOnDeletion { insert(.keptInHistory) }
        if attribute.isIndexed { insert(.indexed) }
    }
}

extension CellKind {
    init(_ attribute: NSAttributeDescription) {
        self =
            switch attribute.attributeType {
            case .integer16AttributeType: .int16
            case .integer32AttributeType: .int32
            case .integer64AttributeType: .int64
            case .booleanAttributeType: .boolean
            case .doubleAttributeType: .double
            case .floatAttributeType: .float
            case .dateAttributeType: .date
            case .stringAttributeType: .string
            case .URIAttributeType: .uri
            case .binaryDataAttributeType: .data
            case .UUIDAttributeType: .uuid
            case .decimalAttributeType: .decimal
            case .transformableAttributeType: attribute.isTransient ? .boxed : .transformable
            default: .boxed
            }
    }
}
