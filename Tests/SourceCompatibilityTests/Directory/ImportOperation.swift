import CoreData
import Foundation

/// An operation that inserts numbered users on its own context, saves every ten, and hands each save to the main context.
final class UserImportOperation: Operation, @unchecked Sendable {
    let initialRecord: Int
    let totalRecords: Int
    private(set) var percentDone = 0.0

    private let coordinator: NSPersistentStoreCoordinator
    private let mainContext: NSManagedObjectContext

    init(
        initial: Int, numberOfRecords total: Int, coordinator: NSPersistentStoreCoordinator,
        main: NSManagedObjectContext
    ) {
        initialRecord = initial
        totalRecords = total
        self.coordinator = coordinator
        mainContext = main
        super.init()
    }

    override func main() {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.undoManager = nil
        context.persistentStoreCoordinator = coordinator
        let observer = NotificationCenter.default.addObserver(
            forName: NSNotification.Name.NSManagedObjectContextDidSave, object: context, queue: nil
        ) { [mainContext] notification in
            mainContext.performAndWait {
                mainContext.mergeChanges(fromContextDidSave: notification)
            }
        }
        defer { NotificationCenter.default.removeObserver(observer) }

        context.performAndWait {
            for number in initialRecord..<(initialRecord + totalRecords) {
                if isCancelled { return }
                let user = NSEntityDescription.insertNewObject(forEntityName: "User", into: context)
                user.setValue("User \(number)", forKey: "user_name")
                user.setValue("user\(number)@example.com", forKey: "email")
                user.setValue(number, forKey: "user_id")
                if number % 10 == 0 {
                    save(context)
                }
                percentDone = Double(number - initialRecord + 1) / Double(totalRecords)
            }
            save(context)
        }
    }

    private func save(_ context: NSManagedObjectContext) {
        do {
            try context.save()
        } catch let error as NSError {
            NSLog("%@ %@", error.localizedDescription, "\(error.userInfo)")
        }
        context.reset()
    }
}
