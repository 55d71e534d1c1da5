import CoreData
import CoreDataTestSupport
import Testing

@Suite("Object IDs")
struct ObjectIDTests {
    @Test func aPermanentIDIsWrittenAsAURIAndReadBack() throws {
        let library = try Library()
        let store = try #require(library.coordinator.persistentStores.first)
        try library.context.performAndWait {
            let book = library.context.insert("Book", ["title": "Emma"])
            try library.context.save()
            let uri = book.objectID.uriRepresentation()
            #expect(uri.absoluteString == "x-coredata://\(store.identifier!)/Book/p1")
            let found = try #require(library.coordinator.managedObjectID(forURIRepresentation: uri))
            #expect(found == book.objectID)
            #expect(found.hash == book.objectID.hash)
            #expect(found.entity.name == "Book")
            #expect(found.persistentStore === store)
            #expect(!found.isTemporaryID)
            #expect(library.coordinator.managedObjectID(for: uri.absoluteString) == found)
        }
    }

    @Test func aTemporaryIDCannotBeReadBack() throws {
        let library = try Library()
        library.context.performAndWait {
            let id = library.context.insert("Book").objectID
            #expect(id.isTemporaryID)
            #expect(id.persistentStore == nil)
            let uri = id.uriRepresentation()
            #expect(uri.absoluteString.hasPrefix("x-coredata:///Book/t"))
            #expect(library.coordinator.managedObjectID(forURIRepresentation: uri) == nil)
        }
    }

    @Test(arguments: [
        "http://example.org/Book/p1", "x-coredata://nobody/Book/p1", "x-coredata://UUID/Scroll/p1",
        "x-coredata://UUID/Book/q1", "x-coredata://UUID/Book/p", "x-coredata://UUID/Book/pone",
        "x-coredata://UUID/Book",
        "x-coredata://UUID/Book/p-1", "",
    ])
    func whatIsNoIDOfThisCoordinatorGivesNil(text: String) throws {
        let library = try Library()
        let uuid = try #require(library.coordinator.persistentStores.first?.identifier)
        let text = text.replacingOccurrences(of: "UUID", with: uuid)
        #expect(library.coordinator.managedObjectID(for: text) == nil)
    }

    @Test func theIDNeedNotExist() throws {
        let library = try Library()
        let uuid = try #require(library.coordinator.persistentStores.first?.identifier)
        let id = try #require(library.coordinator.managedObjectID(for: "x-coredata://\(uuid)/Book/p999"))
        library.context.performAndWait {
            let missing = #expect(throws: (any Error).self) { try library.context.existingObject(with: id) }
            #expect((missing as NSError?)?.code == NSManagedObjectReferentialIntegrityError)
        }
    }

    @Test func iDsOfTheSameRowAreEqualAcrossCoordinators() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("a.binary")
        func open() throws -> NSPersistentStoreCoordinator {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
            try coordinator.addPersistentStore(ofType: NSBinaryStoreType, configurationName: nil, at: url)
            return coordinator
        }
        let (one, two) = (try open(), try open())
        let uuid = try #require(one.persistentStores.first?.identifier)
        let first = try #require(one.managedObjectID(for: "x-coredata://\(uuid)/Book/p3"))
        let second = try #require(two.managedObjectID(for: "x-coredata://\(uuid)/Book/p3"))
        #expect(first == second)
        #expect(Set([first, second]).count == 1)
        #expect(first != one.managedObjectID(for: "x-coredata://\(uuid)/Book/p4"))
        #expect(first != one.managedObjectID(for: "x-coredata://\(uuid)/Tag/p3"))
    }

    @Test func anAncestorMayBeNamedAsTheEntity() throws {
        let person = LibraryModel.entity("Person"), poet = LibraryModel.entity("Poet")
        person.properties = [LibraryModel.attribute("name", .stringAttributeType)]
        person.subentities = [poet]
        let model = NSManagedObjectModel()
        model.entities = [person, poet]
        let library = try Library(model)
        let uuid = try #require(library.coordinator.persistentStores.first?.identifier)
        let asPerson = try #require(library.coordinator.managedObjectID(for: "x-coredata://\(uuid)/Person/p1"))
        let asPoet = try #require(library.coordinator.managedObjectID(for: "x-coredata://\(uuid)/Poet/p1"))
        #expect(asPerson == asPoet)
        #expect(asPerson.hash == asPoet.hash)
    }

    @Test func anIDOutlivesItsCoordinator() throws {
        var id: NSManagedObjectID?
        do {
            let library = try Library()
            let uuid = try #require(library.coordinator.persistentStores.first?.identifier)
            id = library.coordinator.managedObjectID(for: "x-coredata://\(uuid)/Book/p1")
        }
        #expect(id?.entity.name == "Book")
        #expect(id?.persistentStore == nil)
        #expect(id?.uriRepresentation().path == "/Book/p1")
    }
}
