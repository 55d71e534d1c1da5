import CoreData
import Foundation
import MagicalRecord
import TestSupport
import Testing

extension SourceCompatibility {
    /// A singleton with a context for users and one for messages, and an import by an operation, over MagicalRecord's
    /// default stack.
    @Suite(.defaultStack) struct DirectoryTests {
        init() throws {
            MagicalRecord.cleanUp()
            let model = try #require(Bundle.module.url(forResource: "Directory", withExtension: "momd"))
            MagicalRecord.setShouldAutoCreateManagedObjectModel(false)
            NSManagedObjectModel.mr_setDefaultManagedObjectModel(NSManagedObjectModel(contentsOf: model))
            MagicalRecord.setupCoreDataStackWithInMemoryStore()
        }

        @Test func singletonSavesFindsAndUnfriends() throws {
            let database = DirectoryDatabase.shareInstance
            database.save(DirectoryPerson(userID: 1, userName: "ann", displayName: "Ann Lee", isFriend: true))
            database.save(DirectoryPerson(userID: 2, userName: "bob", displayName: "Bob", isFriend: true))
            database.save(DirectoryPerson(userID: 2, userName: "bob", displayName: "Robert", isFriend: true))

            #expect(database.friends(filter: nil).count == 2)
            #expect(database.friends(filter: "LEE").map(\.userID) == [1])
            database.unfriend(userID: 1)
            #expect(database.friends(filter: "").map(\.displayName) == ["Robert"])

            database.post("Hello", from: 2)
            let main = NSManagedObjectContext.mr_default()
            main.performAndWait {
                let bob = User.mr_findFirst(byAttribute: "user_id", withValue: NSNumber(value: 2), in: main)
                #expect((bob?.messages?.anyObject() as? Message)?.body == "Hello")
            }

            database.remove(userID: 2)
            main.performAndWait {
                #expect(User.mr_countOfEntities(with: main) == 1)
                #expect(Message.mr_countOfEntities(with: main) == 0)
            }

            let operation = UserImportOperation(
                initial: 100, numberOfRecords: 35, coordinator: NSPersistentStoreCoordinator.mr_default()!, main: main)
            let queue = OperationQueue()
            queue.addOperation(operation)
            queue.waitUntilAllOperationsAreFinished()
            #expect(operation.percentDone == 1)
            main.performAndWait {
                #expect(
                    User.mr_countOfEntities(with: NSPredicate(format: "email ENDSWITH %@", "example.com"), in: main)
                        == 35)
            }
        }
    }
}
