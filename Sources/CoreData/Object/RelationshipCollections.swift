// The collections returned by `mutableSetValue(forKey:)`: changing them changes the relationship.

/// A live view of an unordered to-many relationship.
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

    // Foundation's implementation reads storage that this class does not fill.
    override func description(withLocale locale: Locale?) -> String {
        NSSet(array: Array(owner.toManyMembers(at: index))).description(withLocale: locale)
    }
}
