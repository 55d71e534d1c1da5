/// What a store reported as conflicts, in terms of this context's objects.
struct ConflictReport {
    private let context: NSManagedObjectContext
    private let conflicts: StoreConflicts
    private var list: [Any] = []

    init(_ context: NSManagedObjectContext, _ conflicts: StoreConflicts) {
        self.context = context
        self.conflicts = conflicts
        list = conflicts.changed.compactMap(mergeConflict) + conflicts.duplicates.compactMap(constraintConflict)
    }

    /// Lets the merge policy change the objects so that the save can be tried again. Throws what the policy throws.
    func resolve(by policy: NSMergePolicy) throws {
        try policy.resolve(mergeConflicts: list)
        for change in conflicts.changed { adjust(change) }
    }

    var unresolvedError: NSError {
        CoreDataError.make(
            conflicts.changed.isEmpty ? NSManagedObjectConstraintMergeError : NSManagedObjectMergeError,
            description: "Could not merge changes.", reason: "The merge policy did not resolve the conflicts.",
            userInfo: [NSPersistentStoreSaveConflictsErrorKey: list])
    }

    private func object(_ layout: EntityLayout, _ key: Int64) -> NSManagedObject? {
        context.changedObjects.first { $0._key == key && $0.layout.root === layout.root }
            ?? context.locked.first { $0._key == key && $0.layout.root === layout.root }
    }

    private func mergeConflict(_ change: StoreConflicts.Changed) -> NSMergeConflict? {
        guard let object = object(change.layout, change.key) else { return nil }
        let committed = object.committedSnapshot.map { object.conflictSnapshot($0) }
        let current = change.current.map {
            object.conflictSnapshot(ObjectExtra.Snapshot(row: $0.row, slab: $0.slab))
        }
        let version = change.current.map { Int(EntityLayout.version($0.row)) } ?? 0
        return NSMergeConflict(
            source: object, newVersion: version, oldVersion: Int(change.knownVersion), cachedSnapshot: committed,
            persistedSnapshot: current)
    }

    private func constraintConflict(_ duplicate: StoreConflicts.Duplicate) -> NSConstraintConflict? {
        guard let object = object(duplicate.layout, duplicate.key), let table = object._table else { return nil }
        let existing =
            duplicate.existing.isTemporary
            ? context.unsavedObject(duplicate.existing.key)
            : context.persistentStoreCoordinator?.stores(holding: duplicate.layout).first.map {
                context.table(of: context.layouts.byNumber[duplicate.existing.entityNumber] ?? table.layout, in: $0)
                    .object(for: duplicate.existing.key)
            }
        let snapshot = object.currentSnapshot.map { object.conflictSnapshot($0) } ?? [:]
        let database = duplicate.existing.isTemporary ? nil : existing
        let databaseSnapshot = database.flatMap { object in
            object.realise() ? object.committedSnapshot.map { object.conflictSnapshot($0) } : nil
        }
        let conflicting = duplicate.existing.isTemporary ? [existing, object].compactMap { $0 } : [object]
        return NSConstraintConflict(
            constraint: duplicate.constraint, database: database, databaseSnapshot: databaseSnapshot,
            conflicting: conflicting, conflictingSnapshots: conflicting.count == 1 ? [snapshot] : [[:], snapshot])
    }

    /// The policy has decided: from now on the object's changes are based on the store's present row.
    private func adjust(_ change: StoreConflicts.Changed) {
        guard let object = object(change.layout, change.key) else { return }
        context.locked.remove(object)
        if let current = change.current {
            object.rebase(on: ObjectExtra.Snapshot(row: current.row, slab: current.slab))
        } else if object._state.contains(.deleted) {
            // Deleted on both sides: nothing is left to do.
            object._state.subtract([.deleted, .listed])
            object.die()
        } else {
            context.resurrectOrDrop(object)
        }
    }
}

extension NSManagedObjectContext {
    /// An object changed here and deleted elsewhere: a policy that lets the object win inserts it anew, the others let it go.
    fileprivate final func resurrectOrDrop(_ object: NSManagedObject) {
        let rule = (mergePolicy as? NSMergePolicy)?.mergeType
        switch rule {
        case .overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType:
            object._state.insert(.inserted)
            object._state.remove(.updated)
            object.extra.committed = nil
            list(object)
        default:
            eventMergedDeletes.append(object)
            object._state.subtract([.updated, .listed, .inEvent])
        }
    }
}
