import CoreDataRowStorage
import Foundation

/// Applies one of the standard merge policies to an object with a row that was changed elsewhere.
///
/// Refreshing an object with its changes merged puts its changes over
/// the store's newer values, which is the policy in favor of the object; the other policies start from that state.
struct LockingConflictResolver {
    private let conflict: NSMergeConflict
    private let rule: NSMergePolicyType

    init(_ conflict: NSMergeConflict, rule: NSMergePolicyType) {
        self.conflict = conflict
        self.rule = rule
    }

    func resolve() {
        let object = conflict.sourceObject
        guard let context = object.managedObjectContext else { return }
        if conflict.newVersionNumber == 0 { return resolveDeletedRow(object, in: context) }
        if object.isDeleted { return resolveDeletion(of: object, in: context) }
        switch rule {
        case .rollbackMergePolicyType:
            context.refresh(object, mergeChanges: false)
        case .errorMergePolicyType:
            rebase(object, in: context)
        case .mergeByPropertyObjectTrumpMergePolicyType:
            // A change equal to the store's new value no longer counts as one, but the object's current value still wins.
            let edited = context.saves.keysInConflict[object, default: []].subtracting(object.changedValues().keys)
            let mine = ConflictValues.keys(of: object.entity).filter(edited.contains).map {
                ($0, ConflictValues.value($0, of: object))
            }
            rebase(object, in: context)
            for (key, value) in mine where !ConflictValues.areEqual(value, ConflictValues.value(key, of: object)) {
                ConflictValues.set(value, for: key, of: object)
            }
        case .overwriteMergePolicyType:
            let mine = conflict.ownSnapshot
            rebase(object, in: context)
            for key in ConflictValues.keys(of: object.entity) {
                let value: Any?
                if let file = mine.file(key) {
                    if object.file(ofKey: key)?.isSame(as: file) == true { continue }
                    // The store keeps a value that cannot be read; nil is not the object's value.
                    guard let read = mine.value(key) else { continue }
                    value = read
                } else {
                    value = mine.value(key)
                }
                ConflictValues.set(value, for: key, of: object)
            }
        case .mergeByPropertyStoreTrumpMergePolicyType:
            let changed = Set(object.changedValues().keys)
            let base = object.committedSnapshot
            let baseValues = snapshot(object, changed)
            rebase(object, in: context)
            // The row may be newer than the one that caused the conflict, and the object's changes are now based on it.
            let theirs = snapshot(object, changed)
            for key in ConflictValues.keys(of: object.entity) where changed.contains(key) {
                if let cell = object.externalCell(key) {
                    object.takeStoredValue(of: cell, unlessAsIn: base)
                } else if !ConflictValues.areEqual(baseValues[key], theirs[key]) {
                    ConflictValues.set(theirs[key], for: key, of: object)
                }
            }
        }
    }

    /// Bases the object's changes on the store's row: the present one, or the conflict's if that has been deleted since. The
    /// next attempt to save then finds the deletion.
    private func rebase(_ object: NSManagedObject, in context: NSManagedObjectContext) {
        context.refresh(object, mergeChanges: true)
        guard let row = conflict.newRow, let base = object.committedSnapshot else { return }
        if Int(EntityLayout.version(base.row)) == conflict.oldVersionNumber { context.rebase([(object, row)]) }
    }

    /// Returns the values that the object's changes are based on, except those that may be in external files.
    private func snapshot(_ object: NSManagedObject, _ keys: Set<String>) -> [String: Any] {
        object.committedSnapshot.map { snapshot in
            object.conflictSnapshot(snapshot) { keys.contains($0) && object.externalCell($0) == nil }
        } ?? [:]
    }

    /// Resolves a conflict of a deletion: policies in favor of the store keep its newer row, the others delete it.
    private func resolveDeletion(of object: NSManagedObject, in context: NSManagedObjectContext) {
        switch rule {
        case .rollbackMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType:
            context.takeBackDeletion(of: object)
            object.reconnect(onlyWhereSaved: true)
            context.refresh(object, mergeChanges: false)
        default:
            break
        }
    }

