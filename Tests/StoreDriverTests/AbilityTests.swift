import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecord
import Testing
import ToyStore

/// What is asked of a store whose engine has none of the abilities.
@Suite("Stores without abilities")
struct AbilityTests {
    private func stack() async throws -> MagicalRecord.Stack {
        NSPersistentStoreCoordinator.register(PlainDriver.self)
        let url = URL(string: "plain://tests/\(UUID().uuidString)")!
        let stack = try MagicalRecord.Stack([.at(url)], model: .model(Versions.first()))
        try await stack.save { context in
            for title in ["A", "B"] {
                NSEntityDescription.insertNewObject(forEntityName: "Company", into: context)
                    .setValue(title, forKey: "title")
            }
        }
        return stack
    }

    private func titles(_ stack: MagicalRecord.Stack) async throws -> [String] {
        try await stack.save { context in
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Company"))
                .compactMap { $0.value(forKey: "title") as? String }.sorted()
        }
    }

    @Test func exclusiveWritesAreAnErrorAndNotJustWrites() async throws {
        let stack = try await stack()
        var found: NSError?
        do {
            try await stack.save(isolation: .exclusive) { context in
                NSEntityDescription.insertNewObject(forEntityName: "Company", into: context)
                    .setValue("C", forKey: "title")
            }
        } catch {
            found = error as NSError
        }
        #expect(found?.code == NSPersistentStoreUnsupportedRequestTypeError)
        #expect(try await titles(stack) == ["A", "B"])
        try await stack.tearDown()
    }

    @Test func batchRequestsAreAnError() async throws {
        let stack = try await stack()
        var found: NSError?
        do {
            try await stack.save { context in
                let all = NSFetchRequest<any NSFetchRequestResult>(entityName: "Company")
                _ = try context.execute(NSBatchDeleteRequest(fetchRequest: all))
            }
        } catch {
            found = error as NSError
        }
        #expect(found?.code == NSPersistentStoreUnsupportedRequestTypeError)
        #expect(try await titles(stack) == ["A", "B"])
        try await stack.tearDown()
    }

    @Test func historyAndRemoteChangesCannotBeAskedFor() throws {
        NSPersistentStoreCoordinator.register(PlainDriver.self)
        for key in [NSPersistentHistoryTrackingKey, NSPersistentStoreRemoteChangeNotificationPostOptionKey] {
            let url = URL(string: "plain://tests/\(UUID().uuidString)")!
            let error = #expect(throws: NSError.self) {
                try ToyStores.container(Versions.first(), at: url) { $0.setOption(true as NSNumber, forKey: key) }
            }
            #expect(error?.localizedFailureReason?.contains(key) == true)
            #expect(error?.localizedRecoverySuggestion?.contains("no options of their own") == true)
        }
    }
}
