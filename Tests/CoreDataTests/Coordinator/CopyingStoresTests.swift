import CoreData
import CoreDataTestSupport
import Testing

@Suite("Copying stores")
struct CopyingStoresTests {
    static let types = [NSSQLiteStoreType, NSBinaryStoreType, NSXMLStoreType, NSInMemoryStoreType]
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: types, types)
    func everythingIsCopied(from: String, to: String) throws {
        let library = try Library(type: from, at: folder.file("from"))
        try library.perform { context in
            let author = context.insert("Author", ["name": "Austen"])
            let books = ["Emma", "Sense", "Pride"].map { context.insert("Book", ["title": $0, "author": author]) }
            let novel = context.insert("Tag", ["word": "novel"])
            novel.setValue(Set(books), forKey: "books")
            let shelf = context.insert("Shelf", ["label": "A"])
            shelf.setValue(NSOrderedSet(array: [books[2], books[0], books[1]]), forKey: "books")
            try context.save()
            context.reset()
        }
        let old = try #require(library.coordinator.persistentStores.first)
        library.coordinator.setMetadata(["mine": "yes"], for: old)
        let new = try library.coordinator.migratePersistentStore(old, to: folder.file("to"), withType: to)
        #expect(library.coordinator.persistentStores == [new])
        #expect(old.persistentStoreCoordinator == nil)
        #expect(new.type == to)
        #expect(new.identifier != old.identifier)
        #expect(library.coordinator.metadata(for: new)["mine"] as? String == "yes")
        let context = library.makeContext()
        try context.performAndWait {
            let author = try #require(try context.fetchAll("Author").first)
            #expect((author.value(forKey: "books") as? Set<NSManagedObject>)?.count == 3)
            let tag = try #require(try context.fetchAll("Tag").first)
            #expect((tag.value(forKey: "books") as? Set<NSManagedObject>)?.count == 3)
            let shelf = try #require(try context.fetchAll("Shelf").first)
            let order = (shelf.value(forKey: "books") as? NSOrderedSet)?.array as? [NSManagedObject]
            #expect(order?.map { $0.value(forKey: "title") as? String } == ["Pride", "Emma", "Sense"])
            #expect(order?.first?.objectID.persistentStore === new)
        }
    }

    @Test func anExistingFileIsNotOverwritten() throws {
        let library = try Library(type: NSBinaryStoreType, at: folder.file("from"))
        let store = try #require(library.coordinator.persistentStores.first)
        let taken = folder.file("taken")
        try Data("letter".utf8).write(to: taken)
        #expect {
            try library.coordinator.migratePersistentStore(store, to: taken, withType: NSXMLStoreType)
        } throws: { ($0 as NSError).code == NSPersistentStoreOperationError }
        #expect(library.coordinator.persistentStores == [store])
        #expect(try Data(contentsOf: taken) == Data("letter".utf8))
    }
}
