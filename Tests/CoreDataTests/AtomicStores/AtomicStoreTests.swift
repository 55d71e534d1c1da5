import CoreData
import CoreDataTestSupport
import Testing

/// A file format of one's own: a property list of objects.
private final class ListStore: NSAtomicStore, @unchecked Sendable {
    static let type = "ListStoreForTests"
    var failsToSave = false
    var removed = 0

    override var type: String { Self.type }

    private var content: [[String: Any]] {
        guard let url, let data = try? Data(contentsOf: url),
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
        else { return [] }
        return list as? [[String: Any]] ?? []
    }

    override func loadMetadata() throws {
        metadata = [NSStoreTypeKey: Self.type, NSStoreUUIDKey: "LIST-STORE"]
    }

    override func load() throws {
        let entities = persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
        var nodes: [String: NSAtomicStoreCacheNode] = [:]
        for object in content {
            guard let name = object["entity"] as? String, let reference = object["id"] as? String,
                let entity = entities[name]
            else { throw CocoaError(.fileReadCorruptFile) }
            nodes[reference] = NSAtomicStoreCacheNode(objectID: objectID(for: entity, withReferenceObject: reference))
        }
        for object in content {
            guard let node = (object["id"] as? String).flatMap({ nodes[$0] }) else { continue }
            for (key, value) in object["values"] as? [String: Any] ?? [:] { node.setValue(value, forKey: key) }
            for (key, ids) in object["related"] as? [String: [String]] ?? [:] {
                let others = ids.compactMap { nodes[$0] }
                let isToMany = node.objectID.entity.relationshipsByName[key]?.isToMany ?? false
                node.setValue(isToMany ? Set(others) : others.first, forKey: key)
            }
        }
        addCacheNodes(Set(nodes.values))
    }

    override func save() throws {
        if failsToSave { throw CocoaError(.fileWriteNoPermission) }
        guard let url else { return }
        let list = cacheNodes().map { node -> [String: Any] in
            var values: [String: Any] = [:], related: [String: [String]] = [:]
            for key in node.objectID.entity.attributesByName.keys { values[key] = node.value(forKey: key) }
            for key in node.objectID.entity.relationshipsByName.keys {
                let value = node.value(forKey: key)
                let others =
                    (value as? Set<NSAtomicStoreCacheNode>) ?? (value as? NSAtomicStoreCacheNode).map { [$0] } ?? []
                related[key] = others.compactMap { referenceObject(for: $0.objectID) as? String }
            }
            return [
                "entity": node.objectID.entity.name ?? "", "id": referenceObject(for: node.objectID), "values": values,
                "related": related,
            ]
        }
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0).write(to: url)
    }

    override func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }

    override func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) { removed += cacheNodes.count }
}

@Suite("Atomic stores of one's own", .serialized)
struct AtomicStoreTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        NSPersistentStoreCoordinator.registerStoreClass(ListStore.self, forStoreType: ListStore.type)
    }

    private func open() throws -> Library { try Library(type: ListStore.type, at: folder.file("list")) }

    private func store(_ library: Library) throws -> ListStore {
        try #require(library.coordinator.persistentStores.first as? ListStore)
    }

    @Test func theRegistryKnowsTheClass() throws {
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes[ListStore.type] == ListStore.self)
    }

    @Test func objectsAreSavedAndLoaded() throws {
        var uri: URL?
        try open().perform { context in
            let author = context.insert("Author", ["name": "Austen"])
            let books = ["Emma", "Pride"].map { context.insert("Book", ["title": $0, "author": author, "pages": 400]) }
            let tag = context.insert("Tag", ["word": "novel"])
            tag.setValue(Set(books), forKey: "books")
            try context.save()
            uri = author.objectID.uriRepresentation()
        }
        let library = try open()
        #expect(try store(library).cacheNodes().count == 4)
        try library.perform { context in
            let id = try #require(uri.flatMap { library.coordinator.managedObjectID(forURIRepresentation: $0) })
            let author = try context.existingObject(with: id)
            #expect(author.value(forKey: "name") as? String == "Austen")
            let books = try #require(author.value(forKey: "books") as? Set<NSManagedObject>)
            #expect(Set(books.compactMap { $0.value(forKey: "title") as? String }) == ["Emma", "Pride"])
            #expect((books.first?.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "author.name == 'Austen' AND title BEGINSWITH 'E'")
            let found = try context.fetch(request)
            #expect(found.count == 1)
        }
    }

    @Test func changesAndDeletionsAreWritten() throws {
        let library = try open()
        try library.perform { context in
            let tags = ["a", "b", "c"].map { context.insert("Tag", ["word": $0]) }
            try context.save()
            tags[0].setValue("changed", forKey: "word")
            context.delete(tags[1])
            try context.save()
        }
        #expect(try store(library).removed == 1)
        try open().perform { context in
            let words = try context.fetchAll("Tag").compactMap { $0.value(forKey: "word") as? String }
            #expect(Set(words) == ["changed", "c"])
        }
    }

    @Test func aFailedSaveLeavesNodesAndContextAsTheyWere() throws {
        let library = try open()
        let store = try store(library)
        try library.perform { context in
            let tag = context.insert("Tag", ["word": "old"])
            try context.save()
            tag.setValue("new", forKey: "word")
            context.insert("Tag", ["word": "another"])
            store.failsToSave = true
            #expect(throws: (any Error).self) { try context.save() }
            #expect(context.hasChanges)
            #expect(store.cacheNodes().map { $0.value(forKey: "word") as? String } == ["old"])
            store.failsToSave = false
            try context.save()
            #expect(store.cacheNodes().count == 2)
        }
    }
}
