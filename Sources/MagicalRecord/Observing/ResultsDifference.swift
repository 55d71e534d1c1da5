import CoreData

extension MagicalRecord {
    /// The position of a result: its section, and its place within the section.
    public struct ResultPosition: Hashable, Comparable, Sendable {
        /// The section, from 0.
        public var section: Int
        /// The place within the section, from 0.
        public var item: Int

        /// Creates a position.
        public init(section: Int, item: Int) {
            self.section = section
            self.item = item
        }

        public static func < (a: Self, b: Self) -> Bool { (a.section, a.item) < (b.section, b.item) }
    }
}

extension MagicalRecord {
    /// The difference between two lists of results.
    ///
    /// Positions before the change and after it are told apart: an old list becomes the new one when everything under
    /// ``deletions`` and the old places of ``moves`` are taken out, sections are taken out and put in, and the new places
    /// are filled in ascending order. That is what list views on every platform take.
    public struct ResultsDifference<Object: NSManagedObject> {
        /// An object that was inserted or deleted.
        public struct Change {
            /// The object.
            public let object: Object
            /// The position of the object: in the new list for insertions, in the old list for deletions.
            public let position: MagicalRecord.ResultPosition
            let index: Int
        }

        /// An object that is in both lists.
        public struct Step {
            /// The object.
            public let object: Object
            /// The position in the old list.
            public let old: MagicalRecord.ResultPosition
            /// The position in the new list.
            public let new: MagicalRecord.ResultPosition
            let oldIndex: Int
            let newIndex: Int
        }

        /// The sections of the old list that the new one lacks, in order.
        public let deletedSections: [Int]
        /// The sections of the new list that the old one lacks, in order.
        public let insertedSections: [Int]
        /// The objects of the old list that the new one lacks, with their old positions, in order.
        public let deletions: [Change]
        /// The objects of the new list that the old one lacks, with their new positions, in order.
        public let insertions: [Change]
        /// The objects at another place among the others, or in another section, by new position.
        public let moves: [Step]
        /// The objects at their place with changed values, by new position.
        public let updates: [Step]

        /// Whether both lists are the same and no value changed.
        public var isEmpty: Bool {
            deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty && deletedSections.isEmpty
                && insertedSections.isEmpty
        }

        /// The difference of the lists without sections, as the standard library represents it. It contains no updates.
        public var collectionDifference: CollectionDifference<NSManagedObjectID> {
            var steps: [CollectionDifference<NSManagedObjectID>.Change] = []
            for deletion in deletions {
                steps.append(.remove(offset: deletion.index, element: deletion.object.objectID, associatedWith: nil))
            }
            for insertion in insertions {
                steps.append(.insert(offset: insertion.index, element: insertion.object.objectID, associatedWith: nil))
            }
            for move in moves {
                let id = move.object.objectID
                steps.append(.remove(offset: move.oldIndex, element: id, associatedWith: move.newIndex))
                steps.append(.insert(offset: move.newIndex, element: id, associatedWith: move.oldIndex))
            }
            // Positions are consistent by construction.
            return CollectionDifference(steps) ?? CollectionDifference([])!
        }

        init(from old: ResultState<Object>, to new: ResultState<Object>, updated: Set<Object>) {
            let (oldNames, newNames) = (Set(old.sections.map(\.name)), Set(new.sections.map(\.name)))
            let gone = old.sections.indices.filter { !newNames.contains(old.sections[$0].name) }
            let fresh = new.sections.indices.filter { !oldNames.contains(new.sections[$0].name) }
            var comparison = ResultsComparison(old, new)
            comparison.run()
            deletedSections = gone
            insertedSections = fresh
            deletions = comparison.deleted.map {
                Change(object: old.objects[$0], position: old.position(at: $0), index: $0)
            }
            insertions = comparison.inserted.map {
                Change(object: new.objects[$0], position: new.position(at: $0), index: $0)
            }
            func step(_ pair: (old: Int, new: Int)) -> Step {
                Step(
                    object: new.objects[pair.new], old: old.position(at: pair.old), new: new.position(at: pair.new),
                    oldIndex: pair.old, newIndex: pair.new)
            }
            moves = comparison.moved.map(step)
            guard !updated.isEmpty else {
                updates = []
                return
            }
            let moved = Set(comparison.moved.map(\.new))
            updates = comparison.kept(among: updated).filter { !moved.contains($0.new) }.map(step)
        }
    }
}

