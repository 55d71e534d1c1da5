import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// Errors carry the models they are about, as Apple's do under the same keys, and a program prints errors into its log. What is
/// printed must be readable for a model of any size; what the error carries is whole.
@Suite("What errors print", .slow) struct ErrorTextTests {
    /// Fifty entities of ten attributes; so many of them have one more, or an attribute of another type.
    private static func model(changed: Int = 0, retyped: Int = 0) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = (0..<50).map { number in
            let entity = LibraryModel.entity("Entity\(number)")
            entity.properties = (0..<10).map { LibraryModel.attribute("attribute\($0)", .stringAttributeType) }
            if number < changed {
                entity.properties.append(LibraryModel.attribute("added", .stringAttributeType))
            }
            if number < retyped { entity.properties[0] = LibraryModel.attribute("attribute0", .dateAttributeType) }
            return entity
        }
        return model
    }

    private static let longest = 1350

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let prepared = Result { try PreparedStore(model()) { _ in } }

    private func store() throws -> URL {
        let url = folder.file("\(UUID().uuidString).sqlite")
        try Self.prepared.get().write(to: url)
        return url
    }

    private func opening(
        _ model: NSManagedObjectModel, _ options: [String: Any] = [:]
    ) throws -> NSError {
        let url = try store()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let error = #expect(throws: (any Error).self) {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        }
        return try #require(error as NSError?)
    }

    private static func expectShort(_ error: NSError) {
        for text in ["\(error)", String(reflecting: error), error.localizedDescription] {
            #expect(text.count < longest, "\(text)")
        }
        #expect("\(error)".hasPrefix("Error Domain=NSCocoaErrorDomain Code=\(error.code) \""))
    }

    @Test("of an unknown entity") func unknownEntity() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let error = #expect(throws: (any Error).self) {
            try context.performAndWait { _ = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Nothing")) }
        }
        Self.expectShort(try #require(error as NSError?))
    }

    @Test("of a store of another version, with every entity changed") func incompatibleStore() throws {
        let error = try opening(Self.model(changed: 50))
        #expect(error.code == NSPersistentStoreIncompatibleVersionHashError)
        Self.expectShort(error)
        #expect(error.localizedRecoverySuggestion?.contains("Entity0 (the store's is without added)") == true)
        #expect(error.localizedRecoverySuggestion?.contains("and 46 more") == true)
        // The error itself has all of the metadata.
        let metadata = error.userInfo["metadata"] as? [String: Any]
        #expect((metadata?[NSStoreModelVersionHashesKey] as? [String: Data])?.count == 50)
    }

    @Test("of a migration without a mapping model") func missingMapping() throws {
        let error = try opening(
            Self.model(changed: 50), [NSMigratePersistentStoresAutomaticallyOption: true])
        #expect(error.code == NSMigrationMissingMappingModelError)
        Self.expectShort(error)
        #expect((error.userInfo["destinationModel"] as? NSManagedObjectModel)?.entities.count == 50)
        #expect("\(error)".contains("destinationModel=<NSManagedObjectModel of 50 entities>"))
    }

    @Test("of a mapping that cannot be inferred") func noInference() throws {
        let error = try opening(
            Self.model(retyped: 1),
            [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true])
        #expect(error.code == NSMigrationMissingMappingModelError)
        Self.expectShort(error)
        #expect("\(error)".contains("Entity0.attribute0"))
        let all = try opening(
            Self.model(retyped: 50),
            [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true])
        #expect((all.userInfo["reasons"] as? [String])?.count == 50)
        #expect("\(all)".count < 3 * Self.longest)
    }

    @Test("of a migration by hand") func byHand() throws {
        let manager = NSMigrationManager(sourceModel: Self.model(), destinationModel: Self.model(changed: 50))
        let source = try store()
        let error = #expect(throws: (any Error).self) {
            try manager.migrateStore(
                from: source, sourceType: NSSQLiteStoreType, with: nil, toDestinationURL: folder.file("Other.sqlite"),
                destinationType: NSSQLiteStoreType)
        }
        Self.expectShort(try #require(error as NSError?))
    }
}
