import CoreDataRuntimeSupport
import Synchronization

/// The layouts of every entity of a model, and the numbers Apple's stores give the entities.
package final class ModelLayouts: @unchecked Sendable {
    /// By entity number; index 0 is unused.
    package let byNumber: ContiguousArray<EntityLayout?>
    package let byName: ObjectTable<String, EntityLayout>
    /// Number order.
    package var all: [EntityLayout] { byNumber.compactMap { $0 } }

    /// - Parameter specs: the entities in the order of their numbers, from 1: each hierarchy depth-first.
    package init(_ specs: [EntitySpec]) {
        var byNumber = ContiguousArray<EntityLayout?>()
        byNumber.reserveCapacity(specs.count + 1)
        byNumber.append(nil)
        var byName = ObjectTable<String, EntityLayout>(minimumCapacity: specs.count)
        let sizes = Self.familySizes(specs)
        var shared: UInt32?
        for (index, spec) in specs.enumerated() {
            if spec.parent == nil {
                shared = Self.agreeOnIndices(specs[index..<index + sizes[index]]) ? Self.makeTag() : nil
            }
            let superlayout = spec.parent.flatMap { byNumber[$0 + 1] }
            let layout = EntityLayout(
                spec, number: index + 1, tag: shared ?? Self.makeTag(), superlayout: superlayout,
                members: MemberTable(spec.properties, extending: superlayout),
                familyNumbers: Array(index + 1...index + sizes[index]))
            byNumber.append(layout)
            byName[layout.name] = layout
        }
        self.byNumber = byNumber
        self.byName = byName
    }

    /// How many entities each has at and below it.
    private static func familySizes(_ specs: [EntitySpec]) -> [Int] {
        var sizes = [Int](repeating: 1, count: specs.count)
        for index in specs.indices.reversed() {
            if let parent = specs[index].parent { sizes[parent] += sizes[index] }
        }
        return sizes
    }

    /// False when two branches of a hierarchy declare a property of the same name: then an accessor that several of their
    /// classes share cannot keep one index for all.
    private static func agreeOnIndices(_ hierarchy: ArraySlice<EntitySpec>) -> Bool {
        if hierarchy.count == 1 { return true }
        var names: Set<String> = []
        return hierarchy.allSatisfy { $0.properties.allSatisfy { names.insert($0.name).inserted } }
    }

    private static let nextTag = Atomic<UInt32>(1)
    private static func makeTag() -> UInt32 { nextTag.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// The properties of one entity as cells and relationships, the super-entity's first.
package final class MemberTable {
    package var cells: ContiguousArray<EntityLayout.Cell> = []
    package var relationships: ContiguousArray<EntityLayout.Relationship> = []
    package var members: MemberNames

    package init(_ properties: [PropertySpec], extending superlayout: EntityLayout?) {
        members = MemberNames(
            superlayout?.members, minimumCapacity: properties.count + (superlayout?.members.names.count ?? 0))
        if let superlayout {
            cells = superlayout.cells
            relationships = superlayout.relationships
        }
        cells.reserveCapacity(cells.count + properties.count)
        for property in properties { add(property) }
    }

    private func add(_ property: PropertySpec) {
        switch property.form {
        case .attribute(let attribute):
            members[property.name] = .cell(cells.count)
            addCell(property.name, attribute)
        case .relationship(let relationship):
            add(relationship, property)
        case .composite(let elements):
            members[property.name] = .composite(
                property.source, cells: Array(cells.count..<cells.count + elements.count))
            for element in elements { addCell(element.path.joined(separator: "."), element, of: property) }
        case .fetched:
            members[property.name] = .fetched(property.source)
        }
    }

    private func add(_ relationship: RelationshipSpec, _ property: PropertySpec) {
        let index = relationships.count
        let cell = relationship.isToMany ? -1 : cells.count
        relationships.append(
            EntityLayout.Relationship(
                name: property.name, index: index, cell: cell, isToMany: relationship.isToMany,
                isOrdered: relationship.isOrdered, isTransient: relationship.traits.contains(.transient),
                deleteRule: relationship.deleteRule, destinationNumber: relationship.destinationNumber,
                inverse: relationship.inverse, source: property.source))
        if relationship.isToMany {
            members[property.name] = .toMany(index)
        } else {
            members[property.name] = .cell(cell)
            cells.append(
                EntityLayout.Cell(
                    name: property.name, index: cell, kind: .reference, traits: relationship.traits,
                    relationshipIndex: index, compositeName: nil, elementPath: [], source: property.source,
                    compositeSource: nil, coder: nil))
        }
    }

    private func addCell(_ name: String, _ element: ElementSpec, of composite: PropertySpec? = nil) {
        cells.append(
            EntityLayout.Cell(
                name: name, index: cells.count, kind: element.kind, traits: element.traits, relationshipIndex: -1,
                compositeName: composite?.name, elementPath: element.path, source: element.source,
                compositeSource: composite?.source, coder: element.coder))
    }
}
