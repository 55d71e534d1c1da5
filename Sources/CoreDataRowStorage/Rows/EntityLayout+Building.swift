import CoreDataRuntimeSupport
import Synchronization

/// The layouts of all entities of a model, with the entity numbers of Apple's stores.
package final class ModelLayouts: @unchecked Sendable {
    /// The layouts by entity number; index 0 is unused.
    package let byNumber: ContiguousArray<EntityLayout?>
    package let byName: ObjectTable<String, EntityLayout>
    /// The layouts in the order of their numbers.
    package var all: [EntityLayout] { byNumber.compactMap { $0 } }

    /// Returns the numbers of an entity and of all its subentities; an empty range for an unknown number.
    package func family(of number: Int) -> Range<Int> { byNumber[number]?.familyNumbers ?? 0..<0 }

    /// Creates the layouts.
    ///
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
                familyNumbers: index + 1..<index + 1 + sizes[index])
            byNumber.append(layout)
            byName[layout.name] = layout
        }
        self.byNumber = byNumber
        self.byName = byName
    }

    /// Returns the number of entities at and below each entity.
    private static func familySizes(_ specs: [EntitySpec]) -> [Int] {
        var sizes = [Int](repeating: 1, count: specs.count)
        for index in specs.indices.reversed() {
            if let parent = specs[index].parent { sizes[parent] += sizes[index] }
        }
        return sizes
    }

    /// Returns false if two branches of a hierarchy declare a property of the same name: then an accessor that several
    /// classes inherit cannot cache one index for all of them.
    private static func agreeOnIndices(_ hierarchy: ArraySlice<EntitySpec>) -> Bool {
        if hierarchy.count == 1 { return true }
        var names: Set<String> = []
        return hierarchy.allSatisfy { $0.properties.allSatisfy { names.insert($0.name).inserted } }
    }

    private static let nextTag = Atomic<UInt32>(1)
    private static func makeTag() -> UInt32 { nextTag.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// A property with its name.
struct NamedMember {
    let name: String
    let member: EntityLayout.Member
}

/// The slots and relationships that an entity adds to those of its superentity.
struct OwnMembers {
    private(set) var cells: ContiguousArray<EntityLayout.Cell> = []
    private(set) var relationships: ContiguousArray<EntityLayout.Relationship> = []
    private(set) var members: ContiguousArray<NamedMember> = []
    /// The number of slots and of relationships, including the superentity's.
    private(set) var cellCount: Int
    private(set) var relationshipCount: Int

    /// Creates the members.
    ///
    /// - Parameters:
    ///   - cells: the number of the superentity's slots.
    ///   - relationships: the number of its relationships.
    init(_ properties: [PropertySpec], cells: Int, relationships: Int) {
        cellCount = cells
        relationshipCount = relationships
        self.cells.reserveCapacity(properties.count)
        members.reserveCapacity(properties.count)
        for property in properties { members.append(NamedMember(name: property.name, member: add(property))) }
    }

    private mutating func add(_ property: PropertySpec) -> EntityLayout.Member {
        switch property.form {
        case .attribute(let attribute):
            addCell(property.name, attribute)
            return .cell(cellCount - 1)
        case .relationship(let relationship):
            return add(relationship, property)
        case .composite(let elements):
            let first = cellCount
            for element in elements { addCell(element.path.joined(separator: "."), element, of: property) }
            return .composite(property.source, cells: Array(first..<cellCount))
        case .fetched:
            return .fetched(property.source)
        }
    }

    private mutating func add(_ relationship: RelationshipSpec, _ property: PropertySpec) -> EntityLayout.Member {
        let index = relationshipCount
        let cell = relationship.isToMany ? -1 : cellCount
        relationships.append(
            EntityLayout.Relationship(
                name: property.name, index: index, cell: cell, isToMany: relationship.isToMany,
                isOrdered: relationship.isOrdered, isTransient: relationship.traits.contains(.transient),
                deleteRule: relationship.deleteRule, destinationNumber: relationship.destinationNumber,
                inverse: relationship.inverse, source: property.source))
        relationshipCount += 1
        if relationship.isToMany { return .toMany(index) }
        cells.append(
            EntityLayout.Cell(
                name: property.name, index: cell, kind: .reference, traits: relationship.traits,
                relationshipIndex: index, compositeName: nil, elementPath: [], source: property.source,
                compositeSource: nil, coder: nil))
        cellCount += 1
        return .cell(cell)
    }

    private mutating func addCell(_ name: String, _ element: ElementSpec, of composite: PropertySpec? = nil) {
        cells.append(
            EntityLayout.Cell(
                name: name, index: cellCount, kind: element.kind, traits: element.traits, relationshipIndex: -1,
                compositeName: composite?.name, elementPath: element.path, source: element.source,
                compositeSource: composite?.source, coder: element.coder))
        cellCount += 1
    }
}
