import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// Reading a whole table for its owners, where some have far more rows than others and text of every length: rows of one
/// owner then fill several pieces of memory, and long text lies beside them.
@Suite("Owners with uneven numbers of rows", .slow)
struct UnevenOwnersTests {
    /// How many things shelves have at most, but for the largest. With more, each shelf's rows are kept by themselves.
    private static let sizes = [43, 197]
    private static let shelves = 150
    /// Lengths around those at which text is kept in another way.
    private static let lengths = [0, 1, 15, 16, 300, 1_023, 1_024, 5_000, 17_000, 65_534, 65_535, 70_000]

    private static let prepared = Dictionary(
        uniqueKeysWithValues: sizes.map { size in (size, Result { try PreparedStore(model()) { fill($0, size) } }) })

    private static func store(_ size: Int) throws -> LoggedStore {
        let store = try LoggedStore(model(), prepared: #require(prepared[size]).get())
        _ = store.log.selections()
        return store
    }

    private static func fill(_ context: NSManagedObjectContext, _ size: Int) {
        var number = 0
        for shelf in 0..<shelves {
            let owner = context.insert("Shelf", ["number": shelf])
            for _ in 0..<count(on: shelf, size) {
                let thing = context.insert("Thing", ["number": number, "text": text(number)])
                thing.setValue(owner, forKey: "shelf")
                number += 1
            }
        }
    }

    private static func model() -> NSManagedObjectModel {
        let shelf = LibraryModel.entity("Shelf"), thing = LibraryModel.entity("Thing")
        shelf.properties = [LibraryModel.attribute("number", .integer64AttributeType)]
        thing.properties = [
            LibraryModel.attribute("number", .integer64AttributeType),
            LibraryModel.attribute("text", .stringAttributeType),
        ]
        LibraryModel.relate(shelf, "things", many: true, thing, "shelf", many: false)
        let model = NSManagedObjectModel()
        model.entities = [shelf, thing]
        return model
    }

    /// Every tenth shelf is empty, one has 1,500 things.
    private static func count(on shelf: Int, _ size: Int) -> Int {
        if shelf == 141 { return 1_500 }
        return shelf % 10 == 0 ? 0 : shelf * 7 % size + 1
    }

    private static func numbers(on shelf: Int, _ size: Int) -> Range<Int> {
        let first = (0..<shelf).reduce(0) { $0 + count(on: $1, size) }
        return first..<first + count(on: shelf, size)
    }

    /// One in 50 is long.
    private static func text(_ number: Int) -> String {
        let length = number % 50 == 0 ? lengths[number / 50 % lengths.count] : number % 40
        return String("\(number) ".prefix(length)).padding(toLength: length, withPad: "xyz", startingAt: 0)
    }

    private func shelves(_ context: NSManagedObjectContext, prefetching paths: [String]) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Shelf")
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        request.relationshipKeyPathsForPrefetching = paths
        return try context.fetch(request)
    }

    private func check(_ shelf: NSManagedObject, _ number: Int, _ size: Int) {
        let things = shelf.value(forKey: "things") as? Set<NSManagedObject> ?? []
        let numbers = things.compactMap { $0.value(forKey: "number") as? Int }.sorted()
        #expect(numbers == Array(Self.numbers(on: number, size)))
        let wrong = things.filter { thing in
            guard let number = thing.value(forKey: "number") as? Int else { return true }
            return thing.value(forKey: "text") as? String != Self.text(number)
        }
        #expect(wrong.isEmpty)
    }

    private func wholeReads(_ store: LoggedStore) -> Int {
        store.log.selections().count { $0.contains("FROM ZTHING t0") && !$0.contains("WHERE") }
    }

    @Test(arguments: sizes) func prefetchedTheyHaveWhatIsTheirs(_ size: Int) throws {
        let store = try Self.store(size)
        let context = store.makeContext()
        let shelves = try shelves(context, prefetching: ["things"])
        #expect(wholeReads(store) == 1)
        for (number, shelf) in shelves.enumerated() { check(shelf, number, size) }
        #expect(store.log.selections().isEmpty)
        withExtendedLifetime(context) {}
    }

