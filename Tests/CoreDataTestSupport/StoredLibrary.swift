import CoreData
import Foundation

/// A library in a store that others may open too: of SQLite, or of PostgreSQL where `COREDATA_TEST_STORE` names it.
package final class StoredLibrary {
    package static let kind: StoreKind = StoreKind.usual == .postgreSQL ? .postgreSQL : .sqlite

    package let url: URL
    package let model: NSManagedObjectModel
    package let coordinator: NSPersistentStoreCoordinator
    package let context: NSManagedObjectContext
    package var store: NSPersistentStore { coordinator.persistentStores[0] }
    private let place: StoreKind.Place

    package init(
        _ model: NSManagedObjectModel = LibraryModel.make(), options: [AnyHashable: Any]? = nil
    ) throws {
        place = try Self.kind.makePlace()
        guard let url = place.url else { throw CocoaError(.featureUnsupported) }
        self.url = url
        self.model = model
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: Self.kind.type, configurationName: nil, at: url, options: options)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    deinit {
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
        place.remove()
    }

    /// Opens the store once more, as another process does.
    package func makeSecondContext(options: [AnyHashable: Any]? = nil) throws -> NSManagedObjectContext {
        guard let model = model.copy() as? NSManagedObjectModel else { throw CocoaError(.featureUnsupported) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: Self.kind.type, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }
}
