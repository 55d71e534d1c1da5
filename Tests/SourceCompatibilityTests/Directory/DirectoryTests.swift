import CoreData
import Foundation
import MagicalRecord
import MagicalRecordTestSupport
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

        @Test @MainActor func layerImportsGroupsAndSums() async throws {
            let layer = ContactsLayer()
            let records: [[String: Any]] = [
                ["user_id": 1, "user_name": "ann", "country_code": 49, "balance": 10.5],
                ["user_id": 2, "user_name": "bob", "country_code": 1, "balance": 2],
                ["user_id": 3, "user_name": "eve", "country_code": 49, "balance": 4],
            ]
            let saved = await withCheckedContinuation { continuation in
                layer.load(records) { didSave, error in
                    #expect(error == nil)
                    continuation.resume(returning: didSave)
                }
            }
            #expect(saved)

            let controller = layer.sections()
            #expect(controller.sections?.map(\.name) == ["1", "49"])
            #expect(controller.sections?.map(\.numberOfObjects) == [1, 2])
            #expect(layer.totalBalance(of: 49) == 14.5)

            layer.rename(3, to: "Eve Adams")
            #expect(User.mr_find(byAttribute: "display_name", withValue: "Eve Adams")?.count == 1)
            layer.forgetEverybody()
            #expect(User.mr_countOfEntities() == 0)
            // The default context follows on the main queue.
            let deadline = Date(timeIntervalSinceNow: 10)
            while controller.fetchedObjects?.isEmpty != true && Date() < deadline {
                try await _Concurrency.Task.sleep(nanoseconds: 10_000_000)
            }
            #expect(controller.fetchedObjects?.isEmpty == true)
            #expect(layer.changes > 0)
        }
    }
}
