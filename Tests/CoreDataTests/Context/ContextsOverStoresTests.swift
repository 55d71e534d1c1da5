import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Several stores below one coordinator: which objects go where, and what may lead where.
@Suite("Contexts over several stores")
struct ContextsOverStoresTests {
    let folder: URL
    let coordinator: NSPersistentStoreCoordinator
    let first: NSPersistentStore
    let second: NSPersistentStore
    let context: NSManagedObjectContext

    /// `Note` fits into both stores, `Secret` into the second alone.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("stores-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let note = LibraryModel.entity("Note"), secret = LibraryModel.entity("Secret")
        note.properties = [LibraryModel.attribute("text", .stringAttributeType)]
        secret.properties = [LibraryModel.attribute("text", .stringAttributeType)]
        LibraryModel.relate(note, "secrets", many: true, secret, "note", many: false)
        let model = NSManagedObjectModel()
        model.entities = [note, secret]
        model.setEntities([note], forConfigurationName: "Open")
        model.setEntities([note, secret], forConfigurationName: "Closed")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let history = [NSPersistentHistoryTrackingKey: true as NSNumber]
        first = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: "Open", at: folder.appendingPathComponent("a.sqlite"),
            options: history)
        second = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: "Closed", at: folder.appendingPathComponent("b.sqlite"),
            options: history)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    private func finish() {
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func objectsGoToTheFirstStoreThatFitsUnlessAssigned() throws {
        defer { finish() }
        try context.performAndWait {
            let note = context.insert("Note"), secret = context.insert("Secret"), other = context.insert("Note")
            context.assign(other, to: second)
            try context.save()
            #expect(note.objectID.persistentStore === first && secret.objectID.persistentStore === second)
            #expect(other.objectID.persistentStore === second)
            #expect(try context.fetchAll("Note").count == 2)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            request.affectedStores = [second]
            #expect(try context.fetch(request) == [other])
            let wrong = context.insert("Secret")
            context.assign(wrong, to: first)
            let error = try #require(throws: NSError.self) { try context.save() }
            #expect(error.code == NSPersistentStoreIncompleteSaveError)
        }
    }

    @Test func sortedFetchesGoAcrossStores() throws {
        defer { finish() }
        try context.performAndWait {
            for (index, text) in ["d", "a", "c", "b"].enumerated() {
                context.assign(context.insert("Note", ["text": text]), to: index % 2 == 0 ? first : second)
            }
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
            #expect(try context.fetch(request).map { $0.value(forKey: "text") as? String } == ["a", "b", "c", "d"])
            request.fetchOffset = 1
            request.fetchLimit = 2
            #expect(try context.fetch(request).map { $0.value(forKey: "text") as? String } == ["b", "c"])
            #expect(try context.count(for: request) == 2)
        }
    }

    @Test func relationshipsStayWithinAStore() throws {
        defer { finish() }
        try context.performAndWait {
            let note = context.insert("Note")
            context.insert("Secret", ["note": note])
            let error = try #require(throws: NSError.self) { try context.save() }
            #expect(error.code == NSManagedObjectExternalRelationshipError)
            #expect(context.hasChanges && note.objectID.isTemporaryID)
            context.assign(note, to: second)
            try context.save()
        }
    }

    @Test func requestsReachEveryStore() throws {
        defer { finish() }
        try context.performAndWait {
            context.transactionAuthor = "tester"
            context.name = "editor"
            for store in [first, second, second] { context.assign(context.insert("Note", ["text": "a"]), to: store) }
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Note")
            update.propertiesToUpdate = ["text": "b"]
            update.resultType = .updatedObjectsCountResultType
            #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 3)
            let history = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try context.execute(history) as? NSPersistentHistoryResult
            let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
            #expect(Set(transactions.map(\.storeID)).count == 2)
            #expect(transactions.filter { $0.author == "tester" && $0.contextName == "editor" }.count >= 2)
            let delete = NSBatchDeleteRequest(
                fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Note"))
            delete.resultType = .resultTypeObjectIDs
            let ids = (try context.execute(delete) as? NSBatchDeleteResult)?.result as? [NSManagedObjectID]
            #expect(ids?.count == 3)
            delete.affectedStores = [first]
            #expect(((try context.execute(delete) as? NSBatchDeleteResult)?.result as? [NSManagedObjectID])?.count == 0)
        }
    }

    @Test func savedObjectsStayWhereTheyAre() async throws {
        finish()
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let library = try Library()
            let book = library.context.insert("Book")
            try library.context.save()
            library.context.assign(book, to: library.coordinator.persistentStores[0])
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Can't reassign an object to a different store once it has been saved."))
    }
}
