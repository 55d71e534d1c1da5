import CoreData
import CoreDataTestSupport
import PredicateFormat
import Testing

/// Files: foreign and damaged ones are refused and left alone, stores are emptied, copied and moved while in use.
@Suite
struct FileTests {
    private func temporaryFile(_ content: Data) throws -> URL {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("foreign-\(UUID().uuidString).sqlite")
        try content.write(to: url)
        return url
    }

    private func add(_ url: URL, options: [AnyHashable: Any]? = nil) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        return coordinator
    }

    @Test func foreignFilesAreRefused() throws {
        let garbage = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let url = try temporaryFile(garbage)
        defer { try? FileManager.default.removeItem(at: url) }
        do {
            _ = try add(url)
            Issue.record("The file was accepted.")
        } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == CocoaError.fileReadCorruptFile.rawValue)
            #expect(error.userInfo[NSSQLiteErrorDomain] as? Int == 26)
        }
        #expect(try Data(contentsOf: url) == garbage)
        #expect(throws: (any Error).self) {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
        }
    }

    @Test func readOnlyStoresAreNotCreated() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("none-\(UUID().uuidString).sqlite")
        #expect(throws: (any Error).self) { try add(url, options: [NSReadOnlyPersistentStoreOption: true]) }
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test func otherModelsAreRefused() throws {
        let library = try SQLiteLibrary()
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.properties += [LibraryModel.attribute("colour", .stringAttributeType)]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        do {
            _ = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: library.url)
            Issue.record("The store was opened with another model.")
        } catch let error as NSError {
            #expect(error.code == NSPersistentStoreIncompatibleVersionHashError)
        }
    }

    @Test func backsUpWhileInUse() throws {
        let library = try SQLiteLibrary()
        let big = Data(repeating: 7, count: 300_000)
        library.context.insert("Book", ["title": "saved", "cover": big])
        try library.context.save()
        let backup = library.url.deletingLastPathComponent().appendingPathComponent("Backup.sqlite")
        try library.coordinator.replacePersistentStore(
            at: backup, withPersistentStoreFrom: library.url, ofType: NSSQLiteStoreType)
        library.context.insert("Book", ["title": "later"])
        try library.context.save()
        let coordinator = try add(backup)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
        #expect(books.map { $0.value(forKey: "title") as? String } == ["saved"])
        #expect(books.first?.value(forKey: "cover") as? Data == big)
    }

    @Test func destroysAndMakesAnew() throws {
        let library = try SQLiteLibrary()
        library.context.insert("Book")
        try library.context.save()
        let identifier: String = library.store.identifier
        try library.coordinator.remove(library.store)
        try library.coordinator.destroyPersistentStore(at: library.url, ofType: NSSQLiteStoreType)
        let coordinator = try add(library.url)
        #expect(coordinator.persistentStores[0].identifier != identifier)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 0)
    }

    @Test func largeDataLiesInFilesOfItsOwn() throws {
        let model = LibraryModel.make()
        (model.entitiesByName["Book"]?.attributesByName["cover"])?.allowsExternalBinaryDataStorage = true
        let library = try SQLiteLibrary(model)
        let folder = library.url.deletingLastPathComponent().appendingPathComponent(".Library_SUPPORT/_EXTERNAL_DATA")
        // Files that no row names any more are collected in the background.
        func files(_ expected: Int) -> Int {
            for _ in 0..<200 {
                let count = (try? FileManager.default.contentsOfDirectory(atPath: folder.path).count) ?? 0
                if count == expected { return count }
                Thread.sleep(forTimeInterval: 0.02)
            }
            return -1
        }
        let (big, small) = (Data(repeating: 1, count: 200_000), Data([1, 2, 3]))
        let book = library.context.insert("Book", ["title": "big", "cover": big])
        library.context.insert("Book", ["title": "small", "cover": small])
        try library.context.save()
        #expect(files(1) == 1)
        let fresh = library.makeContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        #expect(try fresh.fetch(request).map { $0.value(forKey: "cover") as? Data } == [big, small])
        request.predicate = NSPredicate(format: "cover == %@", small)
        #expect(try fresh.fetch(request).count == 1)
        book.setValue(small, forKey: "cover")
        try library.context.save()
        #expect(files(0) == 0)
        book.setValue(big, forKey: "cover")
        try library.context.save()
        #expect(files(1) == 1)
        library.context.delete(book)
        try library.context.save()
        #expect(files(0) == 0)
    }

    @Test func storesWithoutAFile() throws {
        let coordinator = try add(URL(fileURLWithPath: "/dev/null"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.insert("Book")
        try context.save()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 1)
        try coordinator.remove(coordinator.persistentStores[0])
    }

    @Test func derivedAttributes() throws {
        let model = LibraryModel.make()
        func derived(_ name: String, _ type: NSAttributeType, _ format: String) -> NSDerivedAttributeDescription {
            let attribute = NSDerivedAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.derivationExpression = NSExpression(format: format)
            return attribute
        }
        model.entitiesByName["Author"]?.properties += [
            derived("bookCount", .integer64AttributeType, "books.@count"),
            derived("pageCount", .integer64AttributeType, "books.@sum.pages"),
            derived("searchName", .stringAttributeType, "canonical:(name)"),
            derived("saved", .dateAttributeType, "now()"),
        ]
        model.entitiesByName["Book"]?.properties += [
            derived("authorName", .stringAttributeType, "author.name"),
            derived("tagCount", .integer64AttributeType, "tags.@count"),
        ]
        let library = try SQLiteLibrary(model)
        let context = library.context
        let author = context.insert("Author", ["name": "ÉMILE"])
        let books = (1...3).map { context.insert("Book", ["pages": $0 * 10, "author": author]) }
        books[0].setValue(NSSet(object: context.insert("Tag")), forKey: "tags")
        try context.save()
        func check(_ entity: String, _ format: String) throws {
            #expect(
                try library.makeContext().count(
                    for: {
                        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                        request.predicate = NSPredicate(format: format)
                        return request
                    }()) == 1, "\(format)")
        }
        try check("Author", "bookCount == 3 AND pageCount == 60 AND searchName == 'emile' AND saved != nil")
        try check("Book", "tagCount == 1 AND authorName == 'ÉMILE'")
        #expect(author.value(forKey: "bookCount") as? Int == 3)
        author.setValue("Zoë", forKey: "name")
        books[1].setValue(nil, forKey: "author")
        context.delete(books[2])
        books[0].setValue(NSSet(), forKey: "tags")
        try context.save()
        try check("Author", "bookCount == 1 AND pageCount == 10 AND searchName == 'zoe'")
        try check("Book", "tagCount == 0 AND authorName == 'Zoë'")
    }
}
