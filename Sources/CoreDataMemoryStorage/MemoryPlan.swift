import CoreDataRowStorage

/// The storage of each relationship of a model in memory.
///
/// To-one relationships are in the rows. To-many relationships are lists beside the rows: those with a to-one inverse index
/// the inverse's slots, the others are the only storage of the relationship.
package final class MemoryPlan: Sendable {
    package enum Storage: Equatable, Sendable {
        /// A slot, with the list that mirrors it if the inverse is a to-many relationship.
        case cell(mirror: Int?)
        /// The mirror of the inverse's slots; `order` holds the sequence of an ordered relationship.
        case mirror(list: Int, order: Int?)
        /// A separate list; `inverse` is the list of the other direction.
        case links(list: Int, inverse: Int?)
        /// None: a transient to-many relationship.
        case transient
    }

    let layouts: ModelLayouts
    let listCount: Int
    /// The storages by entity number, then by relationship index.
    private let storages: ContiguousArray<ContiguousArray<Storage>>

    init(_ layouts: ModelLayouts) {
        self.layouts = layouts
        var numbers: [Place: Int] = [:]
        func number(_ place: Place) -> Int {
            if let known = numbers[place] { return known }
            numbers[place] = numbers.count
            return numbers.count - 1
        }
        // A superentity comes before its subentities.
        var storages: ContiguousArray<ContiguousArray<Storage>> = []
        storages.reserveCapacity(layouts.byNumber.count)
        for layout in layouts.byNumber {
            var all = layout?.superlayout.map { storages[$0.number] } ?? []
            if let layout, !layout.ownRelationships.isEmpty {
                all.append(
                    contentsOf: layout.ownRelationships.map { relationship -> Storage in
                        let own = Place(layout, relationship.index)
                        let inverse = Self.inverse(of: relationship, in: layouts)
                        guard relationship.isToMany else {
                            return .cell(mirror: inverse?.isToMany == true ? number(own) : nil)
                        }
                        if relationship.isTransient { return .transient }
                        if let inverse, !inverse.isToMany {
                            return .mirror(
                                list: number(inverse.place), order: relationship.isOrdered ? number(own) : nil)
                        }
                        let kept = inverse.flatMap { $0.isTransient ? nil : number($0.place) }
                        return .links(list: number(own), inverse: kept)
                    })
            }
            storages.append(all)
        }
        self.storages = storages
        listCount = numbers.count
    }

    package func storage(of relationship: EntityLayout.Relationship, in layout: EntityLayout) -> Storage {
        storages[layout.number][relationship.index]
    }

    /// Returns the storages of an entity by relationship index.
    func storages(of layout: EntityLayout) -> ContiguousArray<Storage> { storages[layout.number] }

    /// A relationship, identified by the topmost entity that has it.
    private struct Place: Hashable {
        let entityNumber: Int
        let index: Int

        init(_ layout: EntityLayout, _ index: Int) {
            var owner = layout
            while let parent = owner.superlayout, index < parent.relationshipCount { owner = parent }
            entityNumber = owner.number
            self.index = index
        }
    }

    private static func inverse(
        of relationship: EntityLayout.Relationship, in layouts: ModelLayouts
    ) -> (isToMany: Bool, isTransient: Bool, place: Place)? {
        guard let name = relationship.inverse?.name,
            let destination = layouts.byNumber[relationship.destinationNumber],
            let inverse = destination.relationships.first(where: { $0.name == name })
        else { return nil }
        return (inverse.isToMany, inverse.isTransient, Place(destination, inverse.index))
    }
}
