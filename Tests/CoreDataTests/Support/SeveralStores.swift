import CoreData
import CoreDataTestSupport
import Foundation

/// Several stores of one model below one coordinator, and a context on it.
struct SeveralStores {
    let stores: [NSPersistentStore]
    let context: NSManagedObjectContext

    /// - Parameter folder: Where stores that are not in memory have their files.
    init(_ model: NSManagedObjectModel, types: [String], in folder: TemporaryFolder? = nil) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        stores = try types.enumerated().map { index, type in
            try coordinator.addPersistentStore(
                ofType: type, configurationName: nil,
                at: type == NSInMemoryStoreType ? nil : folder?.file("Store \(index)"), options: nil)
        }
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }
}
