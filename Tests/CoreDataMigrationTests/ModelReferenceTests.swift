import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// The ways to say which version of a model a stage means.
struct ModelReferenceTests {
    private let model = Versions.first()

    /// A bundle with `Library.momd` of that one version, and a model of another name.
    private func bundle(_ folder: TemporaryFolder) throws -> Bundle {
        _ = try model.write(to: folder.file("Library.momd"))
        _ = try LibraryModel.make().write(to: folder.file("Other.momd"))
        return try #require(Bundle(path: folder.url.path))
    }

    @Test func resolved() throws {
        let folder = try TemporaryFolder()
        let bundle = try bundle(folder)
        let checksum = model.versionChecksum
        let references = [
            NSManagedObjectModelReference(model: model, versionChecksum: checksum),
            NSManagedObjectModelReference(fileURL: folder.file("Library.momd"), versionChecksum: checksum),
            NSManagedObjectModelReference(name: "Library", in: bundle, versionChecksum: checksum),
            NSManagedObjectModelReference(
                entityVersionHashes: model.entityVersionHashesByName, in: bundle, versionChecksum: checksum),
        ]
        for reference in references {
            #expect(reference.versionChecksum == checksum)
            #expect(reference.resolvedModel.entityVersionHashesByName == model.entityVersionHashesByName)
            // The same object each time.
            #expect(reference.resolvedModel === reference.resolvedModel)
        }
    }

    /// A model that cannot be found stops the migration and leaves the store alone.
    @Test func notThere() throws {
        let folder = try TemporaryFolder()
        let bundle = try bundle(folder)
        let store = try MigrationStore()
        try store.open(model) { context in context.insert("Club", ["title": "Go"]) }
        let second = Versions.changed { entities, _ in
            entities["Club"]?.properties += [LibraryModel.attribute("note", .stringAttributeType)]
        }
        let missing = [
            NSManagedObjectModelReference(name: "Nothing", in: bundle, versionChecksum: model.versionChecksum),
            NSManagedObjectModelReference(name: "Other", in: bundle, versionChecksum: model.versionChecksum),
            NSManagedObjectModelReference(
                entityVersionHashes: second.entityVersionHashesByName, in: bundle,
                versionChecksum: model.versionChecksum),
            NSManagedObjectModelReference(
                fileURL: folder.file("Nothing.momd"), versionChecksum: model.versionChecksum),
        ]
        for reference in missing {
            let stage = NSCustomMigrationStage(
                migratingFrom: reference,
                to: NSManagedObjectModelReference(model: second, versionChecksum: second.versionChecksum))
            let error = #expect(throws: (any Error).self) {
                try store.open(
                    second,
                    options: [
                        NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage])
                    ]
                ) { _ in }
            }
            #expect((error as NSError?)?.code == NSManagedObjectModelReferenceNotFoundError)
        }
        let count = try store.open(model) { try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "Club")) }
        #expect(count == 1)
    }
}
