import CoreDataRowStorage

/// The contents of an object's to-many relationship, as far as they are loaded.
///
/// While it is a fault only the changes are known; firing it makes the context read the members. Members are retained, as in
/// Apple's framework.
final class ToMany {
    let relationship: EntityLayout.Relationship
    private(set) var isFault: Bool
    /// The current members; empty while a fault.
    private var list = ObjectList()
    /// The members as last fetched or saved, once they differ; nil while they do not, or while a fault.
    private(set) var committedMembers: ContiguousArray<NSManagedObject>?
    private var addedList = ObjectList()
    private var removedList = ObjectList()
    /// True if members were reordered, besides being added and removed.
    private(set) var orderChanged = false
    /// The new order while the contents are a fault.
    private var wantedOrder: ContiguousArray<NSManagedObject>?
    private var eventAddedList = ObjectList()
    private var eventRemovedList = ObjectList()
    /// The members when the current change-processing pass first changed them; nil if it did not, or if they were a fault then.
    private(set) var eventStartMembers: ContiguousArray<NSManagedObject>?
    /// The collection returned last, valid until a change.
    var vended: NSObject?
    /// The same as a set of the declared class, see ``VendedSet``.
    var vendedSet: AnyObject?
    /// The result of ``NSManagedObject/mutableOrderedSetValue(forKey:)``, as long as the program holds it: it mirrors the
    /// members.
    weak var view: RelationshipOrderedSet?

    private func showMembers() { view?.show(members) }

    private func forgetVended() {
        vended = nil
        vendedSet = nil
    }

    init(_ relationship: EntityLayout.Relationship, isFault: Bool) {
        self.relationship = relationship
        self.isFault = isFault
    }

    /// The current members, in order if the relationship is ordered. Invalid while a fault.
    var members: ContiguousArray<NSManagedObject> { list.objects }
    /// The members added and removed since the last save; valid while a fault too.
    var added: ContiguousArray<NSManagedObject> { addedList.objects }
    var removed: ContiguousArray<NSManagedObject> { removedList.objects }
    /// The members added and removed in the current change-processing pass.
    var eventAdded: ContiguousArray<NSManagedObject> { eventAddedList.objects }
    var eventRemoved: ContiguousArray<NSManagedObject> { eventRemovedList.objects }

    /// The known order of the members: all of it, or, while a fault, of the members reordered or added.
    var knownOrder: ContiguousArray<NSManagedObject> { isFault ? wantedOrder ?? added : members }

    var hasChanges: Bool { !addedList.isEmpty || !removedList.isEmpty || orderChanged }
    var hasEventChanges: Bool { !eventAddedList.isEmpty || !eventRemovedList.isEmpty || eventStartMembers != nil }

    // MARK: Loading

    /// Fills the fault with the stored members, and applies the unsaved changes to them.
    func fill(_ stored: ContiguousArray<NSManagedObject>) {
        guard isFault else { return }
        isFault = false
        list = ObjectList(stored)
        forgetVended()
        defer { showMembers() }
        guard hasChanges else { return }
        committedMembers = stored
        // Another context may have made the same changes. Members removed and added again are at the end.
        let left = Set(removed.map(ObjectIdentifier.init))
        let returned = Set(
            added.filter { left.contains(ObjectIdentifier($0)) && list.contains($0) }.map(ObjectIdentifier.init))
        let gone = removed.filter { list.contains($0) }
        // A member removed and added again is not an added one: if it is missing now, another context removed it.
        let new = added.filter { left.contains(ObjectIdentifier($0)) == list.contains($0) }
        if !gone.isEmpty {
            let gone = Set(gone.map(ObjectIdentifier.init))
            list = ObjectList(stored.filter { !gone.contains(ObjectIdentifier($0)) })
        }
        for object in new { list.append(object) }
        removedList = ObjectList(ContiguousArray(gone.filter { !returned.contains(ObjectIdentifier($0)) }))
        addedList = ObjectList(ContiguousArray(new.filter { !returned.contains(ObjectIdentifier($0)) }))
        if !returned.isEmpty { orderChanged = true }
        if relationship.isOrdered, hasEventChanges, eventStartMembers == nil { eventStartMembers = eventStart(stored) }
        if let wantedOrder { list = ObjectList(Self.order(list.objects, by: wantedOrder)) }
        wantedOrder = nil
        settleOrder()
    }

    /// Returns the members from before the current pass, which changed a fault, in their order.
    private func eventStart(_ stored: ContiguousArray<NSManagedObject>) -> ContiguousArray<NSManagedObject> {
        let joined = Set(eventAdded.map(ObjectIdentifier.init)), left = Set(eventRemoved.map(ObjectIdentifier.init))
        let goneBefore = Set(removed.map(ObjectIdentifier.init)).subtracting(left)
        let known = Set(stored.map(ObjectIdentifier.init))
        var start = stored
        start.removeAll { goneBefore.contains(ObjectIdentifier($0)) }
        start += added.filter { !joined.contains(ObjectIdentifier($0)) }
        start += eventRemoved.filter { !known.contains(ObjectIdentifier($0)) }
        return wantedOrder.map { Self.order(start, by: $0) } ?? start
    }

