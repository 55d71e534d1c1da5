import CoreDataRuntimeSupport
import Synchronization

/// The layouts of every entity of a frozen model, and the numbers Apple's stores give the entities.
package final class ModelLayouts: @unchecked Sendable {
    /// By entity number; index 0 is unused.
    package let byNumber: ContiguousArray<EntityLayout?>
    let byName: ObjectTable<String, EntityLayout>
    /// Number order.
    package var all: [EntityLayout] { byNumber.compactMap { $0 } }

    /// Numbers and lays out the entities of `model`, which must not change any more.
    init(model: NSManagedObjectModel) {
        let entities = Self.numberedEntities(model)
        var byNumber = ContiguousArray<EntityLayout?>()
        byNumber.reserveCapacity(entities.count + 1)
        byNumber.append(nil)
        var byName = ObjectTable<String, EntityLayout>(minimumCapacity: entities.count)
        for index in entities.indices { entities[index].layoutNumber = index + 1 }

        func build(_ entity: NSEntityDescription, under superlayout: EntityLayout?, tag: UInt32?) -> [Int] {
            let number = byNumber.count
            let layout = EntityLayout(
                entity: entity, number: number, tag: tag ?? Self.makeTag(), superlayout: superlayout,
                members: MemberTable(entity: entity, extending: superlayout, among: entities))
            byNumber.append(layout)
            byName[layout.name] = layout
            entity.layoutStorage = layout
            var family = [number]
            for child in Self.sorted(entity.subentities) {
                family += build(child, under: layout, tag: tag)
            }
            layout.setFamily(family)
            return family
        }
        for root in Self.sorted(model.entities.filter { $0.superentity == nil }) {
            let shared = Self.agreesOnIndices(root) ? Self.makeTag() : nil
            _ = build(root, under: nil, tag: shared)
        }
        self.byNumber = byNumber
        self.byName = byName
    }

    /// Roots by name without regard to case, each followed by what is below it.
    private static func numberedEntities(_ model: NSManagedObjectModel) -> [NSEntityDescription] {
        func walk(_ entity: NSEntityDescription) -> [NSEntityDescription] {
            [entity] + sorted(entity.subentities).flatMap(walk)
        }
        return sorted(model.entities.filter { $0.superentity == nil }).flatMap(walk)
    }

    private static func sorted(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        entities.sorted {
            let (a, b) = ($0.name ?? "", $1.name ?? "")
            let (x, y) = (a.uppercased(), b.uppercased())
            return x == y ? a < b : x < y
        }
    }

    /// False when two branches of a hierarchy declare a property of the same name: then an accessor that several of their
    /// classes share cannot keep one index for all.
    private static func agreesOnIndices(_ root: NSEntityDescription) -> Bool {
        if root.subentities.isEmpty { return true }
        var names: Set<String> = []
        func walk(_ entity: NSEntityDescription) -> Bool {
            let inherited = Set((entity.superentity?.properties ?? []).map(\.name))
            for property in entity.properties where !inherited.contains(property.name) {
                guard names.insert(property.name).inserted else { return false }
            }
            return entity.subentities.allSatisfy(walk)
        }
        return walk(root)
    }

    private static let nextTag = Atomic<UInt32>(1)
    private static func makeTag() -> UInt32 { nextTag.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// The properties of one entity as cells and relationships, the super-entity's first.
final class MemberTable {
    var cells: ContiguousArray<EntityLayout.Cell> = []
    var relationships: ContiguousArray<EntityLayout.Relationship> = []
    var members: MemberNames
    /// The entities that are laid out, in the order of their numbers.
    private let entities: [NSEntityDescription]

    init(entity: NSEntityDescription, extending superlayout: EntityLayout?, among entities: [NSEntityDescription]) {
        self.entities = entities
        let properties = entity.orderedProperties
        members = MemberNames(superlayout?.members, minimumCapacity: properties.count)
        if let superlayout {
            cells = superlayout.cells
            relationships = superlayout.relationships
        }
        cells.reserveCapacity(cells.count + properties.count)
        for property in properties where !isInherited(property, in: superlayout) {
            switch property {
            case let composite as NSCompositeAttributeDescription:
                let first = cells.count
                addElements(of: composite, within: composite, path: [])
                members[composite.name] = .composite(composite, cells: Array(first..<cells.count))
            case let attribute as NSAttributeDescription:
                members[attribute.name] = .cell(cells.count)
                addCell(attribute.name, kind: CellKind(attribute), property: attribute, source: attribute)
            case let relationship as NSRelationshipDescription:
                add(relationship)
            case let fetched as NSFetchedPropertyDescription:
                members[fetched.name] = .fetched(fetched)
            case is NSExpressionDescription: break
            default:
                // A property of no particular kind is kept in memory, as a transient attribute without a type is.
                members[property.name] = .cell(cells.count)
                addCell(property.name, kind: .boxed, property: property, source: property)
            }
        }
    }

    private func isInherited(_ property: NSPropertyDescription, in superlayout: EntityLayout?) -> Bool {
        superlayout?.members[property.name] != nil
    }

    private func add(_ relationship: NSRelationshipDescription) {
        let index = relationships.count
        let cell = relationship.isToMany ? -1 : cells.count
        relationships.append(
            EntityLayout.Relationship(
                name: relationship.name, index: index, cell: cell, isToMany: relationship.isToMany,
                isOrdered: relationship.isOrdered, isTransient: relationship.isTransient,
                deleteRule: EntityLayout.DeleteRule(relationship.deleteRule),
                destinationNumber: number(of: relationship.destinationEntity),
                inverse: relationship.inverseRelationship.map(EntityLayout.Inverse.init), source: relationship))
        if relationship.isToMany {
            members[relationship.name] = .toMany(index)
        } else {
            members[relationship.name] = .cell(cell)
            addCell(
                relationship.name, kind: .reference, property: relationship, source: relationship,
                relationshipIndex: index)
        }
    }

    /// The number of an entity; 0 where it is none of those laid out.
    private func number(of entity: NSEntityDescription?) -> Int {
        guard let entity, entities.indices.contains(entity.layoutNumber - 1),
            entities[entity.layoutNumber - 1] === entity
        else { return 0 }
        return entity.layoutNumber
    }

    private func addElements(
        of composite: NSCompositeAttributeDescription, within owner: NSCompositeAttributeDescription, path: [String]
    ) {
        for element in composite.elements {
            if let nested = element as? NSCompositeAttributeDescription {
                addElements(of: nested, within: owner, path: path + [nested.name])
            } else {
                addCell(
                    (path + [element.name]).joined(separator: "."), kind: CellKind(element), property: owner,
                    source: element, composite: owner, elementPath: path + [element.name])
            }
        }
    }

    private func addCell(
        _ name: String, kind: CellKind, property: NSPropertyDescription, source: NSPropertyDescription,
        relationshipIndex: Int = -1, composite: NSCompositeAttributeDescription? = nil, elementPath: [String] = []
    ) {
        cells.append(
            EntityLayout.Cell(
                name: name, index: cells.count, kind: kind, traits: EntityLayout.Traits(property, of: source),
                relationshipIndex: relationshipIndex, compositeName: composite?.name, elementPath: elementPath,
                source: source, compositeSource: composite,
                coder: kind == .transformable ? (source as? NSAttributeDescription).map(AttributeTransformer.init) : nil
            ))
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
        name = relationship.name
        isToMany = relationship.isToMany
        isOrdered = relationship.isOrdered
        isTransient = relationship.isTransient
        isOptional = relationship.isOptional
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
