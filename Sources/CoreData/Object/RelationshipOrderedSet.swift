import Foundation

/// The collection returned by `mutableOrderedSetValue(forKey:)`: a live view of an ordered to-many relationship.
///
/// Foundation reads `array`, `firstObject`, iteration and others directly from the superclass's storage, bypassing every
/// overridable member. So that storage mirrors the members: the relationship notifies its view of every change.
final class RelationshipOrderedSet: NSMutableOrderedSet {
    private let owner: NSManagedObject
    private let relationship: Int
    /// True while the superclass works on its storage, which overridden members must then return.
    private var isRepeating = false

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

    private var members: ContiguousArray<NSManagedObject> { owner.members(for: self, at: relationship) }

    override var count: Int { isRepeating ? super.count : members.count }
    override func object(at index: Int) -> Any { isRepeating ? super.object(at: index) : members[index] }
    override func index(of object: Any) -> Int {
        if isRepeating { return super.index(of: object) }
        return (object as? NSManagedObject).flatMap { owner.toManyIndex(of: $0, at: relationship) } ?? NSNotFound
    }
    override func contains(_ object: Any) -> Bool {
        isRepeating ? super.contains(object) : index(of: object) != NSNotFound
    }
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

    // Off Apple's platforms Foundation's implementations work on storage that this class does not have.

    override func add(_ objects: UnsafePointer<AnyObject>?, count: Int) {
        for object in UnsafeBufferPointer(start: objects, count: count) { add(object) }
    }
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
        sort(0..<count, by: cmptr)
    }
    override func sort(options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult) {
        sort(0..<count, by: cmptr)
    }
    override func sortRange(
        _ range: NSRange, options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult
    ) {
        sort(range.location..<range.location + range.length, by: cmptr)
    }
    override func sort(using sortDescriptors: [NSSortDescriptor]) {
        sort(0..<count) { left, right in
            sortDescriptors.lazy.map { $0.compare(left, to: right) }.first { $0 != .orderedSame } ?? .orderedSame
        }
    }

    private func sort(_ range: Range<Int>, by compare: (Any, Any) -> ComparisonResult) {
        var order = members
        order[range].sort { compare($0, $1) == .orderedAscending }
        owner.setToMany(order, at: relationship)
    }

    private func keep(_ isWanted: (NSManagedObject) -> Bool) {
        owner.setToMany(members.filter(isWanted), at: relationship)
    }

    // MARK: Mirroring the relationship

    /// Reads the relationship again.
    func update() { owner.loadMembers(for: self, at: relationship) }

    /// Marks the members as unknown, to be read again when the current operation has ended.
    func becomeStale() { owner.context?.staleViews.append(WeakView(view: self)) }

    func show(_ members: ContiguousArray<NSManagedObject>) {
        repeating {
            super.removeAllObjects()
            for member in members { super.add(member) }
        }
    }

    func showInsertion(of object: NSManagedObject, at position: Int?) {
        repeating { super.insert(object, at: Swift.min(position ?? super.count, super.count)) }
    }

    func showRemoval(of object: NSManagedObject, at position: Int?) {
        repeating {
            if let position, position < super.count, super.object(at: position) as AnyObject === object {
                super.removeObject(at: position)
            } else {
                super.remove(object)
            }
        }
    }

    private func repeating(_ body: () -> Void) {
        isRepeating = true
        body()
        isRepeating = false
    }
}

struct WeakView {
    weak var view: RelationshipOrderedSet?
}

// MARK: - The object's side

extension NSManagedObject {
    /// Returns the view of an ordered relationship: the one the program holds already, or a new one.
    final func orderedView(at index: Int) -> RelationshipOrderedSet {
        if realise(), let view = loadedToMany(at: index).view { return view }
        let view = RelationshipOrderedSet(of: self, index: index)
        context?.hasViews = true
        view.update()
        return view
    }

    /// Returns the members, and notifies the view of later changes.
    fileprivate final func members(for view: RelationshipOrderedSet, at index: Int) -> ContiguousArray<NSManagedObject>
    {
        guard realise() else { return [] }
        return loadMembers(for: view, at: index)
    }

    @discardableResult
    fileprivate final func loadMembers(
        for view: RelationshipOrderedSet, at index: Int
    ) -> ContiguousArray<NSManagedObject> {
        guard !_state.isOut else {
            view.show([])
            return []
        }
        let toMany = loadedToMany(at: index)
        if toMany.view !== view {
            toMany.view = view
            view.show(toMany.members)
        }
        return toMany.members
    }
}
