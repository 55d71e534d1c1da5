extension NSManagedObjectContext {
    /// Applies delete rules, registers undo, and posts what changed since the last time. Called by itself at the end of
    /// ``perform(_:)`` blocks, on the main queue's next turn, and before fetches and saves.
    public final func processPendingChanges() {
        checkQueue()
        guard !isProcessing else { return }
        guard !event.isEmpty || !eventRefreshed.isEmpty || !eventMergedInserts.isEmpty || !eventMergedDeletes.isEmpty
        else {
            return
        }
        isProcessing = true
        if propagatesDeletesAtEndOfEvent { propagateDeletes() }
        finishEvent()
        isProcessing = false
    }

    private final func finishEvent() {
        let objects = event
        let vanished = objects.filter { $0._state.contains([.inserted, .deleted]) }
        if let undoManager { undoRecorder.record(objects, in: undoManager) }
        let notice = ChangeNotice(
            event: objects, refreshed: eventRefreshed, mergedInserts: eventMergedInserts,
            mergedDeletes: eventMergedDeletes)
        let merged = eventMergedDeletes
        event.removeAll(keepingCapacity: objects.count < 4096)
        eventRefreshed = []
        eventMergedInserts = []
        eventMergedDeletes = []
        for object in objects { object.endEvent() }
        notice.post(from: self)
        for object in vanished { forgetInserted(object) }
        for object in merged { object.die() }
        if changed.count > 64, !vanished.isEmpty { compactChanged() }
    }

    /// A new object that was deleted again before it was saved.
    private final func forgetInserted(_ object: NSManagedObject) {
        // Undo may still bring it back.
        object._state.subtract([.inserted, .deleted, .listed, .propagated])
        object.leave()
    }

    /// Applies the delete rules of every newly deleted object, and of those deleted by that.
    final func propagateDeletes() {
        var index = 0
        while index < event.count {
            let object = event[index]
            index += 1
            if object._state.contains(.deleted), !object._state.contains(.propagated) {
                object._state.insert(.propagated)
                propagateDelete(of: object)
            }
        }
    }

    private final func propagateDelete(of object: NSManagedObject) {
        guard object.realise() else { return }
        for relationship in object.layout.relationships {
            switch relationship.deleteRule {
            case .noActionDeleteRule, .denyDeleteRule: continue
            case .cascadeDeleteRule:
                for destination in object.destinations(of: relationship) { delete(destination) }
            case .nullifyDeleteRule:
                object.withdraw(from: relationship)
            }
        }
    }
}

extension NSManagedObject {
    /// What a relationship leads to at the moment.
    final func destinations(of relationship: EntityLayout.Relationship) -> ContiguousArray<NSManagedObject> {
        if relationship.isToMany { return toManyMembers(at: relationship.index) }
        return toOne(at: relationship.index).map { [$0] } ?? []
    }

    /// Takes this object, which is being deleted, out of the inverse of a relationship. Its own side stays readable.
    final func withdraw(from relationship: EntityLayout.Relationship) {
        guard let inverse = relationship.description.inverseRelationship else { return }
        for destination in destinations(of: relationship) where !destination._state.contains(.deleted) {
            destination.forget(self, throughRelationshipNamed: inverse.name)
        }
    }

    /// One-sided: a relationship of this object no longer leads to `object`.
    private final func forget(_ object: NSManagedObject, throughRelationshipNamed name: String) {
        guard let index = layout.relationshipIndex(named: name), realise() else { return }
        let relationship = layout.relationships[index]
        beginChange()
        if relationship.isToMany {
            let toMany = toMany(at: index)
            toMany.remove(object)
        } else if toOne(at: index) === object {
            storeToOne(nil, relationship)
        }
    }

    /// Leaves the context but keeps values, so that an undo can bring the object back.
    final func leave() {
        guard let table = _table else { return }
        table.uniquing.remove(self, key: _key)
        _state.remove(.registered)
        _state.insert(.dead)
    }
}

/// The contents of one objects-did-change notification.
struct ChangeNotice {
    var inserted: Set<NSManagedObject> = []
    var updated: Set<NSManagedObject> = []
    var deleted: Set<NSManagedObject> = []
    var refreshed: Set<NSManagedObject> = []

    init(
        event: ContiguousArray<NSManagedObject>, refreshed: ContiguousArray<NSManagedObject>,
        mergedInserts: ContiguousArray<NSManagedObject>, mergedDeletes: ContiguousArray<NSManagedObject>
    ) {
        inserted.reserveCapacity(event.count)
        for object in event {
            let state = object._state
            if state.contains(.deleted) {
                if !state.contains(.inserted) { deleted.insert(object) }
            } else if state.contains(.inserted) {
                // Only the first time: later events of a new object are updates to whoever watches.
                if object._extra?.eventStart == nil { inserted.insert(object) } else { updated.insert(object) }
            } else {
                updated.insert(object)
            }
        }
        inserted.formUnion(mergedInserts)
        deleted.formUnion(mergedDeletes)
        self.refreshed = Set(refreshed)
    }

    func post(from context: NSManagedObjectContext) {
        var userInfo: [AnyHashable: Any] = [:]
        if !inserted.isEmpty { userInfo[NSInsertedObjectsKey] = inserted }
        if !updated.isEmpty { userInfo[NSUpdatedObjectsKey] = updated }
        if !deleted.isEmpty { userInfo[NSDeletedObjectsKey] = deleted }
        if !refreshed.isEmpty { userInfo[NSRefreshedObjectsKey] = refreshed }
        guard !userInfo.isEmpty else { return }
        NotificationCenter.default.post(
            name: .NSManagedObjectContextObjectsDidChange, object: context, userInfo: userInfo)
    }
}
