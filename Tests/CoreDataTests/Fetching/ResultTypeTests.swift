import CoreData
import PredicateFormat
import Testing

/// What a fetch gives, by result type; and which entities it looks at.
@Suite
struct ResultTypeTests {
    private let library: FetchLibrary

    init() throws { library = try FetchLibrary() }

    @Test func objects() throws {
        let books = try library.context.fetch(FetchLibrary.books("pages <= 3"))
        #expect(FetchLibrary.pages(books) == [1, 2, 3])
        // The same row gives the same object.
        #expect(try library.context.fetch(FetchLibrary.books("pages == 2")).first === books[1])
    }

    @Test func objectIDs() throws {
        let books = try library.context.fetch(FetchLibrary.books("pages > 35"))
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        request.resultType = .managedObjectIDResultType
        request.predicate = NSPredicate(format: "pages > 35")
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
        #expect(try library.context.fetch(request) == books.reversed().map(\.objectID))
        request.includesPropertyValues = false
        #expect(try library.context.fetch(request) == books.reversed().map(\.objectID))
        request.fetchLimit = 2
        request.fetchOffset = 1
        #expect(try library.context.fetch(request) == [books[3].objectID, books[2].objectID])
    }

    @Test func idsOfSubentitiesNameTheirEntity() throws {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Animal")
        request.resultType = .managedObjectIDResultType
        let names = try library.context.fetch(request).compactMap(\.entity.name)
        #expect(names.count == 8 && names.count { $0 == "Puppy" } == 2 && names.count { $0 == "Dog" } == 3)
    }

    @Test func counts() throws {
        let request = FetchLibrary.books("inPrint == YES")
        #expect(try library.context.count(for: request) == 20)
        request.fetchLimit = 5
        #expect(try library.context.count(for: request) == 5)
        request.fetchLimit = 0
        request.fetchOffset = 18
        #expect(try library.context.count(for: request) == 2)
        request.fetchOffset = 30
        #expect(try library.context.count(for: request) == 0)
        let counting = NSFetchRequest<NSNumber>(entityName: "Book")
        counting.resultType = .countResultType
        #expect(try library.context.fetch(counting) == [40])
    }

    @Test func countingReadsNoRows() throws {
        #expect(try library.context.count(for: FetchLibrary.books()) == 40)
        #expect(library.log.queries() == 1)
        #expect(library.context.registeredObjects.isEmpty)
    }

    @Test func subentities() throws {
        func count(_ entity: String, _ includesSubentities: Bool) throws -> [Int] {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.includesSubentities = includesSubentities
            let dictionaries = NSFetchRequest<NSDictionary>(entityName: entity)
            dictionaries.resultType = .dictionaryResultType
            dictionaries.includesSubentities = includesSubentities
            return [
                try library.context.fetch(request).count, try library.context.count(for: request),
                try library.context.fetch(dictionaries).count,
            ]
        }
        #expect(try count("Animal", true) == [8, 8, 8])
        #expect(try count("Dog", true) == [5, 5, 5])
        #expect(try count("Dog", false) == [3, 3, 3])
        #expect(try count("Puppy", true) == [2, 2, 2])
        // An abstract entity has no objects of its own.
        #expect(try count("Animal", false) == [0, 0, 0])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Animal")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        #expect(
            try library.context.fetch(request).map(\.entity.name)
                == ["Cat", "Cat", "Cat", "Dog", "Dog", "Dog", "Puppy", "Puppy"])
    }

    @Test func requestsThatCannotBe() throws {
        func code(_ body: () throws -> Void) -> Int? {
            do {
                try body()
                return nil
            } catch { return (error as NSError).code }
        }
        #expect(code { _ = try library.context.fetch(NSFetchRequest<NSManagedObject>()) } == NSCoreDataError)
        #expect(
            code { _ = try library.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Nobody")) }
                == NSCoreDataError)
        let wrong = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        #expect(code { _ = try library.context.fetch(wrong) } == NSCoreDataError)
        #expect(code { _ = try library.context.fetch(FetchLibrary.books("colour == 1")) } == NSCoreDataError)
        let unsorted = FetchLibrary.books()
        unsorted.sortDescriptors = [NSSortDescriptor(key: "colour", ascending: true)]
        #expect(code { _ = try library.context.fetch(unsorted) } == NSCoreDataError)
    }

    @Test func copiesCanBeEdited() throws {
        let request = FetchLibrary.books("pages == 1")
        request.fetchLimit = 3
        request.relationshipKeyPathsForPrefetching = ["author"]
        let copy = try #require(request.copy() as? NSFetchRequest<NSManagedObject>)
        #expect(copy == request)
        copy.predicate = NSPredicate(format: "pages == 2")
        #expect(copy != request)
        #expect(FetchLibrary.pages(try library.context.fetch(request)) == [1])
        #expect(FetchLibrary.pages(try library.context.fetch(copy)) == [2])
    }

    @Test func executesInTheCurrentContext() throws {
        let found = try library.context.performAndWait { try FetchLibrary.books("pages == 7").execute() }
        #expect(FetchLibrary.pages(found) == [7])
    }
}
