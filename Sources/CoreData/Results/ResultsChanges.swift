import CoreDataRuntimeSupport
import Foundation

/// An object that was inserted into the results or changed within them.
struct ChangedResult {
    var object: NSManagedObject
    /// The object's previous position; nil for an object new to the results.
    var oldIndex: Int?
    var sectionName: String
}

/// The changes from one state of the results to the next.
struct ResultsChanges {
    /// An object that is in both states.
    struct Kept {
        var object: AnyObject
        var oldIndex: Int
        var newIndex: Int
    }

    let new: ResultsSnapshot
    /// The previous positions of deleted objects, ascending.
    let deleted: [Int]
    /// The new positions of inserted objects, ascending.
    private(set) var inserted: [Int] = []
    /// The changed objects at another position relative to the others.
    private(set) var moved: [Kept] = []
    /// The changed objects at the same relative position.
    private(set) var updated: [Kept] = []
    /// The previous indices of deleted sections, and the new indices of inserted ones.
    let deletedSections: [Int]
    let insertedSections: [Int]

    /// Computes the next state of the results.
    ///
    /// - Parameters:
    ///   - gone: The positions of objects that no longer belong to the results.
    ///   - changed: The objects that belong to the results and have changed, in any order.
    ///   - isFixed: Whether there is always one section.
    ///   - order: Returns whether one object precedes another; nil if the order is unspecified.
    init(
        old: ResultsSnapshot,
        gone: Set<Int>,
        changed: [ChangedResult],
        isFixed: Bool,
        order: (AnyObject, AnyObject) -> Bool?
    ) {
        deleted = gone.sorted()
        // If the order is unspecified, objects keep their positions, and new ones come last.
        let sorted = changed.sorted { one, other in
            order(one.object, other.object) ?? ((one.oldIndex ?? .max) < (other.oldIndex ?? .max))
        }
        let stable = StableResults(old, without: gone.union(changed.compactMap(\.oldIndex)))
        var objects: [AnyObject] = []
        objects.reserveCapacity(stable.count + sorted.count)
        var sections = SectionBuilder(hasFixedSection: isFixed)
        /// The new position of each changed object, and the number of unchanged objects before it, in order.
        var places: [(newIndex: Int, stableBefore: Int)] = []
        var position = 0
        for change in sorted {
            let target = Self.insertionPoint(of: change, among: stable, from: position, order: order)
            stable.append(position..<target, to: &objects, &sections)
            position = target
            places.append((objects.count, target))
            objects.append(change.object)
            sections.append(change.sectionName)
        }
        stable.append(position..<stable.count, to: &objects, &sections)
        new = ResultsSnapshot(objects, sections: sections)
        if sections.names == old.sectionNames {
            (deletedSections, insertedSections) = ([], [])
        } else {
            let steps = sections.names.difference(from: old.sectionNames)
            deletedSections = steps.removals.map(\.offset)
            insertedSections = steps.insertions.map(\.offset)
        }
        classify(sorted, places: places, stable: stable, old: old)
    }

    /// Returns the number of unchanged objects before the changed one, at least `start`, by binary search.
    private static func insertionPoint(
        of change: ChangedResult,
        among stable: StableResults,
        from start: Int,
        order: (AnyObject, AnyObject) -> Bool?
    ) -> Int {
        var (low, high) = (start, stable.count)
        while low < high {
            let middle = (low + high) / 2
            let index = stable.index(of: middle)
            let isBefore =
                order(stable.results.objects[index], change.object) ?? (index < (change.oldIndex ?? .max))
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Classifies the changes as insertions, moves and updates.
    ///
    /// Unchanged objects keep their positions by definition. A changed object has kept its position if it is between the same
    /// unchanged ones as before, in the same section, and in order with the others between them.
    private mutating func classify(
        _ sorted: [ChangedResult],
        places: [(newIndex: Int, stableBefore: Int)],
        stable: StableResults,
        old: ResultsSnapshot
    ) {
        let (deletedSections, insertedSections) = (Set(deletedSections), Set(insertedSections))
        var index = 0
        while index < sorted.count {
            let gap = places[index].stableBefore
            var end = index
            while end < sorted.count, places[end].stableBefore == gap { end += 1 }
            let lower = gap > 0 ? stable.index(of: gap - 1) : -1
            let upper = gap < stable.count ? stable.index(of: gap) : Int.max
            var candidates: [(oldIndex: Int, position: Int)] = []
            for position in index..<end {
                guard let oldIndex = sorted[position].oldIndex else {
                    inserted.append(places[position].newIndex)
                    continue
                }
                let oldSection = old.section(at: oldIndex)
                let sameSection =
                    old.sectionNames[oldSection] == sorted[position].sectionName
                    && !deletedSections.contains(oldSection)
                    && !insertedSections.contains(new.section(at: places[position].newIndex))
                if sameSection, oldIndex > lower, oldIndex < upper {
                    candidates.append((oldIndex, position))
                } else {
                    moved.append(kept(sorted[position], at: places[position].newIndex))
                }
            }
            let inOrder = Set(IncreasingSubsequence.positions(in: candidates.map(\.oldIndex)))
            for (offset, candidate) in candidates.enumerated() {
                let result = kept(sorted[candidate.position], at: places[candidate.position].newIndex)
                if inOrder.contains(offset) { updated.append(result) } else { moved.append(result) }
            }
            index = end
        }
    }

    private func kept(_ change: ChangedResult, at newIndex: Int) -> Kept {
        Kept(object: change.object, oldIndex: change.oldIndex ?? 0, newIndex: newIndex)
    }
}

extension CollectionDifference.Change {
    /// The position that the change concerns.
    fileprivate var offset: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
