import CoreData
import Foundation

/// Inserts events with random numbers on a context of its own.
final class RandomOperation: Operation, @unchecked Sendable {
    let coordinator: NSPersistentStoreCoordinator

    init(persistentStoreCoordinator: NSPersistentStoreCoordinator) {
        coordinator = persistentStoreCoordinator
        super.init()
    }

    override func main() {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.performAndWait {
            for _ in 0..<5 {
                let event = NSEntityDescription.insertNewObject(forEntityName: "Event", into: context) as! Event
                event.timeStamp = Date()
                event.randomNumber = Int32.random(in: 1...10000)
            }
            do {
                try context.save()
            } catch {
                let nserror = error as NSError
                fatalError("Unresolved error \(nserror), \(nserror.userInfo)")
            }
        }
    }
}
