import CoreData
import Foundation

final class Parchment: NSManagedObject {}

/// Reports the class of an inserted and of a fetched object, before the program has named that class.
func reportClasses(_ url: URL) throws {
    let entity = NSEntityDescription()
    entity.name = "Parchment"
    entity.managedObjectClassName = "Parchment"
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    for _ in 1...2 {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let made = NSEntityDescription.insertNewObject(forEntityName: "Parchment", into: context)
            report("made \(type(of: made))")
            try context.save()
            context.reset()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Parchment")
            for object in try context.fetch(request) { report("fetched \(type(of: object))") }
        }
    }
}
