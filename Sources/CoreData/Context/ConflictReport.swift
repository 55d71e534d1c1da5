import CoreDataRowStorage

/// The conflicts reported by a store, in terms of a context's objects.
struct ConflictReport {
    private let context: NSManagedObjectContext
    private let conflicts: StoreConflicts
    private var list: [Any] = []

    init(_ context: NSManagedObjectContext, _ conflicts: StoreConflicts) {
        self.context = context
        self.conflicts = conflicts
        list = conflicts.changed.compactMap(mergeConflict) + conflicts.duplicates.compactMap(constraintConflict)
    }

    /// Runs the merge policy, which changes the objects so that the save can be retried.
    ///
    /// - Throws: The error thrown by the policy.
    func resolve(by policy: NSMergePolicy) throws {
        for case let conflict as NSMergeConflict in list {
            let object = conflict.sourceObject
            context.saves.note(object.changedValues().keys, inConflictFor: object)
        }
        try policy.resolve(mergeConflicts: list)
        for change in conflicts.changed { settle(change, by: policy) }
    }

    var unresolvedError: NSError {
        let changed = list.compactMap { $0 as? NSMergeConflict }
        let duplicates = list.compactMap { $0 as? NSConstraintConflict }
        let text = changed.isEmpty ? ConflictSummary.text(duplicates) : ConflictSummary.text(changed)
        return CoreDataError.make(
            conflicts.changed.isEmpty ? NSManagedObjectConstraintMergeError : NSManagedObjectMergeError,
            description: "\(text) The merge policy did not resolve the conflicts.",
            reason: "The merge policy did not resolve the conflicts.",
            userInfo: [NSPersistentStoreSaveConflictsErrorKey: list])
    }

    /// Returns the object of a row of this save. It is registered, because the context retains changed objects.
    private func object(_ layout: EntityLayout, _ key: Int64) -> NSManagedObject? {
        if key < 0 { return context.knownUnsavedObject(key) }
        for tables in context.registry.tables {
            if let object = tables[layout.number]?.uniquing.object(for: key) { return object }
        }
        return nil
    }

    private func mergeConflict(_ change: StoreConflicts.Changed) -> NSMergeConflict? {
        guard let object = object(change.layout, change.key) else { return nil }
        let committed = object.committedSnapshot.map { ConflictSnapshot($0, of: object) }
        let row = change.current.map { RowSnapshot(row: $0.row, slab: $0.slab) }
        let current = row.map { ConflictSnapshot($0, of: object) }
        let version = change.current.map { Int(EntityLayout.version($0.row)) } ?? 0
        let conflict = NSMergeConflict(
            object, version, Int(change.knownVersion), committed ?? ConflictSnapshot(nil),
            current ?? ConflictSnapshot(nil))
        conflict.newRow = row
        return conflict
    }

    private func constraintConflict(_ duplicate: StoreConflicts.Duplicate) -> NSConstraintConflict? {
        guard let object = object(duplicate.layout, duplicate.key) else { return nil }
        let other = rival(of: object, duplicate)
        let snapshot = object.committedSnapshot.map { object.conflictSnapshot($0) } ?? [:]
        if duplicate.existing.isTemporary || other?.hasUnsavedChanges == true {
            // Both objects are part of this save.
            let objects = [other, object].compactMap { $0 }
            return NSConstraintConflict(
                constraint: duplicate.constraint, database: nil, databaseSnapshot: nil, conflicting: objects,
                conflictingSnapshots: objects.map { object in
                    object.committedSnapshot.map { object.conflictSnapshot($0) } ?? [:]
                })
        }
        // The object may be older than its row, which another process may have replaced.
        let row = other.flatMap { other in context.presentRow(of: other).map { other.conflictSnapshot($0) } }
        return NSConstraintConflict(
            constraint: duplicate.constraint, database: other, databaseSnapshot: row, conflicting: [object],
            conflictingSnapshots: [snapshot])
    }

    /// Returns the object that already has the values.
    private func rival(of object: NSManagedObject, _ duplicate: StoreConflicts.Duplicate) -> NSManagedObject? {
        if duplicate.existing.isTemporary { return context.knownUnsavedObject(duplicate.existing.key) }
        let coordinator = context.persistentStoreCoordinator
        let store = object._table?.store ?? coordinator.flatMap { try? context.store(forNew: object, $0) }
        guard let store, let layout = context.layouts.byNumber[duplicate.existing.entityNumber] else { return nil }
        return context.table(of: layout, in: store).object(for: duplicate.existing.key)
    }

    // MARK: After the policy

    /// Bases the object's changes on the store's current row, after the policy has decided.
    private func settle(_ change: StoreConflicts.Changed, by policy: NSMergePolicy) {
        guard let object = object(change.layout, change.key) else { return }
        guard let current = change.current else { return settleDeletedRow(of: object, by: policy) }
        // Versions are not ordered: the row may have been deleted and inserted again.
        let isBehind = object.committedSnapshot.map { EntityLayout.version($0.row) == change.knownVersion } ?? false
        // Most policies have refreshed the object already, possibly to a newer row.
        if isBehind { context.rebase([(object, RowSnapshot(row: current.row, slab: current.slab))]) }
        if !context.children.isEmpty {
            context.noteVersion(of: object, from: change.knownVersion, to: EntityLayout.version(current.row))
        }
        object.awake(fromSnapshotEvents: .mergePolicy)
    }