    /// Memory is given back piece by piece, while other objects keep theirs.
    @Test(arguments: sizes) func objectsThatStayKeepTheirValues(_ size: Int) throws {
        let store = try Self.store(size)
        let context = store.makeContext()
        var kept: [NSManagedObject] = []
        try autoreleasepool {
            for shelf in try shelves(context, prefetching: ["things"]) {
                let things = shelf.value(forKey: "things") as? Set<NSManagedObject> ?? []
                kept += things.filter { ($0.value(forKey: "number") as? Int ?? 0) % 97 == 0 }
                context.refresh(shelf, mergeChanges: false)
            }
        }
        // What was given back is used again.
        let other = store.makeContext()
        let others = try shelves(other, prefetching: ["things"])
        #expect(kept.count == (Self.numbers(on: Self.shelves - 1, size).upperBound + 96) / 97)
        for thing in kept {
            #expect(thing.value(forKey: "text") as? String == (thing.value(forKey: "number") as? Int).map(Self.text))
        }
        withExtendedLifetime((context, other, others)) {}
    }

    @Test(arguments: sizes) func oneAfterTheOtherTheyHaveToo(_ size: Int) throws {
        let store = try Self.store(size)
        // A busy machine may keep a loop from reading ahead.
        for _ in 0..<10 {
            let context = store.makeContext()
            let shelves = try shelves(context, prefetching: [])
            for shelf in shelves { _ = shelf.value(forKey: "things") as? Set<NSManagedObject> }
            guard wholeReads(store) > 0 else { continue }
            for (number, shelf) in shelves.enumerated() { check(shelf, number, size) }
            withExtendedLifetime(context) {}
            return
        }
        Issue.record("Nothing is read ahead.")
    }

    /// Owners with a row or two each share memory, with one among them that has more than all others of its group together.
    @Test func manySmallOwnersAndALargeOneHaveWhatIsTheirs() throws {
        let store = try LoggedStore(Self.model())
        let context = store.makeContext()
        let owners = (0..<1_500).map { context.insert("Shelf", ["number": $0]) }
        var owned: [[Int]] = Array(repeating: [], count: owners.count)
        for number in 0..<4_500 {
            // Those of the large one lie among the others'.
            let owner = number % 3 == 0 ? 1_234 : (number / 3 * 7 + number % 3) % owners.count
            owned[owner].append(number)
            context.insert("Thing", ["number": number, "text": "\(number)"]).setValue(owners[owner], forKey: "shelf")
        }
        try context.save()
        context.reset()
        _ = store.log.selections()

        let shelves = try shelves(context, prefetching: ["things"])
        let wholeReads = store.log.selections().filter { $0.contains("FROM ZTHING t0") && !$0.contains("WHERE") }
        #expect(wholeReads.count == 1)
        for (number, shelf) in shelves.enumerated() {
            let things = shelf.value(forKey: "things") as? Set<NSManagedObject> ?? []
            #expect(things.compactMap { $0.value(forKey: "number") as? Int }.sorted() == owned[number])
        }
        #expect(store.log.selections().isEmpty)
        withExtendedLifetime(context) {}
    }

    /// Rows have the names of files alone.
    @Test func whereValuesLieInFilesTheTableIsReadAsAWholeToo() throws {
        let model = Self.model()
        let scan = LibraryModel.attribute("scan", .binaryDataAttributeType)
        scan.allowsExternalBinaryDataStorage = true
        model.entitiesByName["Thing"]?.properties.append(scan)
        let store = try LoggedStore(model)
        let context = store.makeContext()
        for shelf in 0..<60 {
            let owner = context.insert("Shelf", ["number": shelf])
            for number in 0..<50 {
                let thing = context.insert("Thing", ["number": shelf * 50 + number])
                thing.setValue(owner, forKey: "shelf")
                if number == 0 { thing.setValue(Data(repeating: UInt8(shelf), count: 200_000), forKey: "scan") }
            }
        }
        try context.save()
        context.reset()
        _ = store.log.selections()

        for (number, shelf) in try shelves(context, prefetching: ["things"]).enumerated() {
            let things = shelf.value(forKey: "things") as? Set<NSManagedObject> ?? []
            #expect(things.count == 50)
            let scans = things.compactMap { $0.value(forKey: "scan") as? Data }
            #expect(scans == [Data(repeating: UInt8(number), count: 200_000)])
        }
        let whole = store.log.selections().filter { $0.contains("FROM ZTHING t0") && !$0.contains("WHERE") }
        #expect(whole.count == 1)
        withExtendedLifetime(context) {}
    }
}
