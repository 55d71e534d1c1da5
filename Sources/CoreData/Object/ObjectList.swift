/// Managed objects in order, each once, found by identity in constant time however many there are.
struct ObjectList {
    private(set) var objects: ContiguousArray<NSManagedObject> = []
    /// Where each object is, once there are enough of them to make a search slow.
    private var positions: [ObjectIdentifier: Int]?

    /// Searches since the positions were lost. Finding them anew costs as much as many searches.
    private var searches = 0

    private static let searchLimit = 16

    init() {}

    /// - Parameter objects: Must hold no object twice.
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

    /// Adds an object that is not in the list; everything from `position` on moves up.
    mutating func insert(_ object: NSManagedObject, at position: Int) {
        guard position < objects.count else { return append(object) }
        objects.insert(object, at: position)
        forgetPositions()
    }

    /// Takes an object out and keeps the order of the others. False if it was not there.
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

    /// Takes an object out; the last one takes its place, so that taking out many stays cheap. False if it was not there.
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
