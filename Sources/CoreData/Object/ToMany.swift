/// The contents of one object's to-many relationship, as far as they are known.
///
/// While it is a fault only what changed is known; firing it asks the context for the rest. Members are held strongly, as
/// Apple's relationships hold theirs.
final class ToMany {
    let relationship: EntityLayout.Relationship
    private(set) var isFault: Bool
    /// The current members; meaningless while a fault. In order if the relationship is ordered.
    private(set) var members: ContiguousArray<NSManagedObject> = []
    /// The members as last fetched or saved, once they differ; nil while they do not, or while a fault.
    private(set) var committedMembers: ContiguousArray<NSManagedObject>?
    /// Changes since the last save, also known while a fault.
    private(set) var added: ContiguousArray<NSManagedObject> = []
    private(set) var removed: ContiguousArray<NSManagedObject> = []
    private(set) var orderChanged = false
    /// Changes in the current event, for undo.
    private(set) var eventAdded: ContiguousArray<NSManagedObject> = []
    private(set) var eventRemoved: ContiguousArray<NSManagedObject> = []
    private(set) var eventStartMembers: ContiguousArray<NSManagedObject>?
    /// Index in `members` of each member, once there are enough of them to make a search slow.
    private var positions: [ObjectIdentifier: Int]?
    /// The collection handed out last, for as long as nothing changes.
    var vended: NSObject?

    init(_ relationship: EntityLayout.Relationship, isFault: Bool) {
        self.relationship = relationship
        self.isFault = isFault
    }

    var hasChanges: Bool { !added.isEmpty || !removed.isEmpty || orderChanged }

    // MARK: Loading

    /// The fault is filled with what the store has; pending changes are laid over it.
    func fill(_ stored: ContiguousArray<NSManagedObject>) {
        guard isFault else { return }
        isFault = false
        members = stored
        positions = nil
        vended = nil
        guard !added.isEmpty || !removed.isEmpty else { return }
        committedMembers = stored
        if !removed.isEmpty {
            let gone = Set(removed.map(ObjectIdentifier.init))
            members.removeAll { gone.contains(ObjectIdentifier($0)) }
        }
        let present = Set(members.map(ObjectIdentifier.init))
        for object in added where !present.contains(ObjectIdentifier(object)) { members.append(object) }
    }

    /// Forgets the members but not the unsaved changes.
    func turnIntoFault() {
        isFault = true
        members = []
        committedMembers = nil
        positions = nil
        vended = nil
        orderChanged = false
        eventStartMembers = nil
    }

    // MARK: Membership

    func contains(_ object: NSManagedObject) -> Bool { index(of: object) != nil }

    func index(of object: NSManagedObject) -> Int? {
        if members.count <= 16 { return members.firstIndex { $0 === object } }
        if positions == nil {
            var map = [ObjectIdentifier: Int](minimumCapacity: members.count)
            for (index, member) in members.enumerated() { map[ObjectIdentifier(member)] = index }
            positions = map
        }
        return positions?[ObjectIdentifier(object)]
    }

    // MARK: Changing

    /// Adds an object that is not a member yet, at the end or at a position. While a fault the addition is remembered.
    func insert(_ object: NSManagedObject, at position: Int? = nil) {
        noteChange()
        if let index = removed.firstIndex(where: { $0 === object }) {
            removed.remove(at: index)
            if relationship.isOrdered { orderChanged = true }
        } else {
            added.append(object)
        }
        if let index = eventRemoved.firstIndex(where: { $0 === object }) {
            eventRemoved.remove(at: index)
        } else {
            eventAdded.append(object)
        }
        guard !isFault else { return }
        if let position, position < members.count {
            members.insert(object, at: position)
            positions = nil
        } else {
            positions?[ObjectIdentifier(object)] = members.count
            members.append(object)
        }
    }

    /// Takes an object out; false when it is known not to be a member.
    @discardableResult
    func remove(_ object: NSManagedObject) -> Bool {
        if isFault {
            noteChange()
        } else {
            guard let index = index(of: object) else { return false }
            noteChange()
            if relationship.isOrdered {
                members.remove(at: index)
                positions = nil
            } else {
                // Order does not matter: the last member takes the place, so that removing many stays cheap.
                members.swapAt(index, members.count - 1)
                members.removeLast()
                if positions != nil {
                    positions?[ObjectIdentifier(object)] = nil
                    if index < members.count { positions?[ObjectIdentifier(members[index])] = index }
                }
            }
        }
        if let index = added.firstIndex(where: { $0 === object }) {
            added.remove(at: index)
        } else if !(isFault && removed.contains { $0 === object }) {
            removed.append(object)
        }
        if let index = eventAdded.firstIndex(where: { $0 === object }) {
            eventAdded.remove(at: index)
        } else {
            eventRemoved.append(object)
        }
        return true
    }

    /// Puts the same members into another order.
    func reorder(_ order: ContiguousArray<NSManagedObject>) {
        noteChange()
        orderChanged = true
        members = order
        positions = nil
    }

    private func noteChange() {
        vended = nil
        guard !isFault else { return }
        if committedMembers == nil { committedMembers = members }
        if eventStartMembers == nil { eventStartMembers = members }
    }

    // MARK: Ends of events and saves

    func endEvent() {
        eventAdded = []
        eventRemoved = []
        eventStartMembers = nil
    }

    func didSave() {
        added = []
        removed = []
        orderChanged = false
        committedMembers = nil
    }

    func rollBack() {
        if let committedMembers { members = committedMembers }
        added = []
        removed = []
        orderChanged = false
        committedMembers = nil
        positions = nil
        vended = nil
        endEvent()
    }
}
