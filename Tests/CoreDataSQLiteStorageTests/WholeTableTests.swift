import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Prefetching what most of a table belongs to: then the table is read from one end to the other, instead of row by row.
@Suite("Prefetching most of a table")
struct WholeTableTests {
    private let store: LoggedStore
    private var log: StatementLog { store.log }

    private static let shelves = 60

    /// 60 shelves with 0 to 99 things each, of three entities; every tenth thing lies on no shelf.
    init() throws {
        store = try LoggedStore(Self.model())
        let context = store.makeContext()
        let shelves = (0..<Self.shelves).map { context.insert("Shelf", ["number": $0]) }
        for number in 0..<3_300 {
            let thing = context.insert(["Thing", "Vase", "Clock"][number % 3], ["number": number])
            if number % 10 != 0 { thing.setValue(shelves[Self.shelf(number)], forKey: "shelf") }
            if number % 3 == 2 { thing.setValue("tick \(number)", forKey: "sound") }
        }
        try context.save()
        _ = log.selections()
    }

    private static func model(ordered: Bool = false) -> NSManagedObjectModel {
        let shelf = LibraryModel.entity("Shelf"), thing = LibraryModel.entity("Thing")
        let vase = LibraryModel.entity("Vase"), clock = LibraryModel.entity("Clock")
        shelf.properties = [LibraryModel.attribute("number", .integer64AttributeType)]
        thing.properties = [LibraryModel.attribute("number", .integer64AttributeType)]
        clock.properties = [LibraryModel.attribute("sound", .stringAttributeType)]
        thing.subentities = [vase, clock]
        LibraryModel.relate(shelf, "things", many: true, thing, "shelf", many: false, ordered: ordered)
        let model = NSManagedObjectModel()
        model.entities = [shelf, thing, vase, clock]
        return model
    }

    /// Shelves with higher numbers have more; the first has nothing.
    private static func shelf(_ number: Int) -> Int {
        let place = number * 7919 % 1_770
        var shelf = 0
        var sum = 0
        while sum + shelf <= place {
            sum += shelf
            shelf += 1
        }
        return shelf
    }

    private static func numbers(on shelf: Int) -> [Int] {
        (0..<3_300).filter { $0 % 10 != 0 && Self.shelf($0) == shelf }
    }

    private func makeContext() -> NSManagedObjectContext { store.makeContext() }

    private func shelves(_ format: String, _ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Shelf")
        request.predicate = NSPredicate(format: format)
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
        request.relationshipKeyPathsForPrefetching = ["things"]
        return try context.fetch(request)
    }

    /// Whether that happened since the last time.
    private func wholeTableIsRead() -> Bool {
        log.selections().contains { $0.contains("FROM ZTHING t0") && !$0.contains("WHERE") }
    }

    private static func numbers(_ shelf: NSManagedObject) -> [Int] {
        things(of: shelf).compactMap { $0.value(forKey: "number") as? Int }.sorted()
    }

    private static func things(of shelf: NSManagedObject) -> [NSManagedObject] {
        Array(shelf.value(forKey: "things") as? Set<NSManagedObject> ?? [])
    }

    @Test func everyShelfHasItsThings() throws {
        let context = makeContext()
        let shelves = try shelves("number >= 0", context)
        #expect(wholeTableIsRead())
        #expect(shelves.map(Self.numbers) == (0..<Self.shelves).reversed().map { Self.numbers(on: $0) })
        #expect(log.selections().isEmpty, "Members and their values are at hand.")
        for thing in shelves.flatMap(Self.things(of:)) {
            guard let number = thing.value(forKey: "number") as? Int else { continue }
            #expect(thing.entity.name == ["Thing", "Vase", "Clock"][number % 3])
            if number % 3 == 2 { #expect(thing.value(forKey: "sound") as? String == "tick \(number)") }
        }
        #expect(context.registeredObjects.count == Self.shelves + 2_970, "Things on no shelf are not fetched.")
    }

    @Test func shelvesNotAskedForAreLeftOut() throws {
        let context = makeContext()
        let shelves = try shelves("number >= 20", context)
        #expect(wholeTableIsRead())
        #expect(shelves.map(Self.numbers) == (20..<Self.shelves).reversed().map { Self.numbers(on: $0) })
        #expect(context.registeredObjects.count == 40 + (20..<60).map { Self.numbers(on: $0).count }.reduce(0, +))
    }

    @Test(arguments: ["number < 30", "number > 50"]) func aFewAreFoundOneByOne(format: String) throws {
        let context = makeContext()
        let shelves = try shelves(format, context)
        #expect(log.selections().last?.contains("ON t0.ZSHELF = k.value") == true)
        for shelf in shelves {
            #expect(Self.numbers(shelf) == Self.numbers(on: shelf.value(forKey: "number") as! Int))
        }
        #expect(log.selections().isEmpty)
        withExtendedLifetime(context) {}
    }

    /// Things of three entities lead to the same shelves.
    @Test(arguments: ["number < 3300", "number IN {1, 2, 3, 4, 5, 6}"])
    func shelvesFoundSeveralTimesHaveTheirThingsOnce(format: String) throws {
        let context = makeContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.predicate = NSPredicate(format: format)
        request.relationshipKeyPathsForPrefetching = ["shelf.things"]
        let shelves = Set(try context.fetch(request).compactMap { $0.value(forKey: "shelf") as? NSManagedObject })
        _ = log.selections()
        for shelf in shelves {
            let numbers = Self.numbers(on: shelf.value(forKey: "number") as! Int)
            #expect(Self.numbers(shelf) == numbers)
            #expect((shelf.value(forKey: "things") as? Set<NSManagedObject>)?.count == numbers.count)
        }
        #expect(log.selections().isEmpty)
    }

    @Test func soDoOrderedShelves() throws {
        let store = try LoggedStore(Self.model(ordered: true))
        let context = store.makeContext()
        let shelf = context.insert("Shelf", ["number": 1])
        let things = (0..<9).map { context.insert(["Thing", "Vase", "Clock"][$0 % 3], ["number": $0]) }
        shelf.setValue(NSOrderedSet(array: things.reversed()), forKey: "things")
        try context.save()
        context.reset()

        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.relationshipKeyPathsForPrefetching = ["shelf.things"]
        let found = try #require(try context.fetch(request).first?.value(forKey: "shelf") as? NSManagedObject)
        let members = try #require(found.value(forKey: "things") as? NSOrderedSet)
        #expect(members.array.map { ($0 as? NSManagedObject)?.value(forKey: "number") as? Int } == (0..<9).reversed())
        #expect(members.count == 9)
    }

    @Test func whatIsUnsavedStaysAsItIs() throws {
        let context = makeContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.predicate = NSPredicate(format: "number IN {1, 2, 3}")
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        let things = try context.fetch(request)
        let shelf = try #require(
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf")).first {
                $0.value(forKey: "number") as? Int == 0
            })
        things[0].setValue(shelf, forKey: "shelf")
        things[1].setValue(nil, forKey: "shelf")
        things[2].setValue(-3, forKey: "number")
        _ = log.selections()

        let shelves = try shelves("number >= 0", context)
        #expect(wholeTableIsRead())
        var expected = (0..<Self.shelves).map { Set(Self.numbers(on: $0)) }
        expected[Self.shelf(1)].remove(1)
        expected[Self.shelf(2)].remove(2)
        expected[Self.shelf(3)].remove(3)
        expected[Self.shelf(3)].insert(-3)
        expected[0].insert(1)
        #expect(shelves.map { Set(Self.numbers($0)) } == expected.reversed())
        #expect(Self.things(of: shelf).contains { $0 === things[0] })
    }
}
