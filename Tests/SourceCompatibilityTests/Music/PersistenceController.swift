import CoreData
import Foundation

struct PersistenceController {
    static let preview: PersistenceController = {
        let result = PersistenceController(inMemory: true)
        let viewContext = result.container.viewContext
        viewContext.performAndWait {
            for number in 0..<10 {
                let newAlbum = Album(context: viewContext)
                newAlbum.name = "Album \(number)"
                newAlbum.released = Date(timeIntervalSinceReferenceDate: Double(number) * 86400)
            }
            do {
                try viewContext.save()
            } catch {
                let nsError = error as NSError
                fatalError("Unresolved error \(nsError), \(nsError.userInfo)")
            }
        }
        return result
    }()

    let container: NSPersistentContainer

    init(inMemory: Bool = false, url: URL? = nil) {
        let model = NSManagedObjectModel(
            contentsOf: Bundle.module.url(forResource: "Music", withExtension: "momd")!)!
        container = NSPersistentContainer(name: "Music", managedObjectModel: model)
        if inMemory {
            container.persistentStoreDescriptions.first!.url = URL(fileURLWithPath: "/dev/null")
        } else if let url = url {
            let description = NSPersistentStoreDescription(url: url)
            description.shouldMigrateStoreAutomatically = true
            description.shouldInferMappingModelAutomatically = true
            description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
            container.persistentStoreDescriptions = [description]
        }
        container.loadPersistentStores(completionHandler: { (storeDescription, error) in
            if let error = error as NSError? {
                fatalError("Unresolved error \(error), \(error.userInfo)")
            }
        })
        container.viewContext.automaticallyMergesChangesFromParent = true
        container.viewContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    }
}
