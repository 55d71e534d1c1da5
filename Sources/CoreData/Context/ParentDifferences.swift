import CoreDataRowStorage

// The differences between a context's saved objects and its parent's. Hooks, the merge policy and the store can change the
// values that a save of the parent writes.

/// The objects that a context has saved and that differ in its parent.
package struct ParentDifferences {
    /// The objects with different values or members in the parent.
    package var changed: Set<NSManagedObjectID> = []
    /// The objects that the parent no longer has.
    package var lost: Set<NSManagedObjectID> = []
}

extension NSManagedObjectContext {
    /// Compares the committed values of objects with those of the parent. Objects not loaded here have none. Objects with a
    /// pending deletion in the parent are ignored.
    ///
    /// - Parameters:
    ///   - objects: Objects that this context has saved into its parent.
    ///   - amongOthers: Whether the parent has written more than these objects, which may be members of their relationships.
    package final func differencesFromParent(
        of objects: some Sequence<NSManagedObject>, amongOthers: Bool
    ) -> ParentDifferences {
        checkQueue()
        var result = ParentDifferences()
        guard let parent else { return result }
        inParent(parent) {
            var pairs: ContiguousArray<(NSManagedObject, NSManagedObject)> = []
            for object in objects where object.context === self && object.isShown {
                let original = parent.counterpart(of: object)
                if let original, original._state.isDeleted { continue }
                // An unreadable object may differ, so it is read again.
                guard let isThere = try? original.map({ try !$0._state.isEnding && $0.realiseOrThrow() }) ?? false
                else {
                    result.changed.insert(object.identifier)
                    continue
                }
                guard isThere, let original else {
                    result.lost.insert(object.identifier)
                    continue
                }
                pairs.append((object, original))
                if object.differs(from: original, &result.changed) { result.changed.insert(object.identifier) }
            }
            // Members of one-to-many relationships are stored in the rows of the other side. If no row differs, the members do
            // not either.
            let comparesAll = amongOthers || !result.changed.isEmpty || !result.lost.isEmpty
            for (object, original) in pairs where object.hasOtherMembers(than: original, comparesAll) {
                result.changed.insert(object.identifier)
            }
        }
        return result
    }
}

extension NSManagedObject {
    /// True if the object is registered, saved and not deleted.
    fileprivate final var isShown: Bool { _state.isRegistered && !_state.isInserted && !_state.isErased }

    /// Returns true if the parent's object has other values. If a to-one relationship differs, its old and new destinations are
    /// added to `others` if they have loaded their members.
    fileprivate final func differs(from original: NSManagedObject, _ others: inout Set<NSManagedObjectID>) -> Bool {
        guard let saved = committedSnapshot, let row = original._row, let slab = original._slab else { return false }
        let layout = layout
        var result = false
        for (index, cell) in layout.cells.enumerated() where !cell.isTransient {
            if cell.kind == .boxed {
                if AttributeValues.areEqual(saved.boxed[index], original._extra?.boxed[index]) { continue }
            } else if cellsAgree(index, saved.row, saved.slab, row, slab) {
                continue
            }
            result = true
            guard cell.kind == .reference,
                let inverse = layout.relationships[cell.relationshipIndex].description.inverseRelationship
            else { continue }
            if let end = snapshotValue(cell, saved) as? NSManagedObject { end.noteIfLoaded(inverse.name, &others) }
            if let end = original.toOne(at: cell.relationshipIndex), let context {
                context.knownObject(for: end.identifier)?.noteIfLoaded(inverse.name, &others)
            }
        }
        return result
    }

    private final func noteIfLoaded(_ name: String, _ objects: inout Set<NSManagedObjectID>) {
        guard isShown, let index = layout.relationshipIndex(named: name), loadedMembers(at: index) != nil else {
            return
        }
        objects.insert(identifier)
    }

    /// Returns a to-many relationship if its members are loaded.
    private final func loadedMembers(at index: Int) -> ToMany? {
        guard let extra = _extra, index < extra.relationships.count else { return nil }
        guard let toMany = extra.relationships[index] as? ToMany, !toMany.isFault else { return nil }
        return toMany
    }

    /// Returns true if a loaded to-many relationship has other members, or another order, in the parent.
    fileprivate final func hasOtherMembers(than original: NSManagedObject, _ comparesAll: Bool) -> Bool {
        guard let extra = _extra, !extra.relationships.isEmpty else { return false }
        for case let toMany as ToMany in extra.relationships where !toMany.isFault {
            let relationship = toMany.relationship
            guard !relationship.description.isTransient, comparesAll || relationship.isKeptApart else { continue }
            let here = (toMany.committedMembers ?? toMany.members).lazy.map(\.reference)
            guard let members = try? original.loadToMany(at: relationship.index).members else { return true }
            let there = members.lazy.filter { !$0._state.isEnding }.map(\.reference)
            if relationship.isOrdered ? !here.elementsEqual(there) : Set(here) != Set(there) { return true }
        }
        return false
    }
}
