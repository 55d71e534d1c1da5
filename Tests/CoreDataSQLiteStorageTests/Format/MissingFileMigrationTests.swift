import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Reading an attribute whose external file is missing never stops the program, also while its store is copied object by object:
/// the copy fails with an error (what Apple's framework gives for the value is not known; see Deviations).
@Suite("Missing external files in copies")
struct MissingFileMigrationTests {
    private let store: FormatStore

    init() throws {
        let (image, note) = (LibraryModel.entity("Image"), LibraryModel.entity("Note"))
        let data = LibraryModel.attribute("data", .binaryDataAttributeType)
        data.allowsExternalBinaryDataStorage = true
        image.properties = [LibraryModel.attribute("name", .stringAttributeType), data]
        note.properties = [LibraryModel.attribute("text", .stringAttributeType)]
        LibraryModel.relate(image, "notes", many: true, note, "image", many: false)
        store = try FormatStore([image, note])
        let context = store.context
        for number in 0..<3 {
            let image = context.insert(
                "Image", ["name": "image \(number)", "data": Data(repeating: UInt8(number), count: 150_000)])
            context.insert("Note", ["text": "note \(number)", "image": image])
        }
        try context.save()
    }

    private var folder: URL { store.folder.file(".Format_SUPPORT/_EXTERNAL_DATA") }

    /// Notes get the name of their image, by an expression that makes faults of the images fire.
    private func migrateNotes(by expression: String) throws -> [String] {
        store.close()
        let note = LibraryModel.entity("Note")
        note.properties = [
            LibraryModel.attribute("text", .stringAttributeType),
            LibraryModel.attribute("caption", .stringAttributeType),
        ]
        let new = NSManagedObjectModel()
        new.entities = [note]
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: store.model, destinationModel: new)
        let notes = try #require(mapping.entityMappings.first { $0.destinationEntityName == "Note" })
        notes.mappingType = .customEntityMappingType
        notes.attributeMappings?.first { $0.name == "caption" }?.valueExpression =
            .init(format: expression)
        let destination = store.folder.file("New.sqlite")
        let manager = NSMigrationManager(sourceModel: store.model, destinationModel: new)
        try manager.migrateStore(from: store.url, type: .sqlite, mapping: mapping, to: destination, type: .sqlite)
        let context = try FormatStore.open(destination, new).context
        return try context.performAndWait {
            try context.fetchAll("Note").compactMap { $0.value(forKey: "caption") as? String }.sorted()
        }
    }

    /// The value itself is not asked for.
    @Test func expressionsThatReachTheObject() throws {
        try FileManager.default.removeItem(at: folder)
        #expect(try migrateNotes(by: "$source.image.name") == ["image 0", "image 1", "image 2"])
    }

    @Test func expressionsThatReachTheValue() throws {
        try FileManager.default.removeItem(at: folder)
        let error = try #require(throws: NSError.self) { try migrateNotes(by: "$source.image.data") }
        #expect(error.domain == NSCocoaErrorDomain && error.code == CocoaError.fileReadNoSuchFile.rawValue)
        #expect(error.userInfo["entity"] as? String == "Image" && error.userInfo["property"] as? String == "data")
        #expect(!FileManager.default.fileExists(atPath: store.folder.file("New.sqlite").path))
    }

    @Test func nothingIsMissing() throws {
        #expect(try migrateNotes(by: "$source.image.name") == ["image 0", "image 1", "image 2"])
    }

    private final class End: @unchecked Sendable {
        private let lock = NSLock()
        private var value = false

        var hasCome: Bool { lock.withLock { value } }
        func come() { lock.withLock { value = true } }
    }

    /// Contexts of other threads go on reading while the store is moved.
    @Test(.timeLimit(.minutes(5))) func faultsFireWhileTheStoreIsMoved() throws {
        try FileManager.default.removeItem(at: folder)
        let (coordinator, file) = (store.coordinator, store.folder.file("Copy.sqlite"))
        let ids = try store.context.fetchAll("Image").map(\.objectID)
        store.context.reset()
        let (end, group, start) = (End(), DispatchGroup(), DispatchSemaphore(value: 0))
        DispatchQueue(label: "reader").async(group: group) {
            let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            reader.persistentStoreCoordinator = coordinator
            reader.performAndWait {
                repeat {
                    for id in ids {
                        let image = reader.object(with: id)
                        #expect(image.value(forKey: "data") == nil)
                        #expect((image.value(forKey: "name") as? String)?.hasPrefix("image") == true)
                        reader.refresh(image, mergeChanges: false)
                    }
                    start.signal()
                } while !end.hasCome
            }
        }
        start.wait()
        for _ in 0..<20 {
            let original = try #require(coordinator.persistentStores.first)
            let error = #expect(throws: NSError.self) {
                try coordinator.migratePersistentStore(original, to: file, options: nil, withType: NSSQLiteStoreType)
            }
            #expect(error?.code == CocoaError.fileReadNoSuchFile.rawValue)
        }
        end.come()
        group.wait()
    }
}
