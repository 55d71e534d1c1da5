// Key-value coding that Foundation has on Apple's platforms only.

extension NSManagedObject: KeyValueCoding {
    /// Follows a dotted path, through collections and their operators (`@count`, `@sum.price` …).
    public func value(forKeyPath keyPath: String) -> Any? {
        keyPath.split(separator: ".").reduce(self as Any?) { value, key in
            (value as? KeyValueCoding)?.value(forKey: String(key))
        }
    }

    /// Sets the last key of a dotted path on what the path before it leads to.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        guard let dot = keyPath.lastIndex(of: ".") else { return setValue(value, forKey: keyPath) }
        let owner = self.value(forKeyPath: String(keyPath[..<dot])) as? NSManagedObject
        owner?.setValue(value, forKey: String(keyPath[keyPath.index(after: dot)...]))
    }

    public subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }

    /// The values of several properties; `NSNull` for nil.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { $1 })
    }

    /// Sets several properties; `NSNull` means nil.
    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// A live view of a to-many relationship: changing it changes the relationship.
    public func mutableSetValue(forKey key: String) -> NSMutableSet {
        RelationshipSet(of: self, index: requireToMany(key))
    }

    /// A live view of an ordered to-many relationship: changing it changes the relationship.
    public func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        RelationshipOrderedSet(of: self, index: requireToMany(key))
    }

    private func requireToMany(_ key: String) -> Int {
        guard case .toMany(let index)? = layout.members[key] else {
            preconditionFailure("\"\(key)\" is no to-many relationship of \(entity.name ?? "?").")
        }
        return index
    }
}

/// Live view of an unordered to-many relationship.
private final class RelationshipSet: NSMutableSet {
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

    private var members: ContiguousArray<NSManagedObject> { owner.toManyMembers(at: index) }

    override var count: Int { members.count }
    override func member(_ object: Any) -> Any? { members.first { $0 === object as AnyObject } }
    override func contains(_ object: Any) -> Bool { member(object) != nil }
    override func objectEnumerator() -> NSEnumerator { NSArray(array: Array(members)).objectEnumerator() }
    override func add(_ object: Any) { owner.addToMany(object as! NSManagedObject, at: index) }
    override func remove(_ object: Any) { (object as? NSManagedObject).map { owner.removeFromMany($0, at: index) } }
    override func removeAllObjects() { owner.setToMany([], at: index) }
}

/// Live view of an ordered to-many relationship.
private final class RelationshipOrderedSet: NSMutableOrderedSet {
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
    override func index(of object: Any) -> Int { members.firstIndex { $0 === object as AnyObject } ?? NSNotFound }
    override func contains(_ object: Any) -> Bool { members.contains { $0 === object as AnyObject } }
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