    /// Resolves a conflict with a deleted row. If both sides deleted it, the object is unregistered; if this context changed
    /// it, the object becomes an inserted one when the policy favors the context, and is removed otherwise.
    private func settleDeletedRow(of object: NSManagedObject, by policy: NSMergePolicy) {
        context.saves.unlock(object)
        if object._state.isDeleted {
            object.didCommitDeletion()
            context.forget(object)
            return
        }
        if policy.letsObjectsWin, object._state.isUpdated, object._row != nil {
            context.insertAnew(object)
            object.awake(fromSnapshotEvents: .mergePolicy)
        } else {
            if object._state.isUpdated { object.move(to: .saved) }
            context.arrivals.note(deleted: object)
        }
    }
}

extension StoreConflicts {
    /// Creates conflicts for changed objects with deleted rows.
    init(deleted objects: some Sequence<NSManagedObject>) {
        self.init()
        changed = objects.map { object in
            let version = object.committedSnapshot.map { EntityLayout.version($0.row) } ?? 0
            return Changed(layout: object.layout, key: object._key, knownVersion: version, current: nil)
        }
    }
}

extension NSMergePolicy {
    /// True if an object keeps its values when its row was deleted.
    final var letsObjectsWin: Bool {
        mergeType == .overwriteMergePolicyType || mergeType == .mergeByPropertyObjectTrumpMergePolicyType
    }
}

extension NSManagedObjectContext {
    /// Makes an object with a deleted row an inserted one, with its values and under its old ID.
    fileprivate final func insertAnew(_ object: NSManagedObject) {
        let layout = object.layout
        if !object._state.contains(.ownsRow) { object.makeOwnRow() }
        guard object._row != nil else { return }
        dropLostDestinations(of: object)
        guard let row = object._row else { return }
        // All values count as set: the presence bits become the change bits.
        memcpy(row + layout.changedOffset, row + 8, layout.bitWords * 8)
        EntityLayout.setVersion(row, Self.versionOfReturn())
        object._extra?.committed = nil
        object.move(to: .inserted)
        object._state.insert(.insertionReported)
        changes.enlist(object)
        // The store has no members of its relationships.
        for case let toMany as ToMany in object._extra?.relationships ?? [] { toMany.becomeNew() }
    }

    /// Returns the version of a row that replaces a deleted one under the same key. It is random and far from versions reached
    /// by saves, because contexts that know the old row, or an earlier replacement, must not take this one for it.
    private static func versionOfReturn() -> UInt32 { .random(in: 1 << 20..<1 << 30) }

    /// Removes the destinations that the store no longer has from an object's relationships. Destinations that are about to be
    /// saved, or were added in this context, stay: the save reports those.
    private final func dropLostDestinations(of object: NSManagedObject) {
        var doubtful: [(relationship: EntityLayout.Relationship, destination: NSManagedObject)] = []
        for relationship in object.layout.relationships where !relationship.description.isTransient {
            guard relationship.isToMany else {
                if !object.isCellChanged(relationship.cell), let destination = object.toOne(at: relationship.index) {
                    doubtful.append((relationship, destination))
                }
                continue
            }
            guard relationship.isKeptApart, object.isMaterialised(relationship.index) else { continue }
            let toMany = object.toMany(at: relationship.index)
            guard !toMany.isFault else { continue }
            let added = Set(toMany.added.map(ObjectIdentifier.init))
            for member in toMany.members where !added.contains(ObjectIdentifier(member)) {
                doubtful.append((relationship, member))
            }
        }
        doubtful.removeAll { $0.destination.hasUnsavedChanges }
        guard !doubtful.isEmpty, let found = present(doubtful.map(\.destination), for: object) else { return }
        for (relationship, destination) in doubtful where !found.contains(ObjectIdentifier(destination)) {
            if relationship.isToMany {
                object.toMany(at: relationship.index).forget(destination)
            } else {
                object.storeToOne(nil, relationship)
            }
        }
    }

    /// Returns the objects that the parent or the store still has; nil if it could not be read, in which case the error is
    /// recorded.
    private final func present(_ objects: [NSManagedObject], for owner: NSManagedObject) -> Set<ObjectIdentifier>? {
        do {
            guard let parent else { return Set(try freshRows(of: objects).map { ObjectIdentifier($0.0) }) }
            return try inParent(parent) { Set(try objects.filter(parent.holds).map(ObjectIdentifier.init)) }
        } catch {
            note(readError: error, of: owner)
            return nil
        }
    }

    /// Returns the object's current row in the store; nil if there is none or it could not be read, in which case the error is
    /// recorded.
    fileprivate final func presentRow(of object: NSManagedObject) -> RowSnapshot? {
        do {
            return try freshRows(of: [object]).first?.1
        } catch {
            note(readError: error, of: object)
            return nil
        }
    }
}
