import CoreData

/// The changes a save pushes into the contexts above it, so that they can be taken back when the store refuses them.
///
/// Without that, the refused changes would stay in the parents and make every later save fail again.
struct PushedChanges: Sendable {
    let inserted: [NSManagedObjectID]
    let updated: [NSManagedObjectID]
    let deleted: [NSManagedObjectID]

    /// On the queue of `context`.
    init(_ context: NSManagedObjectContext) {
        guard context.parent != nil else {
            // Nowhere to take anything back from.
            (inserted, updated, deleted) = ([], [], [])
            return
        }
        context.processPendingChanges()
        // The parents know new objects by the IDs these have when they are saved.
        let new = context.insertedObjects.filter(\.objectID.isTemporaryID)
        if !new.isEmpty { try? context.obtainPermanentIDs(for: Array(new)) }
        inserted = context.insertedObjects.map(\.objectID)
        updated = context.updatedObjects.map(\.objectID)
        deleted = context.deletedObjects.map(\.objectID)
    }

    /// On the queue of `parent`: undoes these changes there, if they have arrived. Changes of others to *other*
    /// objects stay.
    func takeBack(in parent: NSManagedObjectContext) {
        guard parent.hasChanges else { return }
        for id in inserted {
            if let object = parent.registeredObject(for: id), object.isInserted { parent.delete(object) }
        }
        for id in updated {
            if let object = parent.registeredObject(for: id), object.hasChanges {
                parent.refresh(object, mergeChanges: false)
            }
        }
        for id in deleted {
            if let object = parent.registeredObject(for: id), object.isDeleted {
                parent.insert(object)
                parent.refresh(object, mergeChanges: false)
            }
        }
        parent.processPendingChanges()
    }
}

extension NSManagedObjectContext {
    /// The parents, nearest first.
    var ancestors: [NSManagedObjectContext] {
        Array(sequence(first: self, next: \.parent).dropFirst())
    }

    /// On the queue, while no other save is writing: saves through to the store. A save that is refused leaves nothing in
    /// the parents, and what it was in conflict with is read again there.
    func push() throws -> MagicalRecord.SaveOutcome {
        let pushed = PushedChanges(self)
        do {
            return try save(to: .store)
        } catch {
            let conflict = SaveConflict(error)
            for parent in ancestors.reversed() {
                parent.runAndWait {
                    pushed.takeBack(in: parent)
                    conflict?.forget(in: parent)
                }
            }
            throw error
        }
    }
}
