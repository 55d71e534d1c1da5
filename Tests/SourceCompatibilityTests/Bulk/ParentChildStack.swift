import CoreData
import Foundation

/// A private context writes to disk; the main context is its child, so that saving it never waits for the disk.
final class ParentChildStack {
    let privateContext: NSManagedObjectContext
    let managedObjectContext: NSManagedObjectContext

    init(model: NSManagedObjectModel, storeURL: URL) throws {
        let psc = NSPersistentStoreCoordinator(managedObjectModel: model)
        try psc.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL, options: nil)
        privateContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        privateContext.persistentStoreCoordinator = psc
        managedObjectContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        managedObjectContext.parent = privateContext
    }

    func saveContext(wait: Bool) {
        let moc = managedObjectContext
        let writer = privateContext
        if moc.hasChanges {
            moc.performAndWait {
                do {
                    try moc.save()
                } catch {
                    fatalError("Error saving the main context: \(error.localizedDescription)")
                }
            }
        }
        let savePrivate = {
            do {
                guard writer.hasChanges else { return }
                try writer.save()
            } catch {
                fatalError("Error saving the private context: \(error.localizedDescription)")
            }
        }
        if wait {
            writer.performAndWait(savePrivate)
        } else {
            writer.perform(savePrivate)
        }
    }

    /// An import on a child of the main context: saving pushes its changes up, without any notification.
    func importUsers(_ names: [String]) async throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.parent = managedObjectContext
        try await context.perform {
            for name in names {
                let user = User(context: context)
                user.user_name = name
            }
            try context.save()
        }
    }
}
