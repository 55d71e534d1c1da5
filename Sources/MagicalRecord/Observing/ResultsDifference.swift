import CoreData

extension MagicalRecord {
    /// The position of a result: its section, and its place within the section.
    public struct ResultPosition: Hashable, Comparable, Sendable {
        /// The section, from 0.
        public var section: Int
        /// The place within the section, from 0.
        public var item: Int

        /// Creates a position.
        public init(section: Int, item: Int) { (self.section, self.item) = (section, item) }

        public static func < (a: Self, b: Self) -> Bool { (a.section, a.item) < (b.section, b.item) }
    }

    /// The difference between two lists of results.
    ///
    /// An old list becomes the new one when everything under ``deletions`` and the old places of ``moves`` are taken out,
    /// sections are taken out and put in, and the new places are filled in ascending order, as list views do on every platform.
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
            typealias Edit = CollectionDifference<NSManagedObjectID>.Change
            var edits = deletions.map {
                Edit.remove(offset: $0.index, element: $0.object.objectID, associatedWith: nil)
            }
            edits += insertions.map { .insert(offset: $0.index, element: $0.object.objectID, associatedWith: nil) }
            for move in moves {
                let id = move.object.objectID
                edits.append(.remove(offset: move.oldIndex, element: id, associatedWith: move.newIndex))
                edits.append(.insert(offset: move.newIndex, element: id, associatedWith: move.oldIndex))
            }
            // Positions are consistent by construction.
            return CollectionDifference(edits) ?? CollectionDifference([])!
        }

        init(from old: ResultState<Object>, to new: ResultState<Object>, updated: Set<Object>) {
            let (oldNames, newNames) = (Set(old.sections.map(\.name)), Set(new.sections.map(\.name)))
            deletedSections = old.sections.indices.filter { !newNames.contains(old.sections[$0].name) }
            insertedSections = new.sections.indices.filter { !oldNames.contains(new.sections[$0].name) }
            let comparison = ResultsComparison(old, new)
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
            let moved = Set(comparison.moved.map(\.new))
            updates = ResultsComparison.kept(updated, old, new).filter { !moved.contains($0.new) }.map(step)
        }
    }
}

/// A comparison of two lists of objects without repetitions. Costs an iteration over the objects between the first and the last
/// difference, and sorting these.
private struct ResultsComparison<Object: NSManagedObject> {
    private(set) var deleted: [Int] = []
    let inserted: [Int]
    let moved: [(old: Int, new: Int)]

    init(_ old: ResultState<Object>, _ new: ResultState<Object>) {
        func isInSameSection(_ a: Int, _ b: Int) -> Bool {
            old.names.isEmpty || new.names.isEmpty || old.names[a] == new.names[b]
        }
        func isSame(_ a: Int, _ b: Int) -> Bool { old.objects[a] === new.objects[b] && isInSameSection(a, b) }
        let (oldEnd, newEnd) = (old.objects.count, new.objects.count)
        // The numbers of objects that are the same at the beginning and at the end.
        let head = (0..<min(oldEnd, newEnd)).prefix { isSame($0, $0) }.count
        let tail = (head..<min(oldEnd, newEnd)).prefix { isSame(oldEnd - 1 - $0 + head, newEnd - 1 - $0 + head) }.count
        var places = Self.places(of: new.objects, at: head..<newEnd - tail)
        var pairs: [(old: Int, new: Int)] = []
        for index in head..<oldEnd - tail {
            if let place = places.removeValue(forKey: ObjectIdentifier(old.objects[index])) {
                pairs.append((index, place))
            } else {
                deleted.append(index)
            }
        }
        inserted = places.values.sorted()
        let inOrder = Self.longestIncreasing(pairs.map(\.new))
        moved = pairs.indices.filter { !inOrder.contains($0) || !isInSameSection(pairs[$0].old, pairs[$0].new) }
            .map { pairs[$0] }.sorted { $0.new < $1.new }
    }

    /// Returns the indexes of those objects that both lists have.
    static func kept(
        _ objects: Set<Object>, _ old: ResultState<Object>, _ new: ResultState<Object>
    ) -> [(old: Int, new: Int)] {
        if objects.isEmpty { return [] }
        let wanted = Set(objects.map { ObjectIdentifier($0) })
        let known = old.objects.indices.lazy.filter { wanted.contains(ObjectIdentifier(old.objects[$0])) }
        let before = places(of: old.objects, at: known)
        return new.objects.enumerated().compactMap { index, object in
            before[ObjectIdentifier(object)].map { ($0, index) }
        }
    }

    private static func places(of objects: [Object], at indexes: some Sequence<Int>) -> [ObjectIdentifier: Int] {
        indexes.reduce(into: [:]) { $0[ObjectIdentifier(objects[$1])] = $1 }
    }

    /// Returns the elements of a longest increasing subsequence.
    private static func longestIncreasing(_ values: [Int]) -> Set<Int> {
        var tails: [Int] = []
        var previous: [Int?] = []
        for (index, value) in values.enumerated() {
            let place = tails.indices.partitioningIndex { values[tails[$0]] >= value }
            previous.append(place > 0 ? tails[place - 1] : nil)
            if place == tails.count { tails.append(index) } else { tails[place] = index }
        }
        return tails.last.map { Set(sequence(first: $0) { previous[$0] }) } ?? []
    }
}
