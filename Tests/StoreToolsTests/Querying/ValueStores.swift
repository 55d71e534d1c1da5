#if canImport(CoreDataSQLiteStorage)
import CoreData
import CoreDataTestSupport
import Foundation
import ModelFormat
import ModelPredicates
import StoreTools

/// Stores with every kind of value, made by CoreData, for tests that compare what is read from them.
enum ValueStores {
    /// Makes a store at a place and returns its model.
    typealias Maker = @Sendable (URL) throws -> NSManagedObjectModel

    static let named: [(name: String, make: Maker)] = [
        ("library", library), ("people", people), ("versions", versions), ("migrated", migrated),
        ("batch inserted", batchInserted), ("history", history), ("extreme values", extremes),
        ("external values", external), ("nested composites", composites),
    ]

    private static let library: Maker = { url in
        let model = LibraryModel.make()
        try QuerySample.open(url, model) { context in
            let tags = (0..<5).map { context.insert("Tag", ["word": "t\($0)"]) }
            for number in 0..<12 {
                let author = context.insert("Author", ["name": "A\(number)", "rating": Double(number) / 3])
                for place in 0..<(number % 4) {
                    let book = context.insert(
                        "Book", ["title": "B\(number)-\(place)", "pages": place, "author": author])
                    book.setValue(Set(tags.prefix((number + place) % 6)), forKey: "tags")
                }
            }
            let books = try context.fetchAll("Book")
            for part in 0..<3 {
                let shelf = context.insert("Shelf", ["label": "S\(part)"])
                let own = books.enumerated().filter { $0.offset % 3 == part }.map(\.element)
                shelf.setValue(NSOrderedSet(array: own.reversed()), forKey: "books")
            }
        }
        return model
    }

    private static let people: Maker = { url in
        let model = SameAnswerModel.make()
        try QuerySample.open(url, model) { context in
            var random = RandomSource(seed: 7)
            try SameAnswerModel.fill(context, &random, people: 120)
        }
        return model
    }

    private static let versions: Maker = { url in
        let model = Versions.first()
        try QuerySample.open(url, model) { Versions.fill($0) }
        return model
    }

    private static let migrated: Maker = { url in
        _ = try versions(url)
        let model = Versions.changed { entities, _ in
            let person = entities["Person"]!
            person.properties.first { $0.name == "name" }!.renamingIdentifier = "name"
            person.properties.first { $0.name == "name" }!.name = "fullName"
            person.properties += [
                LibraryModel.attribute("height", .doubleAttributeType, optional: false, default: 1.75),
                LibraryModel.attribute("photo", .binaryDataAttributeType),
            ]
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: MigrationStore.automatically)
        try coordinator.remove(store)
        try QuerySample.open(url, model) { context in context.insert("Person", ["fullName": "New", "photo": Data([1])])
        }
        return model
    }

    private static let batchInserted: Maker = { url in
        let model = SameAnswerModel.make()
        try QuerySample.open(url, model) { context in
            let rows: [[String: Any]] = (0..<300).map { number in
                var row: [String: Any] = [
                    "serial": number, "code": "c\(number)", "born": Date(timeIntervalSinceReferenceDate: 1.5),
                    "girth": 2,
                ]
                if number % 2 == 0 { row["price"] = NSDecimalNumber(string: "\(number).10") }
                if number % 3 == 0 { row["token"] = UUID() }
                if number % 5 == 0 { row["link"] = URL(string: "https://example.org/a%20b?c=\(number)#d")! }
                if number % 7 == 0 { row["blob"] = Data(repeating: 7, count: number) }
                return row
            }
            let request = NSBatchInsertRequest(entityName: "Person", objects: rows)
            _ = try context.execute(request)
        }
        return model
    }

