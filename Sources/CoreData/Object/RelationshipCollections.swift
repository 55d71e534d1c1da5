// What mutableSetValue(forKey:) and mutableOrderedSetValue(forKey:) give: collections that change the relationship.

/// Live view of an unordered to-many relationship.
final class RelationshipSet: NSMutableSet {
    private let owner: NSManagedObject
    private let index: Int

    init(of owner: NSManagedObject, index: Int) {
        self.owner = owner
        self.index = index
        super.init(capacity: 0)
    }

    required init(capacity numItems: Int) {
        fatalError("A relationship's set is made by mutableSetValue(forKey:) only.")
    }
    required init?(coder: NSCoder) { nil }
    required override init(objects: UnsafePointer<AnyObject>!, count: Int) {
        fatalError("A relationship's set is made by mutableSetValue(forKey:) only.")
    }

    override var count: Int { owner.toManyMembers(at: index).count }
    override func member(_ object: Any) -> Any? { contains(object) ? object : nil }
    override func contains(_ object: Any) -> Bool {
        (object as? NSManagedObject).map { owner.toManyIndex(of: $0, at: index) != nil } ?? false
    }
    override func objectEnumerator() -> NSEnumerator {
        NSArray(array: Array(owner.toManyMembers(at: index))).objectEnumerator()
    }
    override func add(_ object: Any) { owner.addToMany(object as! NSManagedObject, at: index) }
    override func remove(_ object: Any) { (object as? NSManagedObject).map { owner.removeFromMany($0, at: index) } }
    override func removeAllObjects() { owner.setToMany([], at: index) }
}

/// Live view of an ordered to-many relationship.
final class RelationshipOrderedSet: NSMutableOrderedSet {
    private let owner: NSManagedObject
    private let relationship: Int

    init(of owner: NSManagedObject, index: Int) {
        self.owner = owner
        relationship = index
        super.init(capacity: 0)
    }

    required override init(capacity numItems: Int) {
        fatalError("A relationship's ordered set is made by mutableOrderedSetValue(forKey:) only.")
    }
    required init?(coder: NSCoder) { nil }
    required init(arrayLiteral elements: Any...) {
        fatalError("A relationship's ordered set is made by mutableOrderedSetValue(forKey:) only.")
    }

    private var members: ContiguousArray<NSManagedObject> { owner.toManyMembers(at: relationship) }

    override var count: Int { members.count }
    override func object(at index: Int) -> Any { members[index] }
    override func index(of object: Any) -> Int {
        (object as? NSManagedObject).flatMap { owner.toManyIndex(of: $0, at: relationship) } ?? NSNotFound
    }
    override func contains(_ object: Any) -> Bool { index(of: object) != NSNotFound }
    override func insert(_ object: Any, at index: Int) {
        owner.addToMany(object as! NSManagedObject, at: relationship, position: index)
    }
    override func add(_ object: Any) { owner.addToMany(object as! NSManagedObject, at: relationship) }
    override func removeObject(at index: Int) { owner.removeFromMany(members[index], at: relationship) }
    override func remove(_ object: Any) {
        (object as? NSManagedObject).map { owner.removeFromMany($0, at: relationship) }
    }
    override func removeAllObjects() { owner.setToMany([], at: relationship) }
    override func replaceObject(at index: Int, with object: Any) {
        var order = members
        order[index] = object as! NSManagedObject
        owner.setToMany(order, at: relationship)
    }
    override func setObject(_ object: Any, at index: Int) {
        index == count ? add(object) : replaceObject(at: index, with: object)
    }
    override func moveObjects(at indexes: IndexSet, to index: Int) {
        var order = members
        let moved = indexes.map { order[$0] }
        for position in indexes.reversed() { order.remove(at: position) }
        order.insert(contentsOf: moved, at: Swift.min(index, order.count))
        owner.setToMany(order, at: relationship)
    }
    override func exchangeObject(at first: Int, withObjectAt second: Int) {
        var order = members
        order.swapAt(first, second)
        owner.setToMany(order, at: relationship)
    }

    // Foundation's own versions of these off Apple work on storage that this class does not have.

    override func addObjects(from array: [Any]) { for object in array { add(object) } }
    override func insert(_ objects: [Any], at indexes: IndexSet) {
        for (object, index) in zip(objects, indexes) { insert(object, at: index) }
    }
    override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
        var order = members
        for (object, index) in zip(objects, indexes) { order[index] = object as! NSManagedObject }
        owner.setToMany(order, at: relationship)
    }
    override func removeObjects(at indexes: IndexSet) {
        let members = members
        for index in indexes { owner.removeFromMany(members[index], at: relationship) }
    }
    override func removeObjects(in range: NSRange) {
        removeObjects(at: IndexSet(integersIn: range.location..<range.location + range.length))
    }
    override func removeObjects(in array: [Any]) { for object in array { remove(object) } }
    override func union(_ other: NSOrderedSet) { addObjects(from: other.array) }
    override func minus(_ other: NSOrderedSet) { removeObjects(in: other.array) }
    override func intersect(_ other: NSOrderedSet) { keep { other.contains($0) } }
    override func unionSet(_ other: Set<AnyHashable>) { for object in other { add(object.base) } }
    override func minusSet(_ other: Set<AnyHashable>) { for object in other { remove(object.base) } }
    override func intersectSet(_ other: Set<AnyHashable>) { keep { other.contains($0) } }
    override func sort(comparator cmptr: (Any, Any) -> ComparisonResult) {
        owner.setToMany(
            ContiguousArray(members.sorted { cmptr($0, $1) == .orderedAscending }), at: relationship)
    }

    private func keep(_ isWanted: (NSManagedObject) -> Bool) {
        owner.setToMany(members.filter(isWanted), at: relationship)
    }
}
