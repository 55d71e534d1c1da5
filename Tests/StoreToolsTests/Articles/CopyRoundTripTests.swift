#if PostgreSQL
import CoreData
import CoreDataTestSupport
import Foundation
import PostgreSQLTestSupport
import Testing

/// The round trips in the table of the article "Outgrowing one file", counted in a copy of a store.
///
/// With `MAGICALRECORD_ROUND_TRIP_DELAY=5` each is 5 ms longer; the times are printed.
@Suite(.enabled(if: TestServer.isDirect, "There is no server, or a pooler before it."))
struct CopyRoundTripTests {
    private static let article = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/CoreData/CoreData.docc/OutgrowingOneFile.md")

    /// Returns the round trips of operations in the table.
    private static func table() throws -> [String: Int] {
        let rows = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "\n")
            .drop { !$0.hasPrefix("| operation | round trips |") }.dropFirst(2).prefix { $0.hasPrefix("|") }
        return rows.reduce(into: [:]) { result, row in
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            result[cells[0]] = Int(cells[1])
        }
    }

    @Test func theArticleHasTheRoundTripsOfEachOperation() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("AddressBook.sqlite")
        _ = try TourStore(at: file)
        try DatabaseCopyTests.withSchema { database in
            let copy = CommandRunner.run("copy", file.path, database.absoluteString)
            try #require(copy.status == 0, "\(copy.errors)")
            let counter = try RoundTripCounter(to: database)
            let operations = try RoundTripOperations(counter.url)
            let delay = ProcessInfo.processInfo.environment["MAGICALRECORD_ROUND_TRIP_DELAY"].flatMap(Double.init)
            if let delay { counter.setDelay(delay / 1000) }
            var counted: [String: Int] = [:]
            for operation in RoundTripOperations.Operation.allCases {
                let run = try operations.prepare(operation)
                let (trips, seconds) = try counter.measure { try run() }
                counted[operation.rawValue] = trips
                if delay != nil { print("\(operation.rawValue): \(trips), \(seconds * 1000) ms") }
            }
            try operations.close()
            #expect(counted == (try Self.table()))
        }
    }
}

/// The operations, each with a context of its own.
struct RoundTripOperations {
    enum Operation: String, CaseIterable {
        case find = "find an object by a unique value"
        case fetch = "fetch 1,000 objects"
        case count = "count objects"
        case fault = "fire a fault"
        case toMany = "read the members of a to-many relationship"
        case prefetch = "fetch 1,000 objects and prefetch a relationship"
        case save = "save one changed object"
        case conflict = "save one object that another program has changed"
        case insert = "save 1,000 new objects"
        case batchUpdate = "update 1,000 objects by a batch request"
        case history = "read the history after a token"
    }

    private let coordinator: NSPersistentStoreCoordinator
    private let store: NSPersistentStore

    init(_ url: URL) throws {
        let model = try #require(NSManagedObjectModel(contentsOf: TourStore.model))
        for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        store = try coordinator.addPersistentStore(
            ofType: CoreDataPostgreSQLStoreType, configurationName: nil, at: url,
            options: [NSPersistentHistoryTrackingKey: true, NSPersistentStoreConnectionPoolMaxSizeKey: 1])
        // The first save reserves a block of keys, which following saves use.
        let context = context()
        try context.performAndWait {
            let message = NSEntityDescription.insertNewObject(forEntityName: "Message", into: context)
            message.setValue("first", forKey: "message_id")
            message.setValue(try self.user(in: context), forKey: "user")
            try context.save()
        }
    }

    func close() throws { try coordinator.remove(store) }

    private func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func user(in context: NSManagedObjectContext) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "User")
        request.predicate = NSPredicate(format: "messages.@count > 0")
        request.sortDescriptors = [NSSortDescriptor(key: "user_id", ascending: true)]
        request.fetchLimit = 1
        return try #require(try context.fetch(request).first)
    }

    /// Saves a change of an object in another context.
    private func change(_ object: NSManagedObjectID) throws {
        let context = context()
        try context.performAndWait {
            let user = try context.existingObject(with: object)
            user.setValue((user.value(forKey: "status") as? Int ?? 0) + 1, forKey: "status")
            try context.save()
        }
    }

    /// Returns the operation, ready to be counted.
    func prepare(_ operation: Operation) throws -> () throws -> Void {
        let context = context()
        let users = NSFetchRequest<NSManagedObject>(entityName: "User")
        users.sortDescriptors = [NSSortDescriptor(key: "user_id", ascending: true)]
        users.fetchLimit = 1000
        func use(_ body: @escaping () throws -> Void) -> () throws -> Void { { try context.performAndWait(body) } }
        switch operation {
        case .find:
            users.predicate = NSPredicate(format: "user_id == 7")
            users.fetchLimit = 1
            return use { _ = try context.fetch(users) }
        case .fetch:
            return use {
                let found = try context.fetch(users)
                #expect(found.count == 1000)
            }
        case .count:
            return use {
                let count = try context.count(for: users)
                #expect(count == 1000)
            }
        case .fault, .toMany, .save, .conflict:
            let user = try context.performAndWait { try self.user(in: context) }
            return try prepare(operation, user, context)
        case .prefetch:
            users.relationshipKeyPathsForPrefetching = ["messages"]
            return use {
                let members = try context.fetch(users).map {
                    ($0.value(forKey: "messages") as? Set<NSManagedObject>) ?? []
                }
                #expect(members.joined().contains { $0.value(forKey: "text") != nil })
            }
        case .insert:
            return use {
                for number in 0..<1000 {
                    let message = NSEntityDescription.insertNewObject(forEntityName: "Message", into: context)
                    message.setValue("new \(number)", forKey: "message_id")
                }
                try context.save()
            }
        case .batchUpdate:
            let update = NSBatchUpdateRequest(entityName: "Message")
            update.predicate = NSPredicate(format: "message_id BEGINSWITH 'new'")
            update.propertiesToUpdate = ["text": "changed"]
            update.resultType = .updatedObjectsCountResultType
            return use {
                let result = try #require(try context.execute(update) as? NSBatchUpdateResult)
                #expect(result.result as? Int == 1000)
            }
        case .history:
            let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
            try change(try context.performAndWait { try self.user(in: context) }.objectID)
            return use {
                _ = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
            }
        }
    }

    private func prepare(
        _ operation: Operation, _ user: NSManagedObject, _ context: NSManagedObjectContext
    ) throws -> () throws -> Void {
        func use(_ body: @escaping () throws -> Void) -> () throws -> Void { { try context.performAndWait(body) } }
        switch operation {
        case .fault:
            context.performAndWait { context.refresh(user, mergeChanges: false) }
            return use { #expect(user.value(forKey: "user_id") != nil) }
        case .toMany:
            return use { #expect((user.value(forKey: "messages") as? Set<NSManagedObject>)?.isEmpty == false) }
        case .conflict:
            context.performAndWait { _ = user.value(forKey: "status") }
            try change(user.objectID)
            return use {
                user.setValue("conflict", forKey: "email")
                #expect(throws: (any Error).self) { try context.save() }
            }
        default:
            return use {
                user.setValue("changed", forKey: "email")
                try context.save()
            }
        }
    }
}
#endif
