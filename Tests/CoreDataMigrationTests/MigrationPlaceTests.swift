import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Sources and destinations of a migration manager that are none: 134150 and 134160 (Apple's codes for either), with the error of
/// opening the file beneath, whether the database would do the work or it would be done object by object.
@Suite struct MigrationPlaceTests {
    private let first = Versions.first()
    private let second = Versions.changed { entities, _ in
        entities["Club"]?.properties += [LibraryModel.attribute("note", .stringAttributeType)]
    }

    private func filled(_ type: String = NSSQLiteStoreType) throws -> MigrationStore {
        let store = try MigrationStore(type: type)
        try store.open(first) { Versions.fill($0) }
        return store
    }

    private func migrate(
        _ source: URL, _ type: String = NSSQLiteStoreType, to destination: URL, _ other: String = NSSQLiteStoreType,
        models: (NSManagedObjectModel, NSManagedObjectModel)? = nil, objectByObject: Bool
    ) throws {
        let (old, new) = models ?? (first, second)
        let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
        manager.usesStoreSpecificMigrationManager = !objectByObject
        try manager.migrateStore(
            from: source, sourceType: type, options: nil,
            with: try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new),
            toDestinationURL: destination, destinationType: other, destinationOptions: nil)
    }

    /// With one model on both sides the objects were doubled.
    @Test(arguments: [false, true]) func aStoreIsNotItsOwnDestination(_ objectByObject: Bool) throws {
        for type in [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType] {
            let store = try filled(type)
            let (symbolic, hard) = (store.folder.file("Symbolic"), store.folder.file("Hard"))
            try FileManager.default.createSymbolicLink(at: symbolic, withDestinationURL: store.url)
            try FileManager.default.linkItem(at: store.url, to: hard)
            for destination in [store.url, symbolic, hard] {
                for models in [(first, second), (first, first)] {
                    try expectRefusal(
                        of: store, NSMigrationManagerDestinationStoreError,
                        [store.url.path, destination.path, "its own destination", "replacePersistentStore"]
                    ) {
                        try migrate(
                            store.url, type, to: destination, type, models: models, objectByObject: objectByObject)
                    }
                }
            }
        }
    }

    private func files(in folder: TemporaryFolder) throws -> (junk: URL, foreign: URL, empty: URL) {
        let (junk, foreign, empty) = (folder.file("Junk"), folder.file("Foreign"), folder.file("Empty"))
        try Data("neither a database nor a store".utf8).write(to: junk)
        try Data().write(to: empty)
        let connection = try SQLiteConnection(path: foreign.path, access: .create, busyTimeout: 1)
        try connection.executeScript("CREATE TABLE A (B); INSERT INTO A VALUES (1)")
        return (junk, foreign, empty)
    }

    @Test(arguments: [false, true]) func sources(_ objectByObject: Bool) throws {
        let store = try filled(), xml = try filled(NSXMLStoreType)
        let (junk, foreign, empty) = try files(in: store.folder)
        let new = store.folder.file("New.sqlite"), missing = store.folder.file("Missing.sqlite")
        for (source, underlying) in [
            (missing, NSFileReadNoSuchFileError), (junk, CocoaError.fileReadCorruptFile.rawValue),
            (foreign, CocoaError.fileReadCorruptFile.rawValue), (xml.url, CocoaError.fileReadCorruptFile.rawValue),
            (store.folder.url, nil), (empty, nil),
        ] as [(URL, Int?)] {
            try expectRefusal(
                of: store, NSMigrationManagerSourceStoreError, [source.path], underlying: underlying
            ) { try migrate(source, to: new, objectByObject: objectByObject) }
        }
        for (type, underlying) in [
            (NSXMLStoreType, NSPersistentStoreTypeMismatchError), ("Nope", NSPersistentStoreInvalidTypeError),
        ] {
            try expectRefusal(
                of: store, NSMigrationManagerSourceStoreError, [store.url.path], underlying: underlying
            ) { try migrate(store.url, type, to: new, objectByObject: objectByObject) }
        }
        for models in [(second, first), (NSManagedObjectModel(), second)] {
            try expectRefusal(
                of: store, NSMigrationManagerSourceStoreError, [store.url.path, "Club"],
                underlying: NSPersistentStoreIncompatibleVersionHashError
            ) { try migrate(store.url, to: new, models: models, objectByObject: objectByObject) }
        }
    }

    @Test(arguments: [false, true]) func destinations(_ objectByObject: Bool) throws {
        let store = try filled()
        let (junk, foreign, _) = try files(in: store.folder)
        let other = try MigrationStore()
        try other.open(first) { Versions.fill($0) }
        let corrupt = CocoaError.fileReadCorruptFile.rawValue
        for (destination, type, underlying) in [
            (junk, NSSQLiteStoreType, corrupt), (foreign, NSSQLiteStoreType, corrupt),
            (other.url, NSSQLiteStoreType, NSPersistentStoreIncompatibleVersionHashError),
            (other.url, NSXMLStoreType, NSPersistentStoreTypeMismatchError),
            (store.folder.file("New"), "Nope", NSPersistentStoreInvalidTypeError),
            (store.folder.url, NSSQLiteStoreType, nil), (junk.appendingPathComponent("New"), NSSQLiteStoreType, nil),
        ] as [(URL, String, Int?)] {
            let before = try CoreDataTestSupport.files(other.folder.url)
            try expectRefusal(
                of: store, NSMigrationManagerDestinationStoreError, [destination.path], underlying: underlying
            ) { try migrate(store.url, to: destination, type, objectByObject: objectByObject) }
            #expect(try CoreDataTestSupport.files(other.folder.url) == before)
        }
    }
}

/// Models that share nothing, or have nothing.
struct EmptyModelMigrationTests {
    private let pair = VersionPair()

    /// A model without entities is one that was not found. Migrating to it would leave an empty store behind, so it is a mismatch
    /// (134100) as without the options.
    @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func aModelWithoutEntitiesIsNoVersion(_ type: String) throws {
        let store = try pair.store(type: type)
        let empty = NSManagedObjectModel()
        let stages = NSStagedMigrationManager([
            NSLightweightMigrationStage([pair.first.versionChecksum, empty.versionChecksum])
        ])
        let words = ["has no entities", "entities only in the store: Piece", "Load the model"]
        let code = NSPersistentStoreIncompatibleVersionHashError
        try expectRefusal(of: store, code, words) { try add(store, empty) }
        try expectRefusal(of: store, code, words) { try load(store, empty) }
        try expectRefusal(of: store, code, words) {
            try add(store, empty, [NSPersistentStoreStagedMigrationManagerOptionKey: stages])
        }
    }

    @Test func withoutModelsThereIsNoMapping() {
        #expect(NSMappingModel(from: nil, forSourceModel: nil, destinationModel: pair.second) == nil)
        #expect(NSMappingModel(from: nil, forSourceModel: pair.first, destinationModel: nil) == nil)
        #expect(NSMappingModel(from: [], forSourceModel: pair.first, destinationModel: pair.second) == nil)
        #expect(
            NSMappingModel(from: nil, forSourceModel: pair.first, destinationModel: NSManagedObjectModel()) == nil)
    }
}
