import CoreDataRowStorage

/// The contents of one object's to-many relationship, as far as they are known.
///
/// While it is a fault only what changed is known; firing it asks the context for the rest. Members are held strongly, as
/// Apple's relationships hold theirs.
final class ToMany {
    let relationship: EntityLayout.Relationship
    private(set) var isFault: Bool
    /// The current members, nothing while a fault.
    private var list = ObjectList()
    /// The members as last fetched or saved, once they differ; nil while they do not, or while a fault.
    private(set) var committedMembers: ContiguousArray<NSManagedObject>?
    private var addedList = ObjectList()
    private var removedList = ObjectList()
    /// Whether members were put into an order of their own, beside joining and leaving.
    private(set) var orderChanged = false
    /// That order while the contents are a fault.
    private var wantedOrder: ContiguousArray<NSManagedObject>?
    private var eventAddedList = ObjectList()
    private var eventRemovedList = ObjectList()
    /// The members when the current event first changed them; nil if it did not, or if they were a fault then.
    private(set) var eventStartMembers: ContiguousArray<NSManagedObject>?
    /// The collection handed out last, for as long as nothing changes.
    var vended: NSObject?
    /// The same as a set of the declared class, see ``VendedSet``.
    var vendedSet: AnyObject?
    /// What ``NSManagedObject/mutableOrderedSetValue(forKey:)`` gave, as long as somebody holds it: it repeats the members.
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

    /// The current members; meaningless while a fault. In order if the relationship is ordered.
    var members: ContiguousArray<NSManagedObject> { list.objects }
    /// What joined and left since the last save; also known while a fault.
    var added: ContiguousArray<NSManagedObject> { addedList.objects }
    var removed: ContiguousArray<NSManagedObject> { removedList.objects }
    /// What joined and left in the current event.
    var eventAdded: ContiguousArray<NSManagedObject> { eventAddedList.objects }
    var eventRemoved: ContiguousArray<NSManagedObject> { eventRemovedList.objects }

    /// As much as is known of the order the members have here: all of it, or, while a fault, what was put in order or added.
    var knownOrder: ContiguousArray<NSManagedObject> { isFault ? wantedOrder ?? added : members }

    var hasChanges: Bool { !addedList.isEmpty || !removedList.isEmpty || orderChanged }
    var hasEventChanges: Bool { !eventAddedList.isEmpty || !eventRemovedList.isEmpty || eventStartMembers != nil }

    // MARK: Loading

    /// The fault is filled with what the store has; unsaved changes are laid over it.
    func fill(_ stored: ContiguousArray<NSManagedObject>) {
        guard isFault else { return }
        isFault = false
        list = ObjectList(stored)
        forgetVended()
        defer { showMembers() }
        guard hasChanges else { return }
        committedMembers = stored
        // Somebody else may have made the same changes. What left and came back stands at the end.
        let left = Set(removed.map(ObjectIdentifier.init))
        let returned = Set(
            added.filter { left.contains(ObjectIdentifier($0)) && list.contains($0) }.map(ObjectIdentifier.init))
        let gone = removed.filter { list.contains($0) }
        // What left and came back has not joined: where it is no member any more, somebody else took it out.
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

    /// The members before the current event, which met a fault, in their order.
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

    /// Members that stand where they would have come to stand by joining and leaving alone have no order of their own.
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

    /// Forgets the members but not the unsaved changes.
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

    /// Adds an object that is not a member yet, at the end or at a position. While a fault the addition is remembered.
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

    /// Takes an object out; false when it is known not to be a member.
    @discardableResult
    func remove(_ object: NSManagedObject) -> Bool {
        if !isFault, !list.contains(object) { return false }
        noteChange()
        let position = view == nil ? nil : list.index(of: object)
        defer { relationship.isOrdered || isFault ? view?.showRemoval(of: object, at: position) : showMembers() }
        if !isFault {
            // Without an order the last member may take the place, which keeps removing many cheap.
            if relationship.isOrdered { list.remove(object) } else { list.removeUnordered(object) }
        }
        let wasAdded = relationship.isOrdered ? addedList.remove(object) : addedList.removeUnordered(object)
        if !wasAdded, !(isFault && removedList.contains(object)) { removedList.append(object) }
        if !eventAddedList.removeUnordered(object), !(isFault && eventRemovedList.contains(object)) {
            eventRemovedList.append(object)
        }
        return true
    }

    /// An object was deleted elsewhere: it is no member any more, here or in the store.
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

    /// Puts the same members into another order.
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

    // MARK: Ends of events and saves

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

    /// The object is to be inserted anew: all known members count as having joined.
    func becomeNew() {
        if isFault { fill([]) }
        addedList = list
        removedList.removeAll()
        committedMembers = []
    }

    /// Puts back the members fetched or saved last.
    func rollBack() {
        if let committedMembers { list = ObjectList(committedMembers) }
        forgetVended()
        didSave()
        endEvent()
        if !isFault { showMembers() }
    }
}
