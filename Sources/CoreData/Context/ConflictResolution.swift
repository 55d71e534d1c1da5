import CoreDataRowStorage
import Foundation

/// Applies one of the standard rules to an object whose row changed meanwhile.
///
/// Works through what objects and contexts offer to everybody: refreshing an object with its changes kept gives it the
/// store's newer values under its own changes, which is already what "the object wins" means; the other rules start
/// from there.
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
            context.refresh(object, mergeChanges: true)
        case .mergeByPropertyObjectTrumpMergePolicyType:
            // A change is none any more where the store came to agree with it, but what the object has still wins.
            let edited = context.saves.keysInConflict[object, default: []].subtracting(object.changedValues().keys)
            let mine = ConflictValues.keys(of: object.entity).filter(edited.contains).map {
                ($0, ConflictValues.value($0, of: object))
            }
            context.refresh(object, mergeChanges: true)
            for (key, value) in mine where !ConflictValues.areEqual(value, ConflictValues.value(key, of: object)) {
                ConflictValues.set(value, for: key, of: object)
            }
        case .overwriteMergePolicyType:
            let mine = conflict.ownSnapshot
            context.refresh(object, mergeChanges: true)
            for key in ConflictValues.keys(of: object.entity) {
                let value: Any?
                if let file = mine.file(key) {
                    if object.file(ofKey: key)?.isSame(as: file) == true { continue }
                    // The store keeps what cannot be read: nil is not the object's value.
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
            context.refresh(object, mergeChanges: true)
            // The row may be newer than the one the conflict was noticed by, and the object's changes are based on it now.
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

    /// The values the object's changes are based on, but for those that may lie in files.
    private func snapshot(_ object: NSManagedObject, _ keys: Set<String>) -> [String: Any] {
        object.committedSnapshot.map { snapshot in
            object.conflictSnapshot(snapshot) { keys.contains($0) && object.externalCell($0) == nil }
        } ?? [:]
    }

    /// The object is to be deleted here: rules in favour of the store keep its newer row, the others delete that too.
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

    /// The row is gone: rules in favour of the store drop the object, the others leave its insertion to the save.
    private func resolveDeletedRow(_ object: NSManagedObject, in context: NSManagedObjectContext) {
        switch rule {
        case .rollbackMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType:
            context.refresh(object, mergeChanges: false)
        default:
            break
        }
    }
}

/// Applies one of the standard rules to objects that break a uniqueness constraint: one object stays, the others go.
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

    /// Gives the object that stays the whole state of the other, nil included.
    private func overwrite(_ survivor: NSManagedObject, with rival: NSManagedObject) {
        guard let values = ConflictValues.snapshot(of: rival) else { return }
        for key in ConflictValues.keys(of: rival.entity) where survivor.entity.propertiesByName[key] != nil {
            // What cannot be read is not nil.
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

    /// A new object leaves, and so does a saved one where the rule is in favour of the context; else only what broke the
    /// constraint is taken back.
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

    /// What the object that goes had in its to-many relationships belongs to the one that stays.
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
