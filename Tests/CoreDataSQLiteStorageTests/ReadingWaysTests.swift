import CoreData
import Foundation
import Testing

import class CoreDataSQLiteStorage.SQLiteConnection
import CoreDataTestSupport

/// The same rows reach objects in several ways: as members of a relationship, through an index, in small and large numbers.
@Suite("Ways of reading rows")
struct ReadingWaysTests {
    private let store: LoggedStore
    private let context: NSManagedObjectContext
    private var log: StatementLog { store.log }

    init() throws {
        store = try LoggedStore(Self.model())
        context = store.makeContext()
    }

    /// Shelves have things of three entities, and rooms, some of them halls, have shelves. `number` has an index, `twin` none.
    private static func model() -> NSManagedObjectModel {
        let room = LibraryModel.entity("Room"), hall = LibraryModel.entity("Hall")
        let shelf = LibraryModel.entity("Shelf")
        let thing = LibraryModel.entity("Thing"), vase = LibraryModel.entity("Vase")
        let clock = LibraryModel.entity("Clock"), box = LibraryModel.entity("Box")
        room.properties = [LibraryModel.attribute("name", .stringAttributeType)]
        room.subentities = [hall]
        shelf.properties = [LibraryModel.attribute("number", .integer64AttributeType)]
        thing.properties = [LibraryModel.attribute("number", .integer64AttributeType)]
        thing.subentities = [vase, clock]
        clock.properties = [LibraryModel.attribute("sound", .stringAttributeType)]
        box.properties = [
            LibraryModel.attribute("number", .integer64AttributeType),
            LibraryModel.attribute("twin", .integer64AttributeType),
            LibraryModel.attribute("weight", .doubleAttributeType),
            LibraryModel.attribute("packed", .dateAttributeType),
            LibraryModel.attribute("isFull", .booleanAttributeType),
            LibraryModel.attribute("label", .stringAttributeType),
            LibraryModel.attribute("seal", .binaryDataAttributeType),
        ]
        if let number = box.attributesByName["number"] {
            let element = NSFetchIndexElementDescription(property: number, collationType: .binary)
            box.indexes = [NSFetchIndexDescription(name: "byNumber", elements: [element])]
        }
        LibraryModel.relate(shelf, "things", many: true, thing, "shelf", many: false)
        LibraryModel.relate(shelf, "row", many: true, thing, "rowShelf", many: false, ordered: true)
        LibraryModel.relate(room, "shelves", many: true, shelf, "room", many: false)
        LibraryModel.relate(shelf, "boxes", many: true, box, "shelf", many: false)
        let model = NSManagedObjectModel()
        model.entities = [room, hall, shelf, thing, vase, clock, box]
        return model
    }

