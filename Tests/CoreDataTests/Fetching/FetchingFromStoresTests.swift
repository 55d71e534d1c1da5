import CoreData
import CoreDataTestSupport
import PredicateFormat
import Testing

/// Fetches and batch requests over several stores of one coordinator, and requests kept in the model.
@Suite
struct FetchingFromStoresTests {
    private let folder: TemporaryFolder
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext
    private var first: NSPersistentStore { coordinator.persistentStores[0] }
    private var second: NSPersistentStore { coordinator.persistentStores[1] }

    /// Books of odd numbers of pages in the first store, of even ones in the second.
    init() throws {
        folder = try TemporaryFolder()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        for name in ["First", "Second"] {
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("\(name).sqlite"))
        }
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        for number in 1...10 {
            let book = context.insert("Book", ["pages": number])
            context.assign(book, to: coordinator.persistentStores[(number + 1) % 2])
        }
        try context.save()
        context.reset()
    }

    @Test func resultsAreSortedTogether() throws {
        let request = FetchLibrary.books("pages > 2")
        #expect(FetchLibrary.pages(try context.fetch(request)) == Array(3...10))
        request.fetchLimit = 3
        request.fetchOffset = 2
        #expect(FetchLibrary.pages(try context.fetch(request)) == [5, 6, 7])
        #expect(try context.count(for: request) == 3)
    }

    @Test func affectedStores() throws {
        let request = FetchLibrary.books()
        request.affectedStores = [second]
        let found = try context.fetch(request)
        #expect(FetchLibrary.pages(found) == [2, 4, 6, 8, 10])
        #expect(found.allSatisfy { $0.objectID.persistentStore === second })
        #expect(try context.count(for: request) == 5)
        let new = context.insert("Book", ["pages": 0])
        context.assign(new, to: first)
        #expect(try context.fetch(request).count == 5)
        request.affectedStores = [first]
        #expect(FetchLibrary.pages(try context.fetch(request)) == [0, 1, 3, 5, 7, 9])
    }

    /// What a context remembers of a fetch must not outlive the set of stores, whoever else uses the request.
    @Test func storesThatComeAndGo() throws {
        let request = FetchLibrary.books()
        let byName = { try FetchLibrary.pages(context.fetch(FetchLibrary.books("pages > 0"))).sorted() }
        #expect(try byName() == Array(1...10))
        let (url, removed) = (second.url, second)
        try coordinator.remove(removed)
        for _ in 0..<3 {
            #expect(try byName() == [1, 3, 5, 7, 9])
            #expect(FetchLibrary.pages(try context.fetch(request)) == [1, 3, 5, 7, 9])
        }
        #expect(request.entity === coordinator.managedObjectModel.entitiesByName["Book"])
        _ = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        #expect(FetchLibrary.pages(try context.fetch(request)) == Array(1...10))
        try coordinator.remove(first)
        for _ in 0..<3 {
            #expect(try byName() == [2, 4, 6, 8, 10])
            #expect(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag")).isEmpty)
        }
        request.affectedStores = [removed]
        #expect(try context.fetch(request).isEmpty)
        context.insert("Book", ["pages": 12])
        #expect(try byName() == [2, 4, 6, 8, 10, 12])
        context.reset()
        #expect(try byName() == [2, 4, 6, 8, 10])
        try coordinator.remove(first)
        #expect(try byName() == [])
    }

    @Test func batchRequestsReachAllStores() throws {
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.predicate = NSPredicate(format: "pages > 5")
        update.propertiesToUpdate = ["title": "long"]
        update.resultType = .updatedObjectsCountResultType
        #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 5)
        update.affectedStores = [first]
        #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 2)
        let delete = NSBatchDeleteRequest(fetchRequest: FetchLibrary.books("title == 'long'"))
        delete.resultType = .resultTypeObjectIDs
        let ids = (try context.execute(delete) as? NSBatchDeleteResult)?.result as? [NSManagedObjectID]
        #expect(Set(ids?.compactMap(\.persistentStore) ?? []) == [first, second] && ids?.count == 5)
        #expect(try context.count(for: FetchLibrary.books()) == 5)
        let insert = NSBatchInsertRequest(entityName: "Book", objects: [["pages": 50]])
        _ = try context.execute(insert)
        insert.affectedStores = [second]
        _ = try context.execute(insert)
        let found = try context.fetch(FetchLibrary.books("pages == 50"))
        #expect(Set(found.compactMap(\.objectID.persistentStore)) == [first, second])
    }

    // MARK: Stored requests

    @Test func storedRequests() throws {
        let model = LibraryModel.make()
        let template = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        template.predicate = NSPredicate(format: "pages >= $LOW AND pages IN $ANY AND shelf == $SHELF")
        template.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
        template.fetchLimit = 2
        model.setFetchRequestTemplate(template, forName: "some")
        let plain = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        plain.predicate = NSPredicate(format: "pages == 3")
        model.setFetchRequestTemplate(plain, forName: "third")
        let library = try SQLiteLibrary(model)
        for number in 1...6 { library.context.insert("Book", ["pages": number]) }
        try library.context.save()
        let third = try #require(model.fetchRequestTemplate(forName: "third"))
        #expect(try library.context.fetch(third).count == 1)
        let request = try #require(
            model.fetchRequestFromTemplate(
                withName: "some", substitutionVariables: ["LOW": 2, "ANY": [1, 3, 4, 6], "SHELF": NSNull()]))
        let found = try library.context.fetch(request).compactMap { $0 as? NSManagedObject }
        #expect(FetchLibrary.pages(found) == [6, 4])
        #expect(model.fetchRequestFromTemplate(withName: "unknown", substitutionVariables: [:]) == nil)
        // A variable without a value is an error of the fetch.
        #expect(throws: (any Error).self) {
            try library.context.fetch(try #require(model.fetchRequestTemplate(forName: "some")))
        }
    }
}
