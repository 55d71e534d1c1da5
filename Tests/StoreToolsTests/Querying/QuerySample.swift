#if canImport(CoreDataSQLiteStorage)
import CoreData
import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

/// A store of the library model with two authors, a few books, tags and shelves, closed after it was made.
struct QuerySample {
    let folder: TemporaryFolder
    let url: URL

    static func model() -> NSManagedObjectModel {
        let model = LibraryModel.make()
        let book = model.entitiesByName["Book"]!
        let novel = LibraryModel.entity("Novel")
        novel.properties = [LibraryModel.attribute("genre", .stringAttributeType)]
        book.subentities = [novel]
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.isOptional = true
        let geo = NSCompositeAttributeDescription()
        geo.name = "geo"
        geo.elements = [
            LibraryModel.attribute("lat", .doubleAttributeType), LibraryModel.attribute("lon", .doubleAttributeType),
        ]
        place.elements = [LibraryModel.attribute("street", .stringAttributeType), geo]
        let scan = LibraryModel.attribute("scan", .binaryDataAttributeType)
        scan.allowsExternalBinaryDataStorage = true
        let notes = LibraryModel.attribute("notes", .transformableAttributeType)
        book.properties += [place, scan, notes]
        model.entities += [novel]
        return model
    }

    init() throws {
        folder = try TemporaryFolder()
        url = folder.file("Library.sqlite")
        try Self.open(url) { context in
            let ann = context.insert(
                "Author", ["name": "Ann", "rating": 4.5, "born": Date(timeIntervalSinceReferenceDate: 100)])
            let bob = context.insert("Author", ["name": "Bob"])
            _ = context.insert("Author", ["name": "Zoë"])
            let tags = ["red", "green", "blue"].map { context.insert("Tag", ["word": $0]) }
            let shelf = context.insert("Shelf", ["label": "Top"])
            var books: [NSManagedObject] = []
            for number in 1...6 {
                let book = context.insert(
                    number % 3 == 0 ? "Novel" : "Book",
                    [
                        "title": "Book \(number)", "pages": number * 50, "inPrint": number % 2 == 0,
                        "price": NSDecimalNumber(string: "\(number).25"), "isbn": UUID(),
                        "published": Date(timeIntervalSinceReferenceDate: Double(number) * 86400),
                        "site": URL(string: "https://example.org/\(number)")!,
                        "cover": Data(repeating: UInt8(number), count: number),
                        "scan": Data(repeating: UInt8(number), count: number * 60_000),
                        "notes": ["a", "b"] as NSArray,
                        "author": number < 4 ? ann : bob, "tags": Set(tags.prefix(number % 4)),
                    ])
                if number % 2 == 0 {
                    book.setValue(["street": "Road \(number)", "geo": ["lat": Double(number)]], forKey: "place")
                }
                books.append(book)
            }
            books[2].setValue("crime", forKey: "genre")
            _ = context.insert("Book", ["pages": 7])
            shelf.setValue(NSOrderedSet(array: [books[3], books[0], books[4]]), forKey: "books")
        }
    }

    /// Opens the store, and saves what `body` does.
    @discardableResult
    static func open<Result>(
        _ url: URL, _ model: NSManagedObjectModel = model(), _ body: (NSManagedObjectContext) throws -> Result
    ) throws -> Result {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let result = try context.performAndWait {
            let result = try body(context)
            if context.hasChanges { try context.save() }
            return result
        }
        try coordinator.remove(store)
        return result
    }

    /// Runs SQL, as another program could.
    static func execute(_ sql: String, at url: URL) throws {
        try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 1).executeScript(sql)
    }

    static func integer(_ sql: String, at url: URL) throws -> Int {
        Int(try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 1).integer(sql))
    }

    /// The bytes and times of the files in a folder.
    static func state(of folder: URL) throws -> [String: String] {
        var state: [String: String] = [:]
        let files = try #require(FileManager.default.enumerator(atPath: folder.path))
        for case let name as String in files {
            let path = folder.appendingPathComponent(name).path
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let bytes = FileManager.default.contents(atPath: path)
            state[name] = "\(attributes[.modificationDate] ?? "") \(bytes?.base64EncodedString() ?? "folder")"
        }
        return state
    }

    /// Returns the value that a query must give for a property of an object.
    static func expected(_ object: NSManagedObject, _ property: NSPropertyDescription) -> StoreQuery.Value {
        let value = object.value(forKey: property.name)
        if property is NSRelationshipDescription {
            guard let value = value as? NSManagedObject else { return .none }
            return .object(uri: value.objectID.uriRepresentation(), entity: value.entity.name ?? "")
        }
        guard let value, let attribute = property as? NSAttributeDescription else { return .none }
        return expected(value, attribute)
    }

    static func expected(_ value: Any, _ attribute: NSAttributeDescription) -> StoreQuery.Value {
        if let composite = attribute as? NSCompositeAttributeDescription, let value = value as? [String: Any] {
            var elements: [String: StoreQuery.Value] = [:]
            for element in composite.elements {
                if let part = value[element.name] { elements[element.name] = expected(part, element) }
            }
            return elements.isEmpty ? .none : .composite(elements)
        }
        if attribute.attributeType == .transformableAttributeType {
            return .transformable(className: nil, byteCount: 0)
        }
        switch (attribute.attributeType, value) {
        case (.booleanAttributeType, let value as NSNumber): return .boolean(value.boolValue)
        case (.integer16AttributeType, let value as NSNumber), (.integer32AttributeType, let value as NSNumber),
            (.integer64AttributeType, let value as NSNumber):
            return .integer(value.int64Value)
        case (.decimalAttributeType, let value as NSDecimalNumber): return .decimal(value.decimalValue)
        case (.doubleAttributeType, let value as NSNumber), (.floatAttributeType, let value as NSNumber):
            return .double(value.doubleValue)
        case (_, let value as String): return .string(value)
        case (_, let value as Date): return .date(value)
        case (_, let value as UUID): return .uuid(value)
        case (_, let value as URL): return .url(value)
        case (_, let value as Data): return .data(value)
        default: return .unreadable(reason: "\(value)")
        }
    }
}
#endif