    private func all(_ entity: String, sortedBy key: String) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        return try context.fetch(request)
    }

    // MARK: Members

    @Test func membersKnowWhomTheyBelongTo() throws {
        for number in 0..<3 {
            let shelf = context.insert("Shelf", ["number": number])
            for position in 0..<number * 20 {
                let thing = context.insert(["Thing", "Vase", "Clock"][position % 3], ["number": position])
                thing.setValue(shelf, forKey: "shelf")
                if position % 2 == 0 { thing.setValue(shelf, forKey: "rowShelf") }
            }
        }
        try context.save()
        context.reset()
        _ = log.selections()

        let shelves = try all("Shelf", sortedBy: "number")
        for (number, shelf) in shelves.enumerated() {
            let things = shelf.value(forKey: "things") as? Set<NSManagedObject> ?? []
            #expect(things.count == number * 20)
            _ = log.selections()
            for thing in things {
                #expect(thing.value(forKey: "shelf") as? NSManagedObject === shelf)
                let position = try #require(thing.value(forKey: "number") as? Int)
                #expect(thing.entity.name == ["Thing", "Vase", "Clock"][position % 3])
                #expect(thing.value(forKey: "rowShelf") as? NSManagedObject === (position % 2 == 0 ? shelf : nil))
            }
            #expect(log.selections().isEmpty, "Whom members belong to is known with them.")
        }
        context.reset()
        let shelf = try #require(try all("Shelf", sortedBy: "number").last)
        let row = try #require(shelf.value(forKey: "row") as? NSOrderedSet)
        let numbers = row.array.compactMap { ($0 as? NSManagedObject)?.value(forKey: "number") as? Int }
        #expect(numbers == Array(stride(from: 0, to: 40, by: 2)))
        for case let thing as NSManagedObject in row {
            #expect(thing.value(forKey: "rowShelf") as? NSManagedObject === shelf)
            #expect(thing.value(forKey: "shelf") as? NSManagedObject === shelf)
        }
    }

    /// Where the other side has sub-entities, a row says which of them it leads to.
    @Test func membersKnowTheEntityTheyBelongTo() throws {
        for (index, entity) in ["Room", "Hall"].enumerated() {
            let room = context.insert(entity, ["name": entity])
            for number in 0..<9 {
                context.insert("Shelf", ["number": index * 100 + number]).setValue(room, forKey: "room")
            }
        }
        try context.save()
        context.reset()
        for room in try all("Room", sortedBy: "name") {
            let shelves = room.value(forKey: "shelves") as? Set<NSManagedObject> ?? []
            #expect(shelves.count == 9)
            for shelf in shelves { #expect(shelf.value(forKey: "room") as? NSManagedObject === room) }
            #expect(room.entity.name == room.value(forKey: "name") as? String)
        }
    }

    @Test func whatLeavesItsOwnerIsSavedSo() throws {
        let shelf = context.insert("Shelf", ["number": 1])
        for number in 0..<12 { context.insert("Thing", ["number": number]).setValue(shelf, forKey: "shelf") }
        try context.save()
        context.reset()
        let again = try #require(try all("Shelf", sortedBy: "number").first)
        for thing in again.value(forKey: "things") as? Set<NSManagedObject> ?? [] {
            #expect(thing.committedValues(forKeys: ["shelf"])["shelf"] as? NSManagedObject === again)
            if (thing.value(forKey: "number") as? Int ?? 0) % 3 == 0 { thing.setValue(nil, forKey: "shelf") }
        }
        #expect(context.updatedObjects.count == 5)
        try context.save()
        context.reset()
        let left = try all("Thing", sortedBy: "number").filter { $0.value(forKey: "shelf") != nil }
        #expect(left.compactMap { $0.value(forKey: "number") as? Int } == (0..<12).filter { $0 % 3 != 0 })
    }

    // MARK: Values

    /// 300 boxes, in which every property is missing now and then, and is zero or empty now and then.
    private func insertBoxes() throws {
        let shelf = context.insert("Shelf", ["number": 1])
        for number in 0..<300 {
            let box = context.insert("Box", Self.values(number))
            if number % 8 != 0 { box.setValue(shelf, forKey: "shelf") }
        }
        try context.save()
        context.reset()
    }

    private static func values(_ number: Int) -> [String: Any] {
        var values: [String: Any] = ["number": number % 60 - 5, "twin": number % 60 - 5]
        if number % 2 != 0 { values["weight"] = Double(number % 3) }
        if number % 3 != 0 { values["packed"] = Date(timeIntervalSinceReferenceDate: Double(number % 4)) }
        if number % 5 != 0 { values["isFull"] = number % 4 == 1 }
        if number % 6 != 0 { values["label"] = String(repeating: "é", count: number % 7 * 5) }
        if number % 7 != 0 { values["seal"] = Data(repeating: 7, count: number % 5) }
        if number % 60 == 10 { values["number"] = nil }
        if number % 60 == 10 { values["twin"] = nil }
        return values
    }

    @Test(arguments: [0, 1, 2, 3, 8, 9, 128, 129, 136, 137, 300])
    func missingValuesStayMissing(limit: Int) throws {
        try insertBoxes()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Box")
        request.fetchLimit = limit
        let boxes = try context.fetch(request)
        #expect(boxes.count == (limit == 0 ? 300 : limit))
        #expect(Set(boxes.map(ObjectIdentifier.init)).count == boxes.count)
        let known = Set((0..<300).map { Self.text(of: Self.values($0), hasShelf: $0 % 8 != 0) })
        for box in boxes {
            var values = box.dictionaryWithValues(
                forKeys: ["number", "twin", "weight", "packed", "isFull", "label", "seal"])
            for (key, value) in values where value is NSNull { values[key] = nil }
            #expect(known.contains(Self.text(of: values, hasShelf: box.value(forKey: "shelf") != nil)))
        }
    }

    private static func text(of values: [String: Any], hasShelf: Bool) -> String {
        let number = (values["number"] as? Int).map(String.init) ?? "-"
        let weight = (values["weight"] as? Double).map { "\($0)" } ?? "-"
        let packed = (values["packed"] as? Date).map { "\($0.timeIntervalSinceReferenceDate)" } ?? "-"
        let isFull = (values["isFull"] as? Bool).map { "\($0)" } ?? "-"
        let label = values["label"] as? String ?? "-"
        let seal = (values["seal"] as? Data).map { "\($0.count)" } ?? "-"
        return [number, weight, packed, isFull, label, seal, "\(hasShelf)"].joined(separator: " ")
    }

    // MARK: Indexes

    @Test(
        arguments: [
            "%K == 7", "%K < 7", "%K <= 7", "%K > 7", "%K >= 7", "%K BETWEEN {3, 9}", "%K == nil", "%K > 1000",
            "7 < %K", "%K > 6.5",
        ])
    func anIndexGivesWhatOtherColumnsGive(format: String) throws {
        try insertBoxes()
        for (limit, offset) in [(0, 0), (1, 0), (20, 0), (20, 13), (150, 0)] {
            for ascending in [true, false] {
                func fetch(_ key: String) throws -> [NSManagedObject] {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Box")
                    request.predicate = NSPredicate(format: format, key)
                    request.sortDescriptors = [NSSortDescriptor(key: key, ascending: ascending)]
                    (request.fetchLimit, request.fetchOffset) = (limit, offset)
                    return try context.fetch(request)
                }
                let (found, expected) = (try fetch("number"), try fetch("twin"))
                #expect(found.map(\.objectID) == expected.map(\.objectID))
            }
        }
    }

    @Test(arguments: [("number", true), ("twin", false)])
    func onlyAnIndexIsAskedForKeysFirst(key: String, isIndexed: Bool) throws {
        try insertBoxes()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Box")
        request.predicate = NSPredicate(format: "%K > 3", key)
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        _ = log.selections()
        #expect(try context.fetch(request).count == 250)
        #expect(log.selections().last?.contains("CROSS JOIN") == isIndexed)

        request.fetchLimit = 150
        #expect(try context.fetch(request).count == 150)
        #expect(log.selections().last?.contains("CROSS JOIN") == isIndexed)

        // A short page comes sooner from a shorter query.
        request.fetchLimit = 20
        #expect(try context.fetch(request).count == 20)
        #expect(log.selections().last?.contains("CROSS JOIN") == false)
    }

    /// A model that gets an index is still the model of files without it. Nor is a part of the rows enough.
    @Test(
        arguments: [
            nil, "CREATE INDEX part ON ZBOX (ZNUMBER) WHERE ZNUMBER > 100", "CREATE INDEX other ON ZBOX (ZTWIN)",
        ])
    func aFileWithoutTheIndexIsNotAskedForKeys(replacement: String?) throws {
        try insertBoxes()
        let file = try SQLiteConnection(path: store.url.path, access: .readWrite, busyTimeout: 5)
        let names = try file.prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '%ZNUMBER%'")
        var indexes: [String] = []
        while try names.step() { if let name = names.text(0) { indexes.append(name) } }
        #expect(!indexes.isEmpty)
        for name in indexes { try file.execute("DROP INDEX \(name)") }
        if let replacement { try file.execute(replacement) }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Box")
        request.predicate = NSPredicate(format: "number > 3")
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        _ = log.selections()
        let boxes = try context.fetch(request)
        let statements = log.selections()
        #expect(statements.last?.contains("FROM ZBOX t0 WHERE") == true, "\(statements)")
        #expect(!statements.contains { $0.contains("CROSS JOIN") })
        request.predicate = NSPredicate(format: "twin > 3")
        request.sortDescriptors = [NSSortDescriptor(key: "twin", ascending: true)]
        let twins = try context.fetch(request)
        #expect(boxes.count == 250 && boxes.map(\.objectID) == twins.map(\.objectID))
        #expect(log.selections().count == 1, "The file is asked once.")
    }
}