    /// Clears the reordering if members are in the positions that additions and removals alone would give them.
    private func settleOrder() {
        guard orderChanged, !isFault, let committedMembers else { return }
        let gone = Set(removed.map(ObjectIdentifier.init))
        let plain = committedMembers.filter { !gone.contains(ObjectIdentifier($0)) } + added
        if members.elementsEqual(plain, by: ===) { orderChanged = false }
    }

    private static func order(
        _ members: ContiguousArray<NSManagedObject>, by wanted: ContiguousArray<NSManagedObject>
    ) -> ContiguousArray<NSManagedObject> {
        let present = Set(members.map(ObjectIdentifier.init))
        let placed = wanted.filter { present.contains(ObjectIdentifier($0)) }
        let known = Set(placed.map(ObjectIdentifier.init))
        return placed + members.filter { !known.contains(ObjectIdentifier($0)) }
    }

    /// Releases the members but not the unsaved changes.
    func turnIntoFault() {
        guard !isFault else { return }
        settleOrder()
        if orderChanged { wantedOrder = members }
        isFault = true
        view?.becomeStale()
        list.removeAll()
        committedMembers = nil
        forgetVended()
        eventStartMembers = nil
    }

    // MARK: Membership

    func contains(_ object: NSManagedObject) -> Bool { list.contains(object) }

    func index(of object: NSManagedObject) -> Int? { list.index(of: object) }

    // MARK: Changing

    /// Adds an object that is not a member yet, at the end or at a position. A fault records the addition.
    func insert(_ object: NSManagedObject, at position: Int? = nil) {
        noteChange()
        defer { view?.showInsertion(of: object, at: position) }
        if isFault, relationship.isOrdered, removedList.contains(object) {
            if !addedList.contains(object) { addedList.append(object) }
        } else if removedList.removeUnordered(object) {
            if relationship.isOrdered { orderChanged = true }
        } else if !(isFault && addedList.contains(object)) {
            addedList.append(object)
        }
        if !eventRemovedList.removeUnordered(object), !(isFault && eventAddedList.contains(object)) {
            eventAddedList.append(object)
        }
        guard !isFault else { return }
        if let position, position < list.count {
            list.insert(object, at: position)
            orderChanged = true
        } else {
            list.append(object)
        }
    }

    /// Removes an object; returns false if it is known not to be a member.
    @discardableResult
    func remove(_ object: NSManagedObject) -> Bool {
        if !isFault, !list.contains(object) { return false }
        noteChange()
        let position = view == nil ? nil : list.index(of: object)
        defer { relationship.isOrdered || isFault ? view?.showRemoval(of: object, at: position) : showMembers() }
        if !isFault {
            // Without an order the last member takes the position, which makes removing many cheap.
            if relationship.isOrdered { list.remove(object) } else { list.removeUnordered(object) }
        }
        let wasAdded = relationship.isOrdered ? addedList.remove(object) : addedList.removeUnordered(object)
        if !wasAdded, !(isFault && removedList.contains(object)) { removedList.append(object) }
        if !eventAddedList.removeUnordered(object), !(isFault && eventRemovedList.contains(object)) {
            eventRemovedList.append(object)
        }
        return true
    }

    /// Removes an object that was deleted elsewhere, and is no longer a member here or in the store.
    func forget(_ object: NSManagedObject) {
        forgetVended()
        addedList.remove(object)
        removedList.removeUnordered(object)
        eventAddedList.removeUnordered(object)
        eventRemovedList.removeUnordered(object)
        committedMembers?.removeAll { $0 === object }
        eventStartMembers?.removeAll { $0 === object }
        wantedOrder?.removeAll { $0 === object }
        list.remove(object)
        settleOrder()
        view?.showRemoval(of: object, at: nil)
    }

    /// Reorders the members.
    func reorder(_ order: ContiguousArray<NSManagedObject>) {
        noteChange()
        orderChanged = true
        list = ObjectList(order)
        showMembers()
    }

    private func noteChange() {
        forgetVended()
        guard !isFault else { return }
        if committedMembers == nil { committedMembers = members }
        if eventStartMembers == nil { eventStartMembers = members }
    }

    // MARK: Ends of passes and saves

    func endEvent() {
        guard hasEventChanges else { return }
        settleOrder()
        eventAddedList.removeAll()
        eventRemovedList.removeAll()
        eventStartMembers = nil
    }

    func didSave() {
        guard hasChanges || committedMembers != nil else { return }
        addedList.removeAll()
        removedList.removeAll()
        orderChanged = false
        wantedOrder = nil
        committedMembers = nil
    }

    /// Makes all known members count as added, because the object is to be inserted again.
    func becomeNew() {
        if isFault { fill([]) }
        addedList = list
        removedList.removeAll()
        committedMembers = []
    }

    /// Restores the members last fetched or saved.
    func rollBack() {
        if let committedMembers { list = ObjectList(committedMembers) }
        forgetVended()
        didSave()
        endEvent()
        if !isFault { showMembers() }
    }
}
