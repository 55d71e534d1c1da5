extension NSManagedObjectContext {
    /// Takes over what another context saved, from its did-save notification (with objects or with object IDs).
    ///
    /// Objects changed here keep their changes. Call on this context's queue.
    public final func mergeChanges(fromContextDidSave notification: Notification) {
        checkQueue()
        if let other = notification.object as? NSManagedObjectContext, other === self { return }
        merge(SavedObjectIDs(userInfo: notification.userInfo ?? [:]) { self.objectID(from: $0) })
    }

    /// Takes over changes made elsewhere, described by object IDs (or their URIs) under `NSInsertedObjectsKey` and its
    /// relatives, in several contexts. May be called from any thread.
    public class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        let data = UncheckedSendable(changeNotificationData)
        // Parents first: children read through them.
        for context in contexts.sorted(by: { $0.depth < $1.depth }) {
            context.performAndWait {
                context.merge(SavedObjectIDs(userInfo: data.value) { context.objectID(from: $0) })
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

    /// Takes over changes that are in the store (or the parent) already. Nothing becomes dirty by it.
    final func merge(_ changes: SavedObjectIDs) {
        // What is pending here is reported first, by itself.
        processPendingChanges()
        var refetched: [NSManagedObject] = []
        var refreshed: [NSManagedObject] = []
        for id in changes.inserted where isReachable(id) {
            if let object = registeredObject(for: id) {
                freshen(object, &refetched, &refreshed)
            } else {
                eventMergedInserts.append(object(with: id))
            }
        }
        for id in changes.updated + changes.refreshed where isReachable(id) {
            if let object = registeredObject(for: id) {
                freshen(object, &refetched, &refreshed)
            } else {
                refreshed.append(object(with: id))
            }
        }
        reread(refetched)
        for object in refetched { object.awake(fromSnapshotEvents: .refresh) }
        eventRefreshed += refetched
        eventRefreshed += refreshed
        for id in changes.deleted where isReachable(id) {
            guard let object = registeredObject(for: id), !object._state.contains(.inserted) else { continue }
            withdrawMergedDelete(of: object)
            object._state.subtract([.updated, .deleted, .listed, .inEvent])
            eventMergedDeletes.append(object)
        }
        compactChanged()
        event.removeAll { !$0._state.contains(.inEvent) }
        processPendingChanges()
        NotificationCenter.default.post(
            name: .NSManagedObjectContextDidMergeChangesObjectIDs, object: self,
            userInfo: [
                NSInsertedObjectIDsKey: Set(changes.inserted), NSUpdatedObjectIDsKey: Set(changes.updated),
                NSDeletedObjectIDsKey: Set(changes.deleted),
            ])
    }

    private final func isReachable(_ id: NSManagedObjectID) -> Bool {
        id.isTemporaryID ? parent != nil : store(of: id) != nil
    }

    private final func freshen(
        _ object: NSManagedObject, _ refetched: inout [NSManagedObject], _ refreshed: inout [NSManagedObject]
    ) {
        guard object._state.isDisjoint(with: [.deleted, .inserted]) else { return }
        if object._state.contains(.updated) {
            refetched.append(object)
        } else {
            object.turnIntoFault()
            object._state.remove(.inaccessible)
            refreshed.append(object)
        }
    }

    /// Other objects here may still hold the deleted one in a relationship that is loaded.
    private final func withdrawMergedDelete(of object: NSManagedObject) {
        guard let extra = object._extra, !extra.relationships.isEmpty else { return }
        for relationship in object.layout.relationships {
            guard let inverse = relationship.description.inverseRelationship else { continue }
            let others: ContiguousArray<NSManagedObject>
            switch extra.relationships[relationship.index] {
            case let toMany as ToMany where !toMany.isFault: others = toMany.members
            case let single as NSManagedObject: others = [single]
            default: continue
            }
            for other in others where !other._state.contains(.deleted) {
                other.dropMerged(object, throughRelationshipNamed: inverse.name)
            }
        }
    }
}

extension NSManagedObject {
    /// An object that another context deleted no longer is where this relationship leads. Not a change to be saved.
    fileprivate final func dropMerged(_ object: NSManagedObject, throughRelationshipNamed name: String) {
        guard let index = layout.relationshipIndex(named: name), let extra = _extra, index < extra.relationships.count
        else {
            return
        }
        switch extra.relationships[index] {
        case let toMany as ToMany where !toMany.hasChanges: toMany.turnIntoFault()
        case let toMany as ToMany: toMany.remove(object)
        case let single as NSManagedObject where single === object:
            if _state.contains(.updated) {
                storeToOne(nil, layout.relationships[index])
            } else {
                turnIntoFault()
            }
        default: break
        }
    }
}

extension SavedObjectIDs {
    /// From a notification's `userInfo`, whose values are sets or arrays of objects, IDs or URIs.
    init(userInfo: [AnyHashable: Any], id: (Any) -> NSManagedObjectID?) {
        func ids(_ keys: String...) -> [NSManagedObjectID] {
            keys.flatMap { key -> [NSManagedObjectID] in
                switch userInfo[key] {
                case let set as Set<NSManagedObject>: set.map(\.objectID)
                case let set as Set<NSManagedObjectID>: Array(set)
                case let set as NSSet: set.allObjects.compactMap(id)
                case let array as [Any]: array.compactMap(id)
                default: []
                }
            }
        }
        inserted = ids(NSInsertedObjectsKey, NSInsertedObjectIDsKey)
        updated = ids(NSUpdatedObjectsKey, NSUpdatedObjectIDsKey)
        deleted = ids(NSDeletedObjectsKey, NSDeletedObjectIDsKey)
        refreshed = ids(NSRefreshedObjectsKey, NSRefreshedObjectIDsKey)
    }
}
