import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Predicates that compare objects by order: for walks through a table from key to key.
///
/// What is expected follows from the order of the results when they are sorted by `self`, which is that of the keys.
@Suite("Objects in the order of their keys")
struct KeyOrderTests {
    private let library: FetchLibrary
    private var context: NSManagedObjectContext { library.context }

    init() throws { library = try FetchLibrary() }

    private static func request(
        _ entity: String, _ format: String? = nil, _ arguments: [Any] = [], ascending: Bool = true
    ) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
        request.sortDescriptors = [NSSortDescriptor(key: "self", ascending: ascending)]
        return request
    }

    private func books(_ format: String? = nil, _ arguments: Any...) throws -> [NSManagedObject] {
        try context.fetch(Self.request("Book", format, arguments))
    }

    /// All objects of an entity, some at a time.
    private func walk(_ entity: String, by size: Int) throws -> [NSManagedObject] {
        var seen: [NSManagedObject] = []
        while true {
            let request = Self.request(entity, seen.isEmpty ? nil : "SELF > %@", seen.suffix(1))
            request.fetchLimit = size
            let found = try context.fetch(request)
            seen += found
            if found.count < size { return seen }
        }
    }

    @Test(arguments: [1, 3, 8, 40, 41])
    func walksMeetEveryRowOnce(_ size: Int) throws {
        #expect(try walk("Book", by: size) == books())
        // Cats, dogs and puppies share a table.
        for entity in ["Animal", "Dog", "Cat", "Puppy"] {
            let all = try context.fetch(Self.request(entity))
            #expect(try walk(entity, by: size) == all)
            #expect(all.count == ["Animal": 8, "Dog": 5, "Cat": 3, "Puppy": 2][entity])
        }
    }

    @Test func everyOperatorFromBothSides() throws {
        let all = try books()
        for place in [0, 17, 39] {
            for pivot in [all[place], all[place].objectID] as [Any] {
                let expected: [(String, ArraySlice<NSManagedObject>)] = [
                    ("SELF > %@", all[(place + 1)...]), ("SELF >= %@", all[place...]), ("SELF < %@", all[..<place]),
                    ("objectID <= %@", all[...place]), ("%@ > SELF", all[..<place]), ("%@ >= SELF", all[...place]),
                    ("%@ < objectID", all[(place + 1)...]), ("%@ <= SELF", all[place...]),
                ]
                for (format, objects) in expected {
                    #expect(try books(format, pivot) == Array(objects), "\(format)")
                    let predicate = NSPredicate(format: format, argumentArray: [pivot])
                    #expect(all.filter { predicate.evaluate(with: $0) } == Array(objects), "\(format) in memory")
                }
            }
        }
    }

    @Test func throughRelationships() throws {
        let authors = try context.fetch(Self.request("Author"))
        for format in ["author > %@", "author.objectID <= %@", "%@ < author", "ANY author.books >= %@"] {
            let pivot = format.contains("books") ? try books()[20] : authors[1]
            let predicate = NSPredicate(format: format, argumentArray: [pivot])
            let inMemory = try books().filter { predicate.evaluate(with: $0) }
            #expect(try books(format, pivot) == inMemory && !inMemory.isEmpty, "\(format)")
            #expect(inMemory.allSatisfy { $0.value(forKey: "author") != nil })
        }
        // The one animal with an owner is the first author's.
        #expect(try context.fetch(Self.request("Animal", "owner < %@", [authors[1]])).count == 1)
        #expect(try context.fetch(Self.request("Animal", "owner > %@", [authors[0]])).isEmpty)
        // Objects of two hierarchies have no order, whatever their keys.
        #expect(try books("SELF > author").isEmpty && books("SELF <= author").isEmpty)
        #expect(NSPredicate(format: "SELF >= author").evaluate(with: try books()[0]) == false)
    }

    /// All go through what was compiled for the first.
    @Test func whatIsNotOfTheTableFindsNothing() throws {
        let other = try FetchLibrary()
        let unsaved = library.makeContext().insert("Book")
        let foreign = try other.context.fetch(Self.request("Book"))[10]
        let all = try books()
        let author = try #require(try context.fetch(Self.request("Author")).first)
        for format in ["SELF > %@", "SELF <= %@", "%@ >= SELF", "objectID < %@"] {
            for object in [unsaved, foreign, author] {
                #expect(try books(format, all[20]).count >= 19)
                #expect(try books(format, object).isEmpty)
                #expect(try books(format, object.objectID).isEmpty)
                #expect(try books(format, all[19].objectID).count >= 19)
                let predicate = NSPredicate(format: format, argumentArray: [object])
                #expect(!all.contains { predicate.evaluate(with: $0) })
            }
            #expect(try books(format, NSNull()).isEmpty)
            #expect(!NSPredicate(format: format, argumentArray: [NSNull()]).evaluate(with: all[0]))
        }
        // Equality goes on as before.
        #expect(try books("SELF == %@", unsaved).isEmpty && books("SELF != %@", unsaved).count == 40)
    }

    @Test func otherCoordinatorsOfTheSameFileShareTheOrder() throws {
        let pivot = try books()[20].objectID
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: FetchLibrary.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: library.folder.file("Library.sqlite"))
        let second = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        second.persistentStoreCoordinator = coordinator
        let found = try second.fetch(Self.request("Book", "SELF > %@", [pivot]))
        #expect(found.count == 19)
        #expect(found.allSatisfy { NSPredicate(format: "SELF > %@", pivot).evaluate(with: $0) })
    }

    // MARK: Unsaved changes

    @Test func changedObjectsKeepTheirPlace() throws {
        let all = try books()
        for place in [3, 12, 13] { all[place].setValue(900 + place, forKey: "pages") }
        context.delete(all[14])
        context.insert("Book", ["pages": 999])
        let request = Self.request("Book", "SELF > %@", [all[11]])
        request.fetchLimit = 4
        #expect(try context.fetch(request) == [12, 13, 15, 16].map { all[$0] })
        #expect(try books("SELF > %@ AND pages > 500", all[3]) == [all[12], all[13]])
        #expect(try books("SELF <= %@ AND pages > 500", all[12]) == [all[3], all[12]])
    }

    /// What has no key yet comes last, in the order in which it was made.
    @Test func unsavedObjectsAreSortedLast() throws {
        let all = try books()
        let new = (0..<3).map { context.insert("Book", ["pages": $0]) }
        #expect(try books() == all + new)
        #expect(try context.fetch(Self.request("Book", ascending: false)) == (all + new).reversed())
        #expect(try books("SELF > %@", all[37]) == Array(all[38...]))
    }

    @Test func permanentIDsOfUnsavedObjectsHaveTheirPlace() throws {
        let all = try books()
        let new = context.insert("Book")
        try context.obtainPermanentIDs(for: [new])
        #expect(try books("SELF > %@", all[38]) == [all[39], new])
    }

    // MARK: Other stores

    @Test(arguments: KindOfStore.builtIn)
    func everyStoreAgrees(_ kind: KindOfStore) throws {
        let store = try EveryStore(kind)
        for number in 0..<9 { store.context.insert(number % 3 == 0 ? "Gadget" : "Thing", ["name": "\(number)"]) }
        store.context.insert("Drawer", ["label": "top"])
        try store.context.save()
        try store.reopen()
        let context = store.context
        for entity in ["Thing", "Gadget"] {
            let all = try context.fetch(Self.request(entity))
            #expect(try context.fetch(Self.request(entity, ascending: false)) == all.reversed())
            for (place, pivot) in all.enumerated() {
                #expect(try context.fetch(Self.request(entity, "SELF > %@", [pivot])) == Array(all[(place + 1)...]))
                #expect(try context.fetch(Self.request(entity, "%@ > objectID", [pivot])) == Array(all[..<place]))
            }
            for other in [context.insert("Thing", ["name": "new"]), try context.fetch(Self.request("Drawer"))[0]] {
                let request = Self.request(entity, "SELF > %@", [other])
                request.includesPendingChanges = false
                #expect(try context.fetch(request).isEmpty)
            }
            context.rollback()
        }
    }
}
