import CoreData
import CoreDataTestSupport
import Testing

/// A back end of one's own: dictionaries by entity and reference.
private final class DictionaryStore: NSIncrementalStore, @unchecked Sendable {
    static let type = "DictionaryStoreForTests"

    struct Record {
        var values: [String: Any] = [:]
        var toOne: [String: String] = [:]
        var toMany: [String: [String]] = [:]
        var version: UInt64 = 1
    }

    var records: [String: [String: Record]] = [:]
    var log: [String] = []
    var failsToSave = false

    override var type: String { Self.type }

    override func loadMetadata() throws {
        metadata = [NSStoreTypeKey: Self.type, NSStoreUUIDKey: "DICTIONARY-STORE"]
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        switch request {
        case let fetch as NSFetchRequest<any NSFetchRequestResult>:
            guard let entity = fetch.entity, let name = entity.name, let context else { return [Any]() }
            log.append("fetch \(name)")
            let ids = (records[name] ?? [:]).keys.sorted().map { newObjectID(for: entity, referenceObject: $0) }
            if fetch.resultType == .countResultType { return [NSNumber(value: ids.count)] }
            let objects = ids.map { context.object(with: $0) }
            guard let predicate = fetch.predicate else { return objects }
            return objects.filter { predicate.evaluate(with: $0) }
        case let save as NSSaveChangesRequest:
            if failsToSave { throw CocoaError(.fileWriteNoPermission) }
            log.append("save")
            for object in (save.insertedObjects ?? []).union(save.updatedObjects ?? []) { store(object) }
            for object in save.deletedObjects ?? [] {
                records[object.entity.name ?? ""]?[referenceObject(for: object.objectID) as? String ?? ""] = nil
            }
            return [Any]()
        default: throw CocoaError(.persistentStoreUnsupportedRequestType)
        }
    }

    private func store(_ object: NSManagedObject) {
        let name = object.entity.name ?? "", reference = referenceObject(for: object.objectID) as? String ?? ""
        var record = Record(version: (records[name]?[reference]?.version ?? 0) + 1)
        for key in object.entity.attributesByName.keys { record.values[key] = object.value(forKey: key) }
        for (key, relationship) in object.entity.relationshipsByName {
            if relationship.isToMany {
                let related = (object.value(forKey: key) as? Set<NSManagedObject>) ?? []
                record.toMany[key] = related.compactMap { referenceObject(for: $0.objectID) as? String }.sorted()
            } else if let related = object.value(forKey: key) as? NSManagedObject {
                record.toOne[key] = referenceObject(for: related.objectID) as? String
            }
        }
        records[name, default: [:]][reference] = record
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        let reference = referenceObject(for: objectID) as? String ?? ""
        log.append("values \(reference)")
        guard let record = records[objectID.entity.name ?? ""]?[reference] else {
            throw CocoaError(.managedObjectReferentialIntegrity)
        }
        return NSIncrementalStoreNode(objectID: objectID, withValues: record.values, version: record.version)
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        let reference = referenceObject(for: objectID) as? String ?? ""
        guard let record = records[objectID.entity.name ?? ""]?[reference],
            let destination = relationship.destinationEntity
        else { return NSNull() }
        if relationship.isToMany {
            return (record.toMany[relationship.name] ?? []).map { newObjectID(for: destination, referenceObject: $0) }
        }
        return record.toOne[relationship.name].map { newObjectID(for: destination, referenceObject: $0) } ?? NSNull()
    }

    private var number = 0

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { object in
            number += 1
            return newObjectID(for: object.entity, referenceObject: "\(object.entity.name ?? "").\(number)")
        }
    }
}

@Suite("Incremental stores of one's own", .serialized)
struct IncrementalStoreTests {
    private let library: Library
    private let store: DictionaryStore

    init() throws {
        NSPersistentStoreCoordinator.registerStoreClass(DictionaryStore.self, forStoreType: DictionaryStore.type)
        let folder = FileManager.default.temporaryDirectory
        library = try Library(type: DictionaryStore.type, at: folder.appendingPathComponent("nowhere"))
        store = try #require(library.coordinator.persistentStores.first as? DictionaryStore)
    }

