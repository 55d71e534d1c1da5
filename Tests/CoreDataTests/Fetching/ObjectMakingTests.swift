import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Rows become objects in the order of the fetch and once each, whatever is registered already.
@Suite("Objects of many rows")
struct ObjectMakingTests {
    private let library: FetchLibrary
    private var context: NSManagedObjectContext { library.context }

    /// 300 books with two of 40 tags each; 300 animals, cats, dogs and puppies by turns.
    private static let prepared = Result {
        try PreparedStore(FetchLibrary.model()) { context in
            let tags = (0..<40).map { context.insert("Tag", ["word": String(format: "%02d", $0)]) }
            for number in 0..<300 {
                let book = context.insert("Book", ["pages": number])
                let (one, other) = (number % 40, number * 7 % 40)
                book.setValue(Set([tags[one], tags[other]]), forKey: "tags")
                let entity = ["Cat", "Dog", "Puppy"][number % 3]
                context.insert(entity, ["name": String(format: "%03d", number)])
            }
        }
    }

    init() throws { library = try FetchLibrary(prepared: Self.prepared.get()) }

    @Test func orderIsKeptWhereSomeAreRegistered() throws {
        let registered = try context.fetch(FetchLibrary.books("pages IN {0, 9, 10, 11, 64, 65, 200, 299}"))
        registered[3].setValue("changed", forKey: "title")
        let books = try context.fetch(FetchLibrary.books())
        #expect(FetchLibrary.pages(books) == Array(0..<300))
        for (object, position) in zip(registered, [0, 9, 10, 11, 64, 65, 200, 299]) {
            #expect(books[position] === object)
        }
        #expect(books[11].value(forKey: "title") as? String == "changed")
        #expect(context.registeredObjects.count == 300)
    }

    @Test func orderIsKeptWhereEntitiesAlternate() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Animal")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let animals = try context.fetch(request)
        #expect(animals.map { $0.value(forKey: "name") as? String } == (0..<300).map { String(format: "%03d", $0) })
        #expect(animals.map(\.entity.name) == (0..<300).map { ["Cat", "Dog", "Puppy"][$0 % 3] })
    }

    @Test func whatManyLeadToIsMadeOnce() throws {
        let request = FetchLibrary.books()
        request.relationshipKeyPathsForPrefetching = ["tags"]
        let books = try context.fetch(request)
        var tags: Set<ObjectIdentifier> = []
        for (number, book) in books.enumerated() {
            let members = book.value(forKey: "tags") as? Set<NSManagedObject> ?? []
            let words = Set([number % 40, number * 7 % 40].map { String(format: "%02d", $0) })
            #expect(Set(members.compactMap { $0.value(forKey: "word") as? String }) == words)
            tags.formUnion(members.map { ObjectIdentifier($0) })
        }
        #expect(tags.count == 40)
        #expect(context.registeredObjects.count == 340)
    }
}
