import CoreData

extension MagicalRecord {
    /// The results of a query at one moment, in order, and their difference from the list before.
    ///
    /// The list itself never changes; its objects show their present values. They and the list stay on their context's queue: on
    /// the main actor, or in the mapping of ``Query/observe(in:_:)``. What goes elsewhere is ``objectIDs``, or values.
    public struct ResultList<Object: NSManagedObject>: RandomAccessCollection {
        /// A section of the results.
        public struct Section: RandomAccessCollection {
            /// The value that its objects share, as text; empty without sections.
            public let name: String
            let objects: ArraySlice<Object>

            public var startIndex: Int { 0 }
            public var endIndex: Int { objects.count }
            /// Accesses the object at an index of the section.
            public subscript(index: Int) -> Object { objects[objects.startIndex + index] }
        }

        let state: ResultState<Object>
        let previous: ResultState<Object>
        let updated: Set<Object>

        public var startIndex: Int { 0 }
        public var endIndex: Int { state.objects.count }
        /// Accesses the object at an index of the list.
        public subscript(index: Int) -> Object { state.objects[index] }

        /// The results as an array. Costs nothing.
        public var objects: [Object] { state.objects }

        /// The results' IDs, for use on other threads.
        public var objectIDs: [NSManagedObjectID] { state.objects.map { $0.objectID } }

        /// The results by section, without empty ones; a single section if none were asked for.
        public var sections: [Section] {
            state.sections.indices.map {
                Section(name: state.sections[$0].name, objects: state.objects[state.range(ofSection: $0)])
            }
        }

        /// The difference from the list before. Costs an iteration over the objects between the first and the last change.
        public var difference: MagicalRecord.ResultsDifference<Object> {
            MagicalRecord.ResultsDifference(from: previous, to: state, updated: updated)
        }
    }
}

/// One state of results: objects in order, cut into sections.
struct ResultState<Object: NSManagedObject> {
    struct Section: Equatable {
        var name: String
        var start: Int
    }

    private(set) var objects: [Object] = []
    private(set) var sections: [Section] = []
    /// The section name of each object; empty where there are no sections.
    private(set) var names: [String] = []

    /// Creates an empty state.
    init() {}

    /// - Parameter names: The section name of each object; nil for a single section.
    init(_ objects: [Object], names: [String]?) {
        self.objects = objects
        self.names = names ?? []
        if names == nil { sections = [Section(name: "", start: 0)] }
        for (index, name) in self.names.enumerated() where sections.last?.name != name {
            sections.append(Section(name: name, start: index))
        }
    }

    func isSame(as other: ResultState) -> Bool {
        objects.count == other.objects.count && sections == other.sections
            && zip(objects, other.objects).allSatisfy { $0 === $1 }
    }

    func range(ofSection index: Int) -> Range<Int> {
        sections[index].start..<(index + 1 < sections.count ? sections[index + 1].start : objects.count)
    }

    /// Returns the position of the object at an index, by section.
    func position(at index: Int) -> MagicalRecord.ResultPosition {
        let section = sections.indices.partitioningIndex { sections[$0].start > index } - 1
        return MagicalRecord.ResultPosition(section: section, item: index - sections[section].start)
    }
}

extension Range<Int> {
    /// Returns the first index with a property that all indexes behind it have too, by binary search; the upper bound if none
    /// has it.
    func partitioningIndex(where hasProperty: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if hasProperty(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
