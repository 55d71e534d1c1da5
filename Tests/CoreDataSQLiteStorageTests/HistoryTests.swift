import CoreData
import CoreDataTestSupport
import PredicateFormat
import Testing

/// Persistent history: who changed what, transaction by transaction.
@Suite
struct HistoryTests {
    private func library() throws -> SQLiteLibrary {
        let model = LibraryModel.make()
        model.entitiesByName["Book"]?.attributesByName["title"]?.preservesValueInHistoryOnDeletion = true
        return try SQLiteLibrary(model, options: [NSPersistentHistoryTrackingKey: true])
    }

    private func history(
        _ request: NSPersistentHistoryChangeRequest, _ library: SQLiteLibrary
    ) throws -> [NSPersistentHistoryTransaction] {
        let result = try #require(try library.context.execute(request) as? NSPersistentHistoryResult)
        return try #require(result.result as? [NSPersistentHistoryTransaction])
    }

    @Test func everySaveIsATransaction() throws {
        let library = try library()
        let context = library.context
        context.transactionAuthor = "tester"
        context.name = "main"
        let book = context.insert("Book", ["title": "one"])
        try context.save()
        let token = try #require(library.coordinator.currentPersistentHistoryToken(fromStores: nil))
        book.setValue("two", forKey: "title")
        book.setValue(5, forKey: "pages")
        try context.save()
        context.delete(book)
        try context.save()
        let start: NSPersistentHistoryToken? = nil
        let all = try history(.fetchHistory(after: start), library)
        #expect(all.map(\.author) == ["tester", "tester", "tester"])
        #expect(all.map(\.contextName) == ["main", "main", "main"])
        #expect(all.compactMap { $0.changes?.first?.changeType } == [.insert, .update, .delete])
        let update = try #require(all[1].changes?.first)
        #expect(Set(update.updatedProperties?.map(\.name) ?? []) == ["title", "pages"])
        #expect(update.changedObjectID == book.objectID)
        #expect(all[2].changes?.first?.tombstone?["title"] as? String == "two")
        #expect(try history(.fetchHistory(after: token), library).count == 2)
        #expect(try history(.fetchHistory(after: Date.distantFuture), library).isEmpty)
    }

    @Test func batchRequestsAndPurging() throws {
        let library = try library()
        _ = try library.context.execute(
            NSBatchInsertRequest(entityName: "Book", objects: [["title": "a"], ["title": "b"]]))
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.propertiesToUpdate = ["pages": 3]
        _ = try library.context.execute(update)
        let start: NSPersistentHistoryToken? = nil
        let all = try history(.fetchHistory(after: start), library)
        #expect(all.map { $0.changes?.count } == [2, 2])
        _ = try library.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: all[1]))
        #expect(try history(.fetchHistory(after: start), library).map(\.transactionNumber) == [2])
        library.context.insert("Book")
        try library.context.save()
        _ = try library.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date()))
        do {
            _ = try library.context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: all[0].token))
        } catch let error as NSError {
            #expect(error.code == NSPersistentHistoryTokenExpiredError)
        }
    }

    @Test func batchRequestsSayWhoWrites() throws {
        let library = try library()
        let context = library.context
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.propertiesToUpdate = ["pages": 3]
        let requests = [
            NSBatchInsertRequest(entityName: "Book", objects: [["title": "a"]]), update,
            NSBatchDeleteRequest(fetchRequest: fetch),
        ]
        for (index, request) in requests.enumerated() {
            context.transactionAuthor = "author \(index)"
            context.name = "context \(index)"
            _ = try context.execute(request)
        }
        context.transactionAuthor = nil
        context.name = nil
        _ = try context.execute(requests[0])
        context.transactionAuthor = "coordinator's"
        _ = try library.coordinator.execute(requests[0], with: context)
        let start: NSPersistentHistoryToken? = nil
        let all = try history(.fetchHistory(after: start), library)
        #expect(all.map(\.author) == ["author 0", "author 1", "author 2", nil, "coordinator's"])
        #expect(all.map(\.contextName) == ["context 0", "context 1", "context 2", nil, nil])
        #expect(
            all.compactMap { $0.changes?.first?.changeType } == [.insert, .update, .delete, .insert, .insert])
    }

    @Test func storesWithoutHistorySaySo() throws {
        let library = try SQLiteLibrary()
        let start: NSPersistentHistoryToken? = nil
        #expect(throws: (any Error).self) {
            try library.context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: start))
        }
        #expect(library.coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
    }
}
