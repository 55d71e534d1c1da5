import CoreData
import Foundation

/// Everything on the main queue, and one object or many for each save.
class CoreDataStack {
    let storeURL: URL

    init(storeURL: URL) {
        self.storeURL = storeURL
    }

    lazy var managedObjectModel: NSManagedObjectModel = {
        return NSManagedObjectModel(contentsOf: Bundle.module.url(forResource: "Directory", withExtension: "momd")!)!
    }()

    lazy var persistentStoreCoordinator: NSPersistentStoreCoordinator = {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: managedObjectModel)
        do {
            let options: [String: Any] = [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            ]
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL, options: options)
        } catch {
            NSLog("Unresolved error \(error)")
            abort()
        }
        return coordinator
    }()

    lazy var managedObjectContext: NSManagedObjectContext = {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }()

    func saveContext() {
        if managedObjectContext.hasChanges {
            do {
                try managedObjectContext.save()
            } catch {
                let nserror = error as NSError
                NSLog("Unresolved error \(nserror), \(nserror.userInfo)")
                abort()
            }
        }
    }

    private func addUser(_ number: Int) {
        let user = NSEntityDescription.insertNewObject(forEntityName: "User", into: managedObjectContext) as! User
        user.user_name = "Date and Time: "
        user.display_name = String(format: "%f", Date().timeIntervalSince1970)
        user.user_id = Int32(number)
    }

    func addBulkUngrouped(_ count: Int) {
        for number in 0..<count {
            addUser(number)
            saveContext()
        }
    }

    func addBulkGrouped(_ count: Int, from first: Int) {
        for number in 0..<count {
            addUser(first + number)
        }
        saveContext()
    }

    func report() -> [String] {
        let request = NSFetchRequest<NSFetchRequestResult>()
        request.entity = NSEntityDescription.entity(forEntityName: "User", in: managedObjectContext)
        request.sortDescriptors = [NSSortDescriptor(key: "user_id", ascending: true)]
        let users = try? managedObjectContext.fetch(request)
        return (users as? [User])?.map { "\($0.user_id) \($0.user_name ?? "")" } ?? []
    }
}