    private static let history: Maker = { url in
        let model = LibraryModel.make()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            context.transactionAuthor = "tests"
            var books: [NSManagedObject] = []
            for number in 0..<20 { books.append(context.insert("Book", ["title": "B\(number)", "pages": number])) }
            try context.save()
            for book in books.prefix(5) { context.delete(book) }
            for book in books.suffix(5) { book.setValue("changed", forKey: "title") }
            try context.save()
        }
        try coordinator.remove(store)
        return model
    }

    private static let extremes: Maker = { url in
        let model = SameAnswerModel.make()
        let values: [(String, [Any])] = [
            ("small", [Int16.min, Int16.max, 0]), ("count", [Int32.min, Int32.max, -1]),
            ("large", [Int64.min, Int64.max, 1 << 53 + 1]),
            (
                "ratio",
                [Double.greatestFiniteMagnitude, -Double.leastNonzeroMagnitude, Double.infinity, 0.1 + 0.2, -0.0, 1e16]
            ),
            ("part", [Float.greatestFiniteMagnitude, Float.leastNonzeroMagnitude, Float(0.1), Float(16_777_217)]),
            (
                "price",
                [
                    "0", "-0.01", "99999999999999999999999999999999999999", "12345678901234567890.123456789",
                    "0.0000000000000000000000000001", "1e20", "-9007199254740993", "0.1",
                ].map { NSDecimalNumber(string: $0) }
            ),
            (
                "name",
                [
                    "", " ", "a\u{0}b", "e\u{301}", "👩‍👩‍👧", "\u{FEFF}x", "line\nline\r\n",
                    String(repeating: "long", count: 9000),
                    "\u{10FFFF}", "'\"\\",
                ]
            ),
            (
                "seen",
                [-1e11, 1e11, 0.000_001, -978_307_200, 0.123_456_789_012, 736_000_000.000_1].map {
                    Date(timeIntervalSinceReferenceDate: $0)
                } + [Date.distantPast, Date.distantFuture]
            ),
            ("token", [UUID(uuidString: "00000000-0000-0000-0000-000000000000")!, UUID()]),
            ("blob", [Data(), Data([0]), Data(repeating: 255, count: 70_000)]),
            (
                "link",
                ["https://example.org/%C3%A9?q=%25#f", "mailto:a@b", "file:///tmp/a%20b", "relative/path"].compactMap {
                    URL(string: $0)
                }
            ),
            ("isOpen", [true, false]),
        ]
        try QuerySample.open(url, model) { context in
            for (key, list) in values { for value in list { context.insert("Person", [key: value]) } }
        }
        return model
    }

    private static let external: Maker = { url in
        let model = QuerySample.model()
        try QuerySample.open(url, model) { context in
            for number in 0..<8 {
                context.insert(
                    "Book", ["title": "\(number)", "scan": Data(repeating: UInt8(number), count: number * 40_000)])
            }
        }
        return model
    }

    private static let composites: Maker = { url in
        let model = QuerySample.model()
        try QuerySample.open(url, model) { context in
            let places: [[String: Any]] = [
                ["street": "a"], ["geo": ["lat": 1.5]], ["geo": ["lon": 2.5], "street": ""],
                ["street": "b", "geo": ["lat": 1.5, "lon": -0.5]], [:],
            ]
            for (number, place) in places.enumerated() {
                context.insert(
                    number % 2 == 0 ? "Book" : "Novel", ["place": place, "notes": ["x": number] as NSDictionary])
            }
        }
        return model
    }

    // MARK: Random stores

    /// Makes a store of a random model with random objects.
    static func random(seed: Int, at url: URL) throws -> NSManagedObjectModel {
        var models = SchemaRandomModels(seed: seed, redeclares: false)
        var model = models.make()
        for index in model.entities.indices {
            model.entities[index].uniquenessConstraints = []
            // An entity and its parent may have been given derived attributes of the same name.
            let ancestors = lineage(model.entities[index].parentName, model)
            let inherited = Set(ancestors.flatMap(\.attributes).map(\.name))
            model.entities[index].attributes.removeAll { inherited.contains($0.name) }
        }
        let file = url.deletingLastPathComponent().appendingPathComponent("\(UUID().uuidString).mom")
        try model.archive(parser: FormatTextParser()).write(to: file)
        guard let description = NSManagedObjectModel(contentsOf: file) else { throw SchemaTestStore.Unbuilt() }
        var generator = SeededGenerator(seed: UInt64(seed) &+ 1000)
        try QuerySample.open(url, description) { context in
            var objects: [NSManagedObject] = []
            for entity in description.entities where !entity.isAbstract {
                for _ in 0..<Int.random(in: 0...8, using: &generator) {
                    let object = NSEntityDescription.insertNewObject(forEntityName: entity.name ?? "", into: context)
                    fill(object, &generator)
                    objects.append(object)
                }
            }
            for object in objects { relate(object, objects, &generator) }
        }
        return description
    }

    /// Returns an entity and its ancestors.
    private static func lineage(_ name: String?, _ model: Model) -> [Entity] {
        var lineage: [Entity] = []
        var next = name.flatMap(model.entity(named:))
        while let entity = next {
            lineage.append(entity)
            next = entity.parentName.flatMap(model.entity(named:))
        }
        return lineage
    }

    private static func fill(_ object: NSManagedObject, _ generator: inout SeededGenerator) {
        for case let attribute as NSAttributeDescription in object.entity.properties {
            guard !attribute.isTransient, !(attribute is NSDerivedAttributeDescription),
                Int.random(in: 0..<10, using: &generator) < 7
            else { continue }
            object.setValue(value(attribute, &generator), forKey: attribute.name)
        }
    }

    private static func value(_ attribute: NSAttributeDescription, _ generator: inout SeededGenerator) -> Any? {
        let number = Int.random(in: -100...100, using: &generator)
        if let composite = attribute as? NSCompositeAttributeDescription {
            var elements: [String: Any] = [:]
            for element in composite.elements { elements[element.name] = value(element, &generator) }
            return elements
        }
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: return number
        case .booleanAttributeType: return number > 0
        case .doubleAttributeType: return Double(number) / 7
        case .floatAttributeType: return Float(number) / 7
        case .decimalAttributeType: return NSDecimalNumber(string: "\(number).\(abs(number))")
        case .stringAttributeType: return SameAnswerModel.strings.randomElement(using: &generator)
        case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: Double(number) * 86_399.25)
        case .UUIDAttributeType: return UUID()
        case .URIAttributeType: return URL(string: "https://example.org/\(number)")
        case .binaryDataAttributeType: return Data(repeating: UInt8(abs(number)), count: abs(number) * 1500)
        case .transformableAttributeType: return ["n": number] as NSDictionary
        default: return nil
        }
    }

    private static func relate(_ object: NSManagedObject, _ all: [NSManagedObject], _ generator: inout SeededGenerator)
    {
        for case let relationship as NSRelationshipDescription in object.entity.properties
        where !relationship.isTransient {
            guard let destination = relationship.destinationEntity else { continue }
            let candidates = all.filter { $0.entity.isKindOf(entity: destination) }.shuffled(using: &generator)
            let some = Array(candidates.prefix(Int.random(in: 0...4, using: &generator)))
            if relationship.isOrdered {
                object.setValue(NSOrderedSet(array: some), forKey: relationship.name)
            } else if relationship.isToMany {
                object.setValue(Set(some), forKey: relationship.name)
            } else if let first = some.first {
                object.setValue(first, forKey: relationship.name)
            }
        }
    }
}
#endif
