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
}