    /// Resolves a conflict with a deleted row: policies in favor of the store drop the object, the others let the save insert
    /// it.
    private func resolveDeletedRow(_ object: NSManagedObject, in context: NSManagedObjectContext) {
        switch rule {
        case .rollbackMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType:
            context.refresh(object, mergeChanges: false)
        default:
            break
        }
    }
}

/// Applies one of the standard merge policies to objects that violate a uniqueness constraint: one object stays, the others are
/// deleted.
struct ConstraintConflictResolver {
    private let conflict: NSConstraintConflict
    private let rule: NSMergePolicyType

    init(_ conflict: NSConstraintConflict, rule: NSMergePolicyType) {
        self.conflict = conflict
        self.rule = rule
    }

    func resolve() {
        let rivals = conflict.conflictingObjects.filter { $0 !== conflict.databaseObject }
        guard let survivor = conflict.databaseObject ?? rivals.first(where: { !$0.isInserted }) ?? rivals.first else {
            return
        }
        for rival in rivals where rival !== survivor {
            switch rule {
            case .mergeByPropertyObjectTrumpMergePolicyType: give(rival.assignedValues(), of: rival, to: survivor)
            case .overwriteMergePolicyType: overwrite(survivor, with: rival)
            default: break
            }
            drop(rival, for: survivor)
        }
    }

    /// Copies all values of the other object, nil included, to the object that stays.
    private func overwrite(_ survivor: NSManagedObject, with rival: NSManagedObject) {
        guard let values = ConflictValues.snapshot(of: rival) else { return }
        for key in ConflictValues.keys(of: rival.entity) where survivor.entity.propertiesByName[key] != nil {
            // A value that cannot be read is not nil.
            if values[key] == nil, rival.isUnreadable(key) { continue }
            ConflictValues.set(values[key], for: key, of: survivor)
        }
    }

    private func give(_ values: [String: Any], of rival: NSManagedObject, to survivor: NSManagedObject) {
        for key in ConflictValues.keys(of: rival.entity) where survivor.entity.propertiesByName[key] != nil {
            if let value = values[key] {
                ConflictValues.set((value as? NSManagedObject)?.objectID ?? value, for: key, of: survivor)
            }
        }
    }

    /// Removes the object that loses: deletes it if it is new or the policy favors the context; otherwise reverts only the
    /// values that violate the constraint.
    private func drop(_ rival: NSManagedObject, for survivor: NSManagedObject) {
        guard let context = rival.managedObjectContext else { return }
        switch rule {
        case .rollbackMergePolicyType where !rival.isInserted:
            context.refresh(rival, mergeChanges: false)
        case .mergeByPropertyStoreTrumpMergePolicyType where !rival.isInserted:
            let committed = rival.committedValues(forKeys: nil)
            for key in conflict.constraint where rival.entity.property(at: key) != nil {
                let value = CompositeValue.element(at: key.split(separator: ".").map(String.init), of: committed)
                rival.setValue(value is NSNull ? nil : value, forKeyPath: key)
            }
        default:
            if rule != .rollbackMergePolicyType { moveMembers(of: rival, to: survivor) }
            context.delete(rival)
        }
    }

    /// Moves the members of the losing object's to-many relationships to the object that stays.
    private func moveMembers(of rival: NSManagedObject, to survivor: NSManagedObject) {
        for (name, relationship) in rival.entity.relationshipsByName
        where relationship.isToMany && survivor.entity.relationshipsByName[name] != nil {
            if relationship.isOrdered {
                let members = (rival.value(forKey: name) as? NSOrderedSet)?.array ?? []
                survivor.mutableOrderedSetValue(forKey: name).addObjects(from: members)
            } else {
                let members = rival.mutableSetValue(forKey: name).allObjects
                for member in members { survivor.mutableSetValue(forKey: name).add(member) }
            }
        }
    }
}