/// A comparison of two lists of objects without repetitions. Costs an iteration over the objects between the first and the last
/// difference, and sorting these.
private struct ResultsComparison<Object: NSManagedObject> {
    private let old: ResultState<Object>
    private let new: ResultState<Object>
    /// The number of objects that are the same at the beginning and at the end.
    private let head: Int
    private let tail: Int
    private(set) var deleted: [Int] = []
    private(set) var inserted: [Int] = []
    private(set) var moved: [(old: Int, new: Int)] = []

    init(_ old: ResultState<Object>, _ new: ResultState<Object>) {
        self.old = old
        self.new = new
        let (a, b) = (old.objects, new.objects)
        let shorter = min(a.count, b.count)
        var head = 0
        while head < shorter, a[head] === b[head], Self.sameName(old, head, new, head) { head += 1 }
        var tail = 0
        while tail < shorter - head, a[a.count - 1 - tail] === b[b.count - 1 - tail],
            Self.sameName(old, a.count - 1 - tail, new, b.count - 1 - tail)
        {
            tail += 1
        }
        (self.head, self.tail) = (head, tail)
    }

    private static func sameName(
        _ old: ResultState<Object>, _ a: Int, _ new: ResultState<Object>, _ b: Int
    ) -> Bool {
        old.names.isEmpty || new.names.isEmpty || old.names[a] == new.names[b]
    }

    mutating func run() {
        var places: [ObjectIdentifier: Int] = [:]
        for index in head..<(new.objects.count - tail) { places[ObjectIdentifier(new.objects[index])] = index }
        var pairs: [(old: Int, new: Int)] = []
        for index in head..<(old.objects.count - tail) {
            if let place = places.removeValue(forKey: ObjectIdentifier(old.objects[index])) {
                pairs.append((index, place))
            } else {
                deleted.append(index)
            }
        }
        inserted = places.values.sorted()
        let inOrder = Self.longestIncreasing(pairs.map(\.new))
        for (number, pair) in pairs.enumerated()
        where !inOrder.contains(number) || !Self.sameName(old, pair.old, new, pair.new) {
            moved.append(pair)
        }
        moved.sort { $0.new < $1.new }
    }

    /// Returns the indexes of the objects that both lists have.
    func kept(among objects: Set<Object>) -> [(old: Int, new: Int)] {
        let wanted = Set(objects.map { ObjectIdentifier($0) })
        var before: [ObjectIdentifier: Int] = [:]
        for (index, object) in old.objects.enumerated() where wanted.contains(ObjectIdentifier(object)) {
            before[ObjectIdentifier(object)] = index
        }
        var result: [(old: Int, new: Int)] = []
        for (index, object) in new.objects.enumerated() {
            if let place = before[ObjectIdentifier(object)] { result.append((place, index)) }
        }
        return result
    }

    /// Returns the elements of a longest increasing subsequence.
    private static func longestIncreasing(_ values: [Int]) -> Set<Int> {
        var tails: [Int] = []
        var previous = Array(repeating: -1, count: values.count)
        for (index, value) in values.enumerated() {
            var (low, high) = (0, tails.count)
            while low < high {
                let middle = (low + high) / 2
                if values[tails[middle]] < value { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = tails[low - 1] }
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var result: Set<Int> = []
        var current = tails.last ?? -1
        while current >= 0 {
            result.insert(current)
            current = previous[current]
        }
        return result
    }
}
