import CoreDataRowStorage

/// Describes the entities of a model for their layouts: see ``EntitySpec``.
struct LayoutBuilder {
    /// The entities to lay out, in the order of their numbers.
    private let entities: [NSEntityDescription]
    /// For each entity, the index of its parent.
    private let parents: [Int?]

    /// Creates a builder.
    ///
    /// - Parameter model: a frozen model.
    init(_ model: NSManagedObjectModel) {
        var entities: [NSEntityDescription] = []
        var parents: [Int?] = []
        // Root entities by case-insensitive name, each followed by its descendants.
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

    /// Numbers and lays out the entities, and assigns the numbers to them.
    func layouts() -> ModelLayouts {
        for index in entities.indices { entities[index].layoutNumber = index + 1 }
        var specs: [EntitySpec] = []
        specs.reserveCapacity(entities.count)
        // For the entities on the path from the root to the current one: the names that each adds, and their union.
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

    /// Returns the description of an entity.
    ///
    /// - Parameter inherited: the names of the inherited properties.
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

    /// Returns the form of a property; nil for a property that has no slot in objects.
    private func form(of property: NSPropertyDescription) -> PropertySpec.Form? {
        switch property {
        case let composite as NSCompositeAttributeDescription:
            .composite(elements(of: composite, within: composite, path: []))
        case let attribute as NSAttributeDescription: .attribute(ElementSpec(attribute, within: attribute))
        case let relationship as NSRelationshipDescription: .relationship(spec(relationship))
        case is NSFetchedPropertyDescription: .fetched
        case is NSExpressionDescription: nil
        // A property of no particular kind is stored in memory, like a transient attribute without a type.
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

    /// Returns the number of an entity; 0 if it is not among those laid out.
    private func number(of entity: NSEntityDescription?) -> Int {
        guard let entity, entities.indices.contains(entity.layoutNumber - 1),
            entities[entity.layoutNumber - 1] === entity
        else { return 0 }
        return entity.layoutNumber
    }
}

extension ElementSpec {
    /// Creates the description of an attribute or of an element.
    ///
    /// - Parameter property: the attribute itself, or the composite attribute of which it is an element.
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
    /// Creates the traits of a property.
    ///
    /// - Parameters:
    ///   - property: the property of the entity.
    ///   - source: the same property, or the element of it that has the slot.
    init(_ property: NSPropertyDescription, of source: NSPropertyDescription) {
        self = []
        if property.isOptional { insert(.optional) }
        if property.isTransient { insert(.transient) }
        if !source.isOptional { insert(.required) }
        guard let attribute = source as? NSAttributeDescription else {
            // A property of no particular kind, which no store persists.
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
