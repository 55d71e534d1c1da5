import CoreData
import Foundation
import Testing

/// Programs copy relationships out of descriptions that do not outlive the function that made them (an assertion of a
/// published test: `relationship.copy()` keeps its inverse when the template is gone).
struct CopiedRelationshipTests {
    private func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        return entity
    }

    private func relationship(_ name: String, to destination: NSEntityDescription?, max: Int)
        -> NSRelationshipDescription
    {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = max
        return relationship
    }

    private func pair(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
        one.inverseRelationship = other
        other.inverseRelationship = one
    }

    private func copy<T: NSObject>(_ description: T) -> T { description.copy() as! T }

    /// The templates are in no entity, or in ones that go with them.
    @Test(arguments: [false, true])
    func inverseOfTemplatesThatAreGone(_ inEntities: Bool) throws {
        func makeModel() -> NSManagedObjectModel {
            let (author, book) = (entity("Author"), entity("Book"))
            let (oldAuthor, oldBook) = (entity("Author"), entity("Book"))
            let books = relationship("books", to: inEntities ? oldBook : book, max: 0)
            let writer = relationship("writer", to: inEntities ? oldAuthor : author, max: 1)
            pair(books, writer)
            if inEntities {
                oldAuthor.properties = [books]
                oldBook.properties = [writer]
            }
            author.properties = [copy(books)]
            book.properties = [copy(writer)]
            let model = NSManagedObjectModel()
            model.entities = [author, book]
            return model
        }
        let model = makeModel()
        let books = try #require(model.entitiesByName["Author"]?.relationshipsByName["books"])
        let writer = try #require(model.entitiesByName["Book"]?.relationshipsByName["writer"])
        #expect(books.destinationEntity === writer.entity && writer.destinationEntity === books.entity)
        #expect(books.inverseRelationship === writer && writer.inverseRelationship === books)

        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        context.persistentStoreCoordinator = coordinator
        context.performAndWait {
            let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            book.setValue(author, forKey: "writer")
            #expect(author.value(forKey: "books") as? NSSet == [book])
        }
        #expect(books.inverseRelationship === writer && writer.inverseRelationship === books)
    }

    /// The corrected model, written out by hand, opens what the copies' model saved.
    @Test func hashesAreThoseOfTheModelWrittenOut() throws {
        func model(copying: Bool) -> NSManagedObjectModel {
            let (author, book) = (entity("Author"), entity("Book"))
            let (books, writer) = (relationship("books", to: book, max: 0), relationship("writer", to: author, max: 1))
            pair(books, writer)
            author.properties = [copying ? copy(books) : books]
            book.properties = [copying ? copy(writer) : writer]
            let model = NSManagedObjectModel()
            model.entities = [author, book]
            return model
        }
        #expect(model(copying: true).entityVersionHashesByName == model(copying: false).entityVersionHashesByName)
        #expect(model(copying: true) == model(copying: false))
    }

    /// The properties are set, and the entities named, after the model has them.
    @Test func orderOfSettingUpDoesNotMatter() throws {
        let (author, book) = (entity("Author"), entity("Book"))
        let model = NSManagedObjectModel()
        model.entities = [author, book]
        do {
            let (books, writer) = (relationship("books", to: book, max: 0), relationship("writer", to: author, max: 1))
            pair(books, writer)
            author.properties = [copy(copy(books))]
            book.properties = [copy(writer)]
        }
        #expect(author.relationshipsByName["books"]?.inverseRelationship === book.relationshipsByName["writer"])
        model.setEntities([author], forConfigurationName: "Some")
        let whole = copy(model)
        let books = try #require(whole.entitiesByName["Author"]?.relationshipsByName["books"])
        #expect(books.inverseRelationship === whole.entitiesByName["Book"]?.relationshipsByName["writer"])
    }

    @Test func copiedEntitiesLeadToEachOther() throws {
        func copies() -> [NSEntityDescription] {
            let (author, book) = (entity("Author"), entity("Book"))
            let (books, writer) = (relationship("books", to: book, max: 0), relationship("writer", to: author, max: 1))
            pair(books, writer)
            author.properties = [books]
            book.properties = [writer]
            return [copy(author), copy(book)]
        }
        let model = NSManagedObjectModel()
        model.entities = copies()
        let books = try #require(model.entitiesByName["Author"]?.relationshipsByName["books"])
        #expect(books.destinationEntity === model.entitiesByName["Book"])
        #expect(books.inverseRelationship === model.entitiesByName["Book"]?.relationshipsByName["writer"])
    }

    @Test func whatIsSetOnACopyStands() {
        let (author, book, other) = (entity("Author"), entity("Book"), entity("Other"))
        let (books, writer) = (relationship("books", to: book, max: 0), relationship("writer", to: author, max: 1))
        pair(books, writer)
        let mine = copy(books)
        mine.destinationEntity = other
        mine.inverseRelationship = nil
        author.properties = [mine]
        book.properties = [copy(writer)]
        let model = NSManagedObjectModel()
        model.entities = [author, book, other]
        #expect(mine.destinationEntity === other)
        #expect(mine.inverseRelationship == nil)
    }
}