    @Test func objectsAreSavedAndRead() throws {
        try library.perform { context in
            let author = context.insert("Author", ["name": "Austen", "rating": 4.5])
            let book = context.insert("Book", ["title": "Emma", "pages": 474, "author": author])
            let tag = context.insert("Tag", ["word": "novel"])
            book.setValue(Set([tag]), forKey: "tags")
            try context.save()
            #expect(!context.hasChanges)
            #expect(!book.objectID.isTemporaryID)
            #expect(
                book.objectID.uriRepresentation().absoluteString.hasPrefix("x-coredata://DICTIONARY-STORE/Book/pBook."))
            #expect(
                library.coordinator.managedObjectID(forURIRepresentation: book.objectID.uriRepresentation())
                    == book.objectID)
        }
        let other = library.makeContext()
        try other.performAndWait {
            store.log = []
            let book = try #require(try other.fetchAll("Book").first)
            // A fetch gives faults: values are asked for when they are needed.
            #expect(store.log == ["fetch Book"])
            #expect(book.value(forKey: "title") as? String == "Emma")
            #expect(store.log.count == 2)
            #expect(book.value(forKey: "pages") as? Int == 474)
            let author = try #require(book.value(forKey: "author") as? NSManagedObject)
            #expect(author.value(forKey: "rating") as? Double == 4.5)
            #expect((author.value(forKey: "books") as? Set<NSManagedObject>) == [book])
            let tags = try #require(book.value(forKey: "tags") as? Set<NSManagedObject>)
            #expect(tags.first?.value(forKey: "word") as? String == "novel")
        }
    }

    @Test func changesAndDeletionsReachTheStore() throws {
        try library.perform { context in
            let books = ["a", "b"].map { context.insert("Book", ["title": $0]) }
            try context.save()
            books[0].setValue("changed", forKey: "title")
            context.delete(books[1])
            try context.save()
            #expect(store.records["Book"]?.values.compactMap { $0.values["title"] as? String } == ["changed"])
        }
    }

    @Test func countsAndPredicatesAreTheStores() throws {
        try library.perform { context in
            for word in ["x", "y", "z"] { context.insert("Tag", ["word": word]) }
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            let count = try context.count(for: request)
            #expect(count == 3)
            request.predicate = NSPredicate(format: "word > 'x'")
            let found = try context.fetch(request)
            #expect(found.count == 2)
        }
    }

    @Test func aFailedSaveLeavesTheContextDirty() throws {
        try library.perform { context in
            context.insert("Tag", ["word": "x"])
            store.failsToSave = true
            #expect(throws: (any Error).self) { try context.save() }
            #expect(context.hasChanges)
            store.failsToSave = false
            try context.save()
            #expect(!context.hasChanges)
            #expect(store.records["Tag"]?.count == 1)
        }
    }

    @Test func permanentIDsCanBeObtainedBeforehand() throws {
        try library.perform { context in
            let tag = context.insert("Tag", ["word": "x"])
            try context.obtainPermanentIDs(for: [tag])
            let id = tag.objectID
            #expect(!id.isTemporaryID)
            #expect(store.referenceObject(for: id) as? String == "Tag.1")
            try context.save()
            #expect(tag.objectID == id)
            #expect(store.records["Tag"]?.keys.first == "Tag.1")
        }
    }

    @Test func aMissingRowIsAnInaccessibleFault() throws {
        try library.perform { context in
            let entity = try #require(library.coordinator.managedObjectModel.entitiesByName["Tag"])
            let id = store.newObjectID(for: entity, referenceObject: "nobody")
            #expect(throws: (any Error).self) { try context.existingObject(with: id) }
        }
    }

    @Test func nodesHoldValuesAndVersions() throws {
        let entity = try #require(library.coordinator.managedObjectModel.entitiesByName["Tag"])
        let word = try #require(entity.propertiesByName["word"])
        let id = store.newObjectID(for: entity, referenceObject: 7)
        let node = NSIncrementalStoreNode(objectID: id, withValues: ["word": "a"], version: 1)
        #expect(node.value(for: word) as? String == "a")
        node.update(withValues: ["word": NSNull()], version: 2)
        #expect(node.value(for: word) is NSNull)
        #expect(node.version == 2)
        #expect(store.newObjectID(for: entity, referenceObject: 7) == id)
    }
}
