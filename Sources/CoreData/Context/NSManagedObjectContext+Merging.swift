import CoreDataRowStorage

extension NSManagedObjectContext {
    final func mergeSave(_ notification: Notification) {
        checkQueue()
        if let other = notification.object as? NSManagedObjectContext, other === self { return }
        merge(SavedObjectIDs(userInfo: notification.userInfo ?? [:]) { self.objectID(from: $0) })
    }

    /// Merges changes described by object IDs into contexts and their ancestors.
    static func mergeRemote(_ data: [AnyHashable: Any], into contexts: [NSManagedObjectContext]) {
        var all: [NSManagedObjectContext] = []
        for context in contexts {
            for ancestor in sequence(first: context, next: \.parent) where !all.contains(where: { $0 === ancestor }) {
                all.append(ancestor)
            }
        }
        // Parents first, because children read through them.
        for context in all.sorted(by: { $0.depth < $1.depth }) {
            context.executor.sync(context) {
                context.merge(SavedObjectIDs(userInfo: data) { context.objectID(from: $0) })
            }
        }
    }

    private final var depth: Int { parent.map { $0.depth + 1 } ?? 0 }

    private final func objectID(from value: Any) -> NSManagedObjectID? {
        switch value {
        case let objectID as NSManagedObjectID: objectID
        case let object as NSManagedObject: object.objectID
        case let url as URL: persistentStoreCoordinator?.managedObjectID(forURIRepresentation: url)
        default: nil
        }
    }

    /// Merges changes that are already in the store (or the parent).
    final func merge(_ changes: SavedObjectIDs) {
        guard Probe.isOn else { return takeIn(changes) }
        Probe.measure(.merge, label) { record in
            record.changes = EventChanges(
                inserted: changes.inserted.count, updated: changes.updated.count + changes.refreshed.count,
                deleted: changes.deleted.count)
            record.objectCount = record.changes.total
            takeIn(changes)
        }
    }

    private final func takeIn(_ changes: SavedObjectIDs) {
        applyParentChanges()
        // Pending changes of this context are reported first, separately. Doing so may load inserted objects, which still count
        // as new.
        let new = Set(changes.inserted.filter { isReachable($0) && knownObject(for: $0) == nil })
        processPendingChanges()
        advanceGeneration()
        var dirty: [NSManagedObject] = []
        // Retained from here on: the merge may release the last other references.
        let deleted = changes.deleted.filter(isReachable).compactMap(knownObject).filter {
            !$0._state.isInserted
        }
        for id in changes.inserted where isReachable(id) {
            if let object = knownObject(for: id), object.hasUnsavedChanges || !new.contains(id) {
                freshen(object, &dirty)
            } else if let object = reachableObject(with: id) {
                arrivals.note(inserted: object)
            }
        }
        for id in changes.updated + changes.refreshed where isReachable(id) {
            if let object = knownObject(for: id) {
                freshen(object, &dirty)
            } else if let object = reachableObject(with: id) {
                arrivals.note(refreshed: object)
            }
        }
        for object in deleted {
            object.move(to: .erased)
            arrivals.note(deleted: object)
        }
        for object in deleted { withdrawMergedDelete(of: object) }
        reread(dirty)
        for object in dirty {
            if object.hasUnsavedUpdate { object.awake(fromSnapshotEvents: .refresh) }
            // The object may have other destinations than before: its delete rules apply to those too.
            guard object._state.isDeleted else { continue }
            object._state.remove(.propagated)
            self.changes.note(deletionOf: object)
        }
        compactChanged()
        processPendingChanges()
        // Before observers are notified, as in a save.
        for child in children.all where child.automaticallyMergesChangesFromParent {
            child.executor.async(child) { child.merge(changes) }
        }
        var identifiers = NoticeSets<NSManagedObjectID>()
        identifiers.inserted = Set(changes.inserted)
        identifiers.updated = Set(changes.updated)
        identifiers.deleted = Set(changes.deleted)
        identifiers.refreshed = identifiers.updated.union(changes.refreshed)
        post(.NSManagedObjectContextDidMergeChangesObjectIDs, NoticeForm.mergedIdentifiers, identifiers)
    }

    private final func isReachable(_ id: NSManagedObjectID) -> Bool {
        id.isTemporaryID ? parent != nil : store(of: id) != nil
    }

    /// Turns a clean object into a fault; a changed one is added to `dirty`, to be read immediately. Both are reported as
    /// refreshed.
    private final func freshen(_ object: NSManagedObject, _ dirty: inout [NSManagedObject]) {
        guard !object._state.isInserted else { return }
        if !object._state.isUpdated && !object._state.isDeleted {
            object.turnIntoFault()
        } else {
            dirty.append(object)
        }
        if !object._state.isDeleted { arrivals.note(refreshed: object) }
    }

    /// Removes a deleted object from the loaded relationships of other objects.
    private final func withdrawMergedDelete(of object: NSManagedObject) {
        guard let extra = object._extra, !extra.relationships.isEmpty else { return }
        for relationship in object.layout.relationships {
            guard let inverse = relationship.description.inverseRelationship else { continue }
            let others: ContiguousArray<NSManagedObject>
            switch extra.relationships[relationship.index] {
            case let toMany as ToMany: others = toMany.isFault ? toMany.added : toMany.members
            case let single as NSManagedObject: others = [single]
            default: continue
            }
            for other in others { other.dropMerged(object, throughRelationshipNamed: inverse.name) }
        }
    }
}

extension NSManagedObject {
    /// Removes an object that another context deleted from a relationship. Not a change to be saved, unless an unsaved change
    /// had added the object.
    fileprivate final func dropMerged(_ object: NSManagedObject, throughRelationshipNamed name: String) {
        guard !_state.isErased, let index = layout.relationshipIndex(named: name), let extra = _extra,
            index < extra.relationships.count
        else { return }
        switch extra.relationships[index] {
        case let toMany as ToMany: toMany.forget(object)
        case let single as NSManagedObject where single === object:
            let cell = layout.relationships[index].cell
            if isCellChanged(cell), differsFromCommitted(cell) {
                beginChange()
                storeToOne(nil, layout.relationships[index])
            } else if !_state.isChanged {
                turnIntoFault()
            } else {
                extra.relationships[index] = nil
            }
        default: break
        }
    }
}

extension SavedObjectIDs {
    /// Creates the lists from a notification's `userInfo`. Its values are sets or arrays of objects, IDs or URIs.
    init(userInfo: [AnyHashable: Any], id: (Any) -> NSManagedObjectID?) {
        func ids(_ value: Any) -> [NSManagedObjectID] {
            switch value {
            case let set as Set<NSManagedObjectID>: Array(set)
            case let set as Set<NSManagedObject>: set.map(\.identifier)
            case let set as Set<AnyHashable>: set.compactMap { id($0.base) }
            case let set as NSSet: set.allObjects.compactMap(id)
            case let array as [Any]: array.compactMap(id)
            default: []
            }
        }
        // There are few entries, often one: looking up all keys would cost more than reading the objects of a small save.
        for (key, value) in userInfo {
            switch key.base as? String {
            case NSInsertedObjectsKey, NSInsertedObjectIDsKey: inserted += ids(value)
            case NSUpdatedObjectsKey, NSUpdatedObjectIDsKey: updated += ids(value)
            case NSDeletedObjectsKey, NSDeletedObjectIDsKey: deleted += ids(value)
            case NSRefreshedObjectsKey, NSRefreshedObjectIDsKey: refreshed += ids(value)
            default: break
            }
        }
    }
}
