import CCoreDataSQLite
import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// Walking to-many relationships one object after the other: the rest of the table is read in one go once a good part of it
/// has been read by its owners, and still every object shows what is in the file at that moment.
@Suite("Reading to-many relationships ahead")
struct ReadingAheadTests {
    private let folder: TemporaryFolder
    private let url: URL
    private let log: StatementLog
    private let coordinator: NSPersistentStoreCoordinator

    private static let boxes = 100
    private static let things = 9_000

    /// 100 boxes; every tenth has nothing in it, the others have 100 things each, of two entities. 10 things lie nowhere.
    private static let prepared = Result {
        try PreparedStore(model()) { context in
            let boxes = (0..<boxes).map { context.insert("Box", ["number": $0]) }
            for number in 0..<things {
                let thing = context.insert(number % 4 == 0 ? "Clock" : "Thing", ["number": number])
                thing.setValue(boxes[box(number)], forKey: "box")
                if number % 4 == 0 { thing.setValue("tick \(number)", forKey: "sound") }
            }
            for number in 0..<10 { context.insert("Thing", ["number": -number]) }
        }
    }

    init() throws {
        folder = try TemporaryFolder()
        url = folder.file("Boxes.sqlite")
        try Self.prepared.get().write(to: url)
        log = StatementLog(url)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        _ = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        _ = log.selections()
    }

    private static func model() -> NSManagedObjectModel {
        let box = LibraryModel.entity("Box"), thing = LibraryModel.entity("Thing")
        let clock = LibraryModel.entity("Clock")
        box.properties = [LibraryModel.attribute("number", .integer64AttributeType)]
        thing.properties = [LibraryModel.attribute("number", .integer64AttributeType)]
        clock.properties = [LibraryModel.attribute("sound", .stringAttributeType)]
        thing.subentities = [clock]
        LibraryModel.relate(box, "things", many: true, thing, "box", many: false)
        let model = NSManagedObjectModel()
        model.entities = [box, thing, clock]
        return model
    }

    private static func box(_ number: Int) -> Int {
        let place = number % 90
        return place + place / 9 + 1
    }

    private static func numbers(in box: Int) -> [Int] { (0..<things).filter { Self.box($0) == box } }

    private func makeContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func boxes(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Box")
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        return try context.fetch(request)
    }

    private static func numbers(_ box: NSManagedObject) -> [Int] {
        things(of: box).compactMap { $0.value(forKey: "number") as? Int }.sorted()
    }

    private static func things(of box: NSManagedObject) -> [NSManagedObject] {
        Array(box.value(forKey: "things") as? Set<NSManagedObject> ?? [])
    }

    /// How often the whole table was read, and how often the things of one box, since the last time.
    private func reads() -> (whole: Int, single: Int) {
        let statements = log.selections().filter { $0.contains("ZTHING") && !$0.hasPrefix("SELECT m") }
        return (statements.count { !$0.contains("WHERE") }, statements.count { $0.contains("WHERE") })
    }

    /// Walks the first boxes until the rest has been read ahead, which a busy machine may keep a loop from.
    private func boxesReadAhead(_ context: () -> NSManagedObjectContext) throws -> [NSManagedObject] {
        for _ in 0..<10 {
            let boxes = try boxes(context())
            for box in boxes.prefix(60) { _ = Self.numbers(box) }
            if reads().whole == 1 { return boxes }
        }
        Issue.record("Nothing is read ahead.")
        return try boxes(context())
    }

