#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage
import Foundation

/// The rows of a source by hierarchy, and the order in which they and their relationships are copied.
struct CopyPlan {
    /// A to-many relationship that rows do not hold, or that has positions.
    struct Link {
        let layout: EntityLayout
        let relationship: EntityLayout.Relationship
    }

    /// The root entities in the order in which their rows are copied: destinations of to-one relationships first, as far as
    /// that is possible.
    let roots: [EntityLayout]
    /// The roots, by their places, of hierarchies with to-one relationships to rows that may be copied later.
    let rootsWithLateReferences: [Int]
    let links: [Link]
    let layouts: ModelLayouts
    /// The rows of each hierarchy, by the number of its root, in the order of their keys.
    private let rows: [Int: ContiguousArray<RowReference>]
    /// The places of roots among ``roots``, by number.
    private let places: [Int: Int]

    init(_ session: any StoreSession, _ layouts: ModelLayouts, present: Set<Int>) throws {
        self.layouts = layouts
        let roots = Self.ordered(layouts.all.filter { $0.isRoot && present.contains($0.number) }, layouts)
        self.roots = roots
        var rows: [Int: ContiguousArray<RowReference>] = [:]
        for root in roots {
            var found = try session.fetchReferences(StoreFetch(layout: root))
            found.sort { $0.key < $1.key }
            rows[root.number] = found
        }
        self.rows = rows
        let places = Dictionary(uniqueKeysWithValues: roots.enumerated().map { ($1.number, $0) })
        self.places = places
        rootsWithLateReferences = roots.indices.filter { place in
            Self.destinations(of: roots[place], layouts).contains { places[$0.number] ?? 0 >= place }
        }
        links = layouts.all.filter { present.contains($0.number) }.flatMap { layout in
            layout.ownRelationships.filter { Self.isCopied($0, of: layout, layouts) }.map {
                Link(layout: layout, relationship: $0)
            }
        }
    }

    /// The number of all rows.
    var count: Int { rows.values.reduce(0) { $0 + $1.count } }

    /// Returns the rows of a hierarchy in the order of their keys.
    func rows(of root: EntityLayout) -> ContiguousArray<RowReference> { rows[root.number] ?? [] }

    /// Returns the rows of an entity and of its subentities in the order of their keys.
    func rows(ofFamily layout: EntityLayout) -> ContiguousArray<RowReference> {
        let all = rows(of: layout.root)
        return layout.isRoot ? all : all.filter { layout.familyNumbers.contains($0.entityNumber) }
    }

    private func root(of reference: RowReference) -> EntityLayout? {
        reference.entityNumber < layouts.byNumber.count ? layouts.byNumber[reference.entityNumber]?.root : nil
    }

    /// Returns true if there is a row with the key of a reference in its hierarchy.
    func contains(_ reference: RowReference) -> Bool {
        guard let rows = root(of: reference).flatMap({ rows[$0.number] }) else { return false }
        let key = reference.key
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low < rows.count && rows[low].key == key
    }

    /// Returns true if the destination of a reference is copied after its row, at the earliest.
    func isLate(_ reference: RowReference, from key: Int64, of root: EntityLayout) -> Bool {
        guard let destination = self.root(of: reference), let place = places[root.number],
            let other = places[destination.number]
        else { return true }
        return other == place ? reference.key > key : other > place
    }

    // MARK: Order

    private static func destinations(of root: EntityLayout, _ layouts: ModelLayouts) -> [EntityLayout] {
        root.familyNumbers.compactMap { layouts.byNumber[$0] }.flatMap { layout in
            layout.ownRelationships.compactMap { relationship in
                guard !relationship.isToMany, !relationship.isTransient,
                    relationship.destinationNumber < layouts.byNumber.count
                else { return nil }
                return layouts.byNumber[relationship.destinationNumber]?.root
            }
        }
    }

    /// Returns the roots with destinations first; cycles are broken at the entity with the lowest number.
    private static func ordered(_ roots: [EntityLayout], _ layouts: ModelLayouts) -> [EntityLayout] {
        var result: [EntityLayout] = []
        var known: Set<Int> = []
        let allowed = Set(roots.map(\.number))
        for root in roots where known.insert(root.number).inserted {
            // Depth first, without recursion: models may have long chains.
            var path = [(root, destinations(of: root, layouts)[...])]
            while let (current, following) = path.popLast() {
                var rest = following
                if let next = rest.popFirst() {
                    path.append((current, rest))
                    if allowed.contains(next.number), known.insert(next.number).inserted {
                        path.append((next, destinations(of: next, layouts)[...]))
                    }
                } else {
                    result.append(current)
                }
            }
        }
        return result
    }

    /// Returns true for the to-many relationships that are copied: those with positions, and one of the two sides of the
    /// others that rows do not hold.
    private static func isCopied(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, _ layouts: ModelLayouts
    ) -> Bool {
        guard relationship.isToMany, !relationship.isTransient, relationship.destinationNumber > 0,
            relationship.destinationNumber < layouts.byNumber.count
        else { return false }
        if relationship.isOrdered { return true }
        guard let inverse = relationship.inverse else { return true }
        guard inverse.isToMany, !inverse.isOrdered else { return false }
        var owner = layouts.byNumber[relationship.destinationNumber]
        while let current = owner, !current.ownRelationships.contains(where: { $0.name == inverse.name }) {
            owner = current.superlayout
        }
        guard let owner else { return true }
        return (layout.number, relationship.name) <= (owner.number, inverse.name)
    }
}
#endif
