import CoreData
import Foundation
import Testing

extension SourceCompatibility {
    /// Numbers made by an operation in the background appear in a sorted list on the main queue.
    @Suite @MainActor struct RandomNumbersTests {
        @Test func listFollowsTheOperations() async throws {
            let url = Bundle.module.url(forResource: "RandomNumbers", withExtension: "momd")!
            let container = NSPersistentContainer(
                name: "RandomNumbers", managedObjectModel: NSManagedObjectModel(contentsOf: url)!)
            let description = NSPersistentStoreDescription()
            description.url = URL(fileURLWithPath: "/dev/null")
            container.persistentStoreDescriptions = [description]
            container.loadPersistentStores { _, error in
                if let error = error as NSError? {
                    fatalError("Unresolved error \(error), \(error.userInfo)")
                }
            }
            container.viewContext.automaticallyMergesChangesFromParent = true

            let list = NumbersController(context: container.viewContext)
            #expect(list.numberOfSections() == 1)
            #expect(list.numberOfRows(inSection: 0) == 0)

            let queue = OperationQueue()
            for _ in 0..<3 {
                queue.addOperation(RandomOperation(persistentStoreCoordinator: container.persistentStoreCoordinator))
            }
            let deadline = Date(timeIntervalSinceNow: 10)
            while list.rows.count < 15 && Date() < deadline {
                try await _Concurrency.Task.sleep(nanoseconds: 10_000_000)
            }

            #expect(list.rows.count == 15)
            #expect(list.rows == list.rows.sorted(by: >))
            #expect(list.updates == 3)
            #expect(list.text(at: IndexPath(item: 0, section: 0)) == "\(list.rows[0])")
        }
    }
}