    @Test func everyBoxHasItsThings() throws {
        let boxes = try boxesReadAhead { makeContextThatStays() }
        let contents = boxes.map(Self.numbers)
        #expect(contents == (0..<Self.boxes).map(Self.numbers(in:)))
        #expect(reads() == (0, 0))
        for box in boxes {
            for thing in Self.things(of: box) {
                let number = try #require(thing.value(forKey: "number") as? Int)
                #expect(thing.value(forKey: "box") as? NSManagedObject === box)
                #expect(thing.entity.name == (number % 4 == 0 ? "Clock" : "Thing"))
                if number % 4 == 0 { #expect(thing.value(forKey: "sound") as? String == "tick \(number)") }
            }
        }
        let registered = boxes[0].managedObjectContext?.registeredObjects.count
        #expect(registered == Self.boxes + Self.things, "Things in no box are not registered.")
    }

    @Test func aFewBoxesAreReadByThemselves() throws {
        let context = makeContext()
        for box in try boxes(context).prefix(8) { _ = Self.numbers(box) }
        #expect(reads() == (0, 8))
        withExtendedLifetime(context) {}
    }

    /// As while somebody scrolls through a list: no step should take much longer than the others.
    @Test(.slow) func aLoopThatDoesMuchElseKeepsToSingleBoxes() async throws {
        let context = makeContext()
        for box in try boxes(context).prefix(30) {
            _ = Self.numbers(box)
            try await Task.sleep(for: .milliseconds(200))
        }
        #expect(reads() == (0, 30))
        withExtendedLifetime(context) {}
    }

    @Test func whatOthersSaveMeanwhileIsSeen() throws {
        let boxes = try boxesReadAhead { makeContextThatStays() }
        let other = makeContext()
        let changed = try other.existingObject(with: boxes[73].objectID)
        let gone = try #require(Self.things(of: changed).first)
        let goneNumber = gone.value(forKey: "number") as? Int
        other.delete(gone)
        other.insert("Thing", ["number": 100_000]).setValue(changed, forKey: "box")
        try other.save()

        #expect(Self.numbers(boxes[73]) == Self.numbers(in: 73).filter { $0 != goneNumber } + [100_000])
        #expect(Self.numbers(boxes[74]) == Self.numbers(in: 74))
    }

    @Test func soIsWhatAnotherProgramWrites() throws {
        let boxes = try boxesReadAhead { makeContextThatStays() }
        // Another connection, as another program would have.
        try execute(
            """
            UPDATE ZTHING SET ZNUMBER = -1000 WHERE ZNUMBER = \(Self.numbers(in: 83)[0]);
            UPDATE ZTHING SET ZBOX = NULL WHERE ZBOX = (SELECT Z_PK FROM ZBOX WHERE ZNUMBER = 84)
            """)
        #expect(Self.numbers(boxes[83]) == [-1000] + Self.numbers(in: 83).dropFirst())
        #expect(Self.numbers(boxes[84]).isEmpty)
        #expect(Self.numbers(boxes[85]) == Self.numbers(in: 85))
    }

    private func execute(_ sql: String) throws {
        var handle: OpaquePointer?
        #expect(sqlite3_open(url.path, &handle) == SQLITE_OK)
        defer { _ = sqlite3_close(handle) }
        #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    }

    @Test func soIsTheOwnSaveOfTheContext() throws {
        let boxes = try boxesReadAhead { makeContextThatStays() }
        let context = try #require(boxes[0].managedObjectContext)
        let moved = try #require(Self.things(of: boxes[1]).first)
        moved.setValue(boxes[93], forKey: "box")
        #expect(Self.things(of: boxes[93]).contains(moved))
        try context.save()
        context.refreshAllObjects()
        let number = try #require(moved.value(forKey: "number") as? Int)
        #expect(Self.numbers(boxes[93]) == (Self.numbers(in: 93) + [number]).sorted())
        #expect(Self.numbers(boxes[1]) == Self.numbers(in: 1).filter { $0 != number })
    }

    /// A context that looks at an earlier state of the store is not given what was read ahead of the present one.
    @Test func anEarlierGenerationIsReadByItself() throws {
        let pinned = makeContext(), other = makeContext()
        try pinned.setQueryGenerationFrom(.current)
        let early = try boxes(pinned)
        let thing = other.insert("Thing", ["number": 100_000])
        thing.setValue(try other.existingObject(with: early[73].objectID), forKey: "box")
        try other.save()

        let late = try boxesReadAhead { makeContextThatStays() }
        #expect(Self.numbers(early[73]) == Self.numbers(in: 73))
        #expect(Self.numbers(late[73]) == Self.numbers(in: 73) + [100_000])
        withExtendedLifetime(pinned) {}
    }

    @Test func severalContextsShareWhatWasReadAhead() throws {
        let boxes = try boxesReadAhead { makeContextThatStays() }
        let others = try self.boxes(makeContextThatStays())
        for number in 61..<65 {
            #expect(Self.numbers(others[number]) == Self.numbers(in: number))
            #expect(Self.numbers(boxes[number]) == Self.numbers(in: number))
        }
        #expect(reads() == (0, 0))
        // What had been read before was not read again.
        #expect(Self.numbers(others[1]) == Self.numbers(in: 1))
        #expect(reads() == (0, 1))
    }

    @Test func theSameBoxOverAndOverIsReadByItself() throws {
        for _ in 0..<120 {
            let box = try boxes(makeContextThatStays())[1]
            #expect(Self.numbers(box) == Self.numbers(in: 1))
        }
        let (whole, single) = reads()
        #expect(whole <= 1)
        #expect(single == 120)
    }

    /// With 24 KB of text in each, the things would take more memory than is taken for them.
    @Test(.slow) func whatIsTooLargeIsNotKept() throws {
        let context = makeContext()
        for box in try boxes(context) {
            for clock in Self.things(of: box) where clock.entity.name == "Clock" {
                clock.setValue(String(repeating: "tick ", count: 4_900), forKey: "sound")
            }
        }
        try context.save()
        _ = reads()
        let boxes = try boxes(makeContextThatStays())
        #expect(boxes.map(Self.numbers) == (0..<Self.boxes).map(Self.numbers(in:)))
        let (whole, single) = reads()
        #expect(whole <= 3, "It is tried again after twice as much has been read.")
        #expect(single == Self.boxes)
    }

    /// Keys are whatever a file says.
    @Test func aVeryLargeKeyDoesNoHarm() throws {
        try execute("UPDATE ZTHING SET Z_PK = 4611686018427387904 WHERE ZNUMBER = -1")
        let boxes = try boxes(makeContextThatStays())
        #expect(boxes.map(Self.numbers) == (0..<Self.boxes).map(Self.numbers(in:)))
        #expect(reads() == (0, Self.boxes))
    }

    private final class Contexts { var all: [NSManagedObjectContext] = [] }
    private let contexts = Contexts()

    private func makeContextThatStays() -> NSManagedObjectContext {
        let context = makeContext()
        contexts.all.append(context)
        return context
    }

    /// Each turn saves: reading ahead would be in vain.
    @Test func savingInBetweenKeepsToSingleBoxes() throws {
        let context = makeContext()
        for (number, box) in try boxes(context).enumerated() {
            #expect(Self.numbers(box) == Self.numbers(in: number))
            box.setValue(number + 1_000, forKey: "number")
            try context.save()
        }
        #expect(reads() == (0, Self.boxes))
    }

    @Test func threadsReadingTogetherGetTheSame() async throws {
        let ids = try boxes(makeContextThatStays()).map(\.objectID)
        let coordinator = coordinator
        try await withThrowingTaskGroup(of: Void.self) { group in
            for start in [0, 25, 50, 75] {
                group.addTask {
                    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                    context.persistentStoreCoordinator = coordinator
                    try await context.perform {
                        for place in 0..<ids.count {
                            let number = (place + start) % ids.count
                            let box = try context.existingObject(with: ids[number])
                            #expect(Self.numbers(box) == Self.numbers(in: number))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
