import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Requests over history: what they select and what they give.
@Suite("History requests")
struct HistoryRequestTests {
    private let library: StoredLibrary
    private var context: NSManagedObjectContext { library.context }
    private let start: NSPersistentHistoryToken? = nil

    init() throws { library = try StoredLibrary(options: [NSPersistentHistoryTrackingKey: true]) }

    private func run(
        _ request: NSPersistentHistoryChangeRequest, _ type: NSPersistentHistoryResultType = .transactionsAndChanges
    ) throws -> Any? {
        request.resultType = type
        return try context.performAndWait { try (context.execute(request) as? NSPersistentHistoryResult)?.result }
    }

    private func transactions(_ request: NSPersistentHistoryChangeRequest) throws -> [NSPersistentHistoryTransaction] {
        try #require(try run(request) as? [NSPersistentHistoryTransaction])
    }

    /// Three saves: two tags; one changed, by another author; one deleted.
    private func fill() throws -> [NSManagedObject] {
        try context.performAndWait {
            context.transactionAuthor = "app"
            let tags = ["a", "b"].map { context.insert("Tag", ["word": $0]) }
            try context.save()
            context.transactionAuthor = "import"
            tags[0].setValue("c", forKey: "word")
            try context.save()
            context.transactionAuthor = "app"
            context.delete(tags[1])
            try context.save()
            return tags
        }
    }

    @Test func everyResultType() throws {
        let ids = try fill().map(\.objectID)
        #expect(try run(.fetchHistory(after: start), .statusOnly) as? Bool == true)
        #expect(try run(.fetchHistory(after: start), .count) as? Int == 4)
        let sets = try run(.fetchHistory(after: start), .objectIDs) as? [String: Set<NSManagedObjectID>]
        #expect(sets?[NSInsertedObjectIDsKey] == Set(ids))
        #expect(sets?[NSUpdatedObjectIDsKey] == [ids[0]])
        #expect(sets?[NSDeletedObjectIDsKey] == [ids[1]])
        let changes = try run(.fetchHistory(after: start), .changesOnly) as? [NSPersistentHistoryChange]
        #expect(changes?.map(\.changeType) == [.insert, .insert, .update, .delete])
        let bare = try run(.fetchHistory(after: start), .transactionsOnly) as? [NSPersistentHistoryTransaction]
        #expect(bare?.count == 3)
        #expect(bare?.allSatisfy { $0.changes == nil } == true)
    }

    /// Batch requests of a child context are the work of the context that reaches the coordinator, as its saves are.
    @Test func batchRequestsOfAChildHaveTheAuthorOfItsParent() throws {
        context.performAndWait {
            context.transactionAuthor = "parent"
            context.name = "main"
        }
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        let grandchild = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        grandchild.parent = child
        for (context, author) in [(child, "child"), (grandchild, "grandchild")] {
            try context.performAndWait {
                context.transactionAuthor = author
                context.name = author
                _ = try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["word": "w"]]))
            }
        }
        let all = try transactions(.fetchHistory(after: start))
        #expect(all.map(\.author) == ["parent", "parent"])
        #expect(all.map(\.contextName) == ["main", "main"])
    }

    @Test func afterATransactionATokenAndADate() throws {
        _ = try fill()
        let all = try transactions(.fetchHistory(after: start))
        #expect(try transactions(.fetchHistory(after: all[0])).map(\.transactionNumber) == [2, 3])
        #expect(try transactions(.fetchHistory(after: all[1].token)).map(\.transactionNumber) == [3])
        #expect(try transactions(.fetchHistory(after: all[0].timestamp)).map(\.transactionNumber) == [2, 3])
        let archived = try NSKeyedArchiver.archivedData(withRootObject: all[1].token, requiringSecureCoding: true)
        let token = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: archived)
        #expect(token == all[1].token)
        #expect(try transactions(.fetchHistory(after: token)).count == 1)
    }

    @Test func aFetchOverTransactions() throws {
        _ = try fill()
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        #expect(fetch.entity?.attributesByName["author"] != nil)
        fetch.predicate = NSPredicate(format: "author == %@", "import")
        #expect(try transactions(.fetchHistory(withFetch: fetch)).map(\.transactionNumber) == [2])
        // The usual question of a process: what have the others done?
        let others = NSPersistentHistoryChangeRequest.fetchHistory(after: start)
        fetch.predicate = NSPredicate(format: "author != %@", "import")
        others.fetchRequest = fetch
        #expect(try transactions(others).map(\.transactionNumber) == [1, 3])
    }

    @Test func aFetchOverChanges() throws {
        let tags = try fill()
        let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
        fetch.predicate = NSPredicate(
            format: "changedObjectID == %@ AND changeType == %d", tags[0].objectID,
            NSPersistentHistoryChangeType.update.rawValue)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        let changes = try run(request, .changesOnly) as? [NSPersistentHistoryChange]
        #expect(changes?.map(\.changeType) == [.update])
        #expect(changes?.first?.updatedProperties?.map(\.name) == ["word"])
    }

    @Test func aPurgedTokenHasExpired() throws {
        _ = try fill()
        let all = try transactions(.fetchHistory(after: start))
        _ = try run(.deleteHistory(before: all[2]), .statusOnly)
        #expect(try transactions(.fetchHistory(after: start)).map(\.transactionNumber) == [3])
        // Nothing after transaction 2 is missing yet.
        #expect(try transactions(.fetchHistory(after: all[1])).count == 1)
        let error = #expect(throws: CocoaError.self) { try transactions(.fetchHistory(after: all[0])) }
        #expect(error?.code.rawValue == NSPersistentHistoryTokenExpiredError)
        _ = try run(.deleteHistory(before: Date(timeIntervalSinceNow: 60)), .statusOnly)
        let later = #expect(throws: CocoaError.self) { try transactions(.fetchHistory(after: all[1])) }
        #expect(later?.code.rawValue == NSPersistentHistoryTokenExpiredError)
    }

    @Test func historyIsMergedIntoContexts() throws {
        let tags = try fill()
        let other = try library.makeSecondContext(options: [NSPersistentHistoryTrackingKey: true])
        try other.performAndWait {
            let known = try #require(try other.fetchAll("Tag").first)
            #expect(known.value(forKey: "word") as? String == "c")
            let place = other.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
            try context.performAndWait {
                tags[0].setValue("d", forKey: "word")
                context.insert("Tag", ["word": "e"])
                try context.save()
            }
            // Values in memory stay until the history is merged.
            #expect(known.value(forKey: "word") as? String == "c")
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: place)
            let result = try #require(try other.execute(request) as? NSPersistentHistoryResult)
            let news = try #require(result.result as? [NSPersistentHistoryTransaction])
            #expect(news.map(\.author) == ["app"])
            nonisolated(unsafe) var heard: [AnyHashable: Any]?
            let observer = NotificationCenter.default.addObserver(
                forName: NSManagedObjectContext.didChangeObjectsNotification, object: other, queue: nil
            ) { heard = $0.userInfo }
            defer { NotificationCenter.default.removeObserver(observer) }
            for transaction in news { other.mergeChanges(fromContextDidSave: transaction.objectIDNotification()) }
            #expect(known.value(forKey: "word") as? String == "d")
            #expect((heard?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count == 1)
        }
    }
}
