import CoreData
import Foundation
import Testing

extension SourceCompatibility {
    /// The stacks of templates: everything on the main queue; and a writer above the main context.
    @Suite @MainActor struct StackTests {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

        init() throws {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }

        @Test func insertsOneBySaveAndManyBySave() throws {
            let stack = CoreDataStack(storeURL: directory.appendingPathComponent("Bulk.sqlite"))
            stack.addBulkUngrouped(3)
            stack.addBulkGrouped(200, from: 3)

            let again = CoreDataStack(storeURL: stack.storeURL)
            #expect(again.report().count == 203)
            #expect(again.report().last == "202 Date and Time: ")
        }

        @Test func savesThroughTheWriter() async throws {
            let model = NSManagedObjectModel(
                contentsOf: Bundle.module.url(forResource: "Directory", withExtension: "momd")!)!
            let url = directory.appendingPathComponent("ParentChild.sqlite")
            let stack = try ParentChildStack(model: model, storeURL: url)
            try await stack.importUsers(["ann", "bob"])
            #expect(stack.managedObjectContext.insertedObjects.count == 2)
            #expect(!stack.privateContext.performAndWait { stack.privateContext.hasChanges })

            stack.saveContext(wait: true)
            #expect(!stack.managedObjectContext.hasChanges)
            let request: NSFetchRequest<User> = User.fetchRequest()
            let other = try ParentChildStack(model: model, storeURL: url)
            let count = try other.privateContext.performAndWait { try other.privateContext.count(for: request) }
            #expect(count == 2)
        }
    }
}
