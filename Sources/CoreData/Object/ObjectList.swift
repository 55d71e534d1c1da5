/// An ordered list of distinct managed objects, with lookup by identity in constant time.
struct ObjectList {
    private(set) var objects: ContiguousArray<NSManagedObject> = []
    /// The position of each object, built when a linear search becomes slow.
    private var positions: [ObjectIdentifier: Int]?

    /// The searches since the positions were dropped. Rebuilding them costs as much as many searches.
    private var searches = 0

    private static let searchLimit = 16

    init() {}

    /// Creates a list.
    ///
    /// - Parameter objects: Must not contain an object twice.
    init(_ objects: ContiguousArray<NSManagedObject>) { self.objects = objects }

    var isEmpty: Bool { objects.isEmpty }
    var count: Int { objects.count }

    mutating func index(of object: NSManagedObject) -> Int? {
        if objects.count <= Self.searchLimit { return objects.firstIndex { $0 === object } }
        if positions == nil {
            searches += 1
            if searches <= 64 { return objects.firstIndex { $0 === object } }
            var map = [ObjectIdentifier: Int](minimumCapacity: objects.count)
            for (index, object) in objects.enumerated() { map[ObjectIdentifier(object)] = index }
            positions = map
        }
        return positions?[ObjectIdentifier(object)]
    }

    mutating func contains(_ object: NSManagedObject) -> Bool { index(of: object) != nil }

    /// Adds an object that is not in the list.
    mutating func append(_ object: NSManagedObject) {
        positions?[ObjectIdentifier(object)] = objects.count
        objects.append(object)
    }

    /// Inserts an object that is not in the list; later ones move up.
    mutating func insert(_ object: NSManagedObject, at position: Int) {
        guard position < objects.count else { return append(object) }
        objects.insert(object, at: position)
        forgetPositions()
    }

    /// Removes an object and keeps the order of the others. Returns false if it was not in the list.
    @discardableResult
    mutating func remove(_ object: NSManagedObject) -> Bool {
        guard let index = index(of: object) else { return false }
        if index == objects.count - 1 {
            objects.removeLast()
            positions?[ObjectIdentifier(object)] = nil
        } else {
            objects.remove(at: index)
            forgetPositions()
        }
        return true
    }

    /// Removes an object and moves the last one to its position, in constant time. Returns false if it was not in the list.
    @discardableResult
    mutating func removeUnordered(_ object: NSManagedObject) -> Bool {
        guard let index = index(of: object) else { return false }
        let last = objects.removeLast()
        if last !== object {
            objects[index] = last
            positions?[ObjectIdentifier(last)] = index
        }
        positions?[ObjectIdentifier(object)] = nil
        return true
    }

    mutating func removeAll() {
        objects = []
        forgetPositions()
    }

    private mutating func forgetPositions() {
        positions = nil
        searches = 0
    }
}
