import CoreData
import Foundation
import Testing

/// A SQLite store in a folder of its own, with a coordinator and a context on it; the folder goes with the object.
package final class SQLiteLibrary {
    package let url: URL
    package let model: NSManagedObjectModel
    package let coordinator: NSPersistentStoreCoordinator
    package let context: NSManagedObjectContext
    package var store: NSPersistentStore { coordinator.persistentStores[0] }

    /// - Parameters:
    ///   - parent: the folder that the store's own is created in.
    ///   - prepared: what is in the store to begin with.
    package init(
        _ model: NSManagedObjectModel = LibraryModel.make(), options: [AnyHashable: Any]? = nil,
        in parent: URL = FileManager.default.temporaryDirectory, prepared: PreparedStore? = nil
    ) throws {
        let folder = parent.appendingPathComponent("sqlite-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appendingPathComponent("Library.sqlite")
        try prepared?.write(to: url)
        self.model = model
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    deinit {
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
        try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    }

    package func makeContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// A second stack on the same file, as another process would have it.
    package func makeSecondContext(options: [AnyHashable: Any]? = nil) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model.copy() as! NSManagedObjectModel)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    package func fetch(_ entity: String, _ format: String? = nil) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        if let format { request.predicate = NSPredicate(format: format) }
        return try context.fetch(request)
    }
}
