import CoreData

/// The changes a save pushes into the contexts above it, so that they can be taken back when the store refuses them.
///
/// Without that, the refused changes would stay in the parents and make every later save fail again.
struct PushedChanges {
    private let context: NSManagedObjectContext
    /// The objects, since a save gives new ones other IDs. They are used on the queue of `context`.
    private let objects: Unchecked<Objects>

    private typealias Objects = (
        inserted: Set<NSManagedObject>, updated: Set<NSManagedObject>, deleted: Set<NSManagedObject>
    )

    /// Records the changes of a context. Runs on its queue.
    init(_ context: NSManagedObjectContext) {
        self.context = context
        guard context.parent != nil else {
            // Nowhere to take anything back from.
            objects = Unchecked(([], [], []))
            return
        }
        context.processPendingChanges()
        objects = Unchecked((context.insertedObjects, context.updatedObjects, context.deletedObjects))
    }

    /// Undoes these changes in the parents, if they have arrived there, and has them read again what the save was in conflict
    /// with. Changes of others to *other* objects stay.
    func takeBack(after conflict: SaveConflict?) {
        let ids = context.runAndWait {
            IDs(
                inserted: objects.value.inserted.map(\.objectID), updated: objects.value.updated.map(\.objectID),
                deleted: objects.value.deleted.map(\.objectID))
        }
        for parent in context.ancestors.reversed() {
            parent.runAndWait {
                ids.takeBack(in: parent)
                conflict?.forget(in: parent)
            }
        }
    }
}

/// The IDs of the objects in the parents.
private struct IDs: Sendable {
    let inserted: [NSManagedObjectID]
    let updated: [NSManagedObjectID]
    let deleted: [NSManagedObjectID]

    /// Undoes these changes in `parent`, if they have arrived there. Runs on its queue. Changes of other objects stay.
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

    /// Saves through to the store, on the queue, while no other save is writing. A refused save leaves nothing in the parents,
    /// where the conflicting objects are read again.
    func push() throws -> MagicalRecord.SaveOutcome {
        let pushed = PushedChanges(self)
        do {
            return try WriteScope.withLastSave(of: self) { try save(to: .store) }
        } catch {
            pushed.takeBack(after: SaveConflict(error))
            throw error
        }
    }
}
