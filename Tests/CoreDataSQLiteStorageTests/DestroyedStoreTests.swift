import CoreData
import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import Testing

/// What a destroyed SQLite store leaves. That it is a file whose metadata have no version hashes, also where no store was, is
/// what the tests of TMLPersistentContainer record of Apple's framework; that it opens as a new store is ours.
@Suite("Destroyed SQLite stores")
struct DestroyedStoreTests {
    let folder: TemporaryFolder
    let url: URL

    init() throws {
        folder = try TemporaryFolder()
        url = folder.file("Store.sqlite")
    }

    private func model(_ attribute: String = "name") -> NSManagedObjectModel {
        let note = NSEntityDescription()
        note.name = "Note"
        note.properties = [LibraryModel.attribute(attribute, .stringAttributeType)]
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    @discardableResult
    private func add(
        _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        return coordinator
    }

    /// Adds an object and counts what there is.
    private func use(_ coordinator: NSPersistentStoreCoordinator) throws -> Int {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            context.insert("Note")
            try context.save()
            return try context.fetchAll("Note").count
        }
    }

    private func destroy(_ url: URL, options: [AnyHashable: Any]? = nil) throws {
        try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
            .destroyPersistentStore(at: url, ofType: NSSQLiteStoreType, options: options)
    }

    private func metadata() throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
    }

    private func tables() throws -> [String] {
        let connection = try SQLiteConnection(path: url.path, access: .readOnly, busyTimeout: 1)
        let statement = try connection.prepare("SELECT name FROM sqlite_master ORDER BY name")
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0) ?? "") }
        return names
    }

    /// A file as Apple's framework leaves it.
    private func writeFileOfApple(_ others: [String] = [], plist: [String: Any] = [:]) throws {
        let connection = try SQLiteConnection(path: url.path, access: .create, busyTimeout: 1)
        let metadata = "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)"
        for statement in [metadata] + others { try connection.execute(statement) }
        let common: [String: Any] = [NSStoreUUIDKey: "A7B0", "NSPersistenceFrameworkVersion": 1331]
        try SQLiteMetadata.write(common.merging(plist) { $1 }, on: connection)
    }

    // MARK: What is left

    @Test(arguments: [false, true], [false, true])
    func metadataNameNoVersion(exists: Bool, force: Bool) throws {
        var former: String?
        if exists {
            let coordinator = try add(model())
            former = coordinator.persistentStores.first?.identifier
            _ = try use(coordinator)
            try coordinator.remove(#require(coordinator.persistentStores.first))
        }
        try destroy(url, options: [NSPersistentStoreForceDestroyOption: force])
        let metadata = try metadata()
        #expect(Set(metadata.keys) == [NSStoreTypeKey, NSStoreUUIDKey, "NSPersistenceFrameworkVersion"])
        #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
        let identifier = try #require(metadata[NSStoreUUIDKey] as? String)
        #expect(identifier != former)
        #expect(try tables() == ["Z_METADATA"])
        // Once more changes nothing but the UUID.
        try destroy(url)
        #expect(try self.metadata().count == 3)
    }

    @Test func damagedFilesAreEmptiedByForce() throws {
        try Data(repeating: 7, count: 9000).write(to: url)
        #expect(throws: (any Error).self) { try destroy(url) }
        try destroy(url, options: [NSPersistentStoreForceDestroyOption: true])
        #expect(try metadata()[NSStoreModelVersionHashesKey] == nil)
    }

    @Test func noFileIsMadeNowhere() throws {
        for type in [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType] {
            try NSPersistentStoreCoordinator(managedObjectModel: model()).destroyPersistentStore(
                at: URL(fileURLWithPath: "/dev/null"), ofType: type)
        }
        #expect(FileManager.default.fileExists(atPath: "/dev/null"))
        #expect(!FileManager.default.fileExists(atPath: "/dev/null-journal"))
    }

    // MARK: A new store

    @Test(arguments: [false, true])
    func anyModelOpensIt(migrating: Bool) throws {
        let former = try add(model())
        _ = try use(former)
        try former.remove(#require(former.persistentStores.first))
        try destroy(url)
        let left = try metadata()
        let options: [AnyHashable: Any]? =
            migrating
            ? [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                NSPersistentHistoryTrackingKey: true,
            ] : nil
        let coordinator = try add(model("title"), options: options)
        #expect(try use(coordinator) == 1)
        let store = try #require(coordinator.persistentStores.first)
        #expect(store.identifier != left[NSStoreUUIDKey] as? String)
        #expect(try metadata()[NSStoreUUIDKey] as? String == store.identifier)
        #expect(
            try metadata()[NSStoreModelVersionHashesKey] as? [String: Data] == model("title").entityVersionHashesByName)
    }

    @Test(arguments: [
        [], ["CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER)", "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)"],
    ])
    func filesThatAppleEmptied(_ others: [String]) throws {
        try writeFileOfApple(others)
        #expect(try metadata()[NSStoreUUIDKey] as? String == "A7B0")
        #expect(model().isConfiguration(withName: nil, compatibleWithStoreMetadata: try metadata()))
        let coordinator = try add(model())
        #expect(try use(coordinator) == 1)
        #expect(coordinator.persistentStores.first?.identifier != "A7B0")
    }

    @Test func containersLoadIt() throws {
        try destroy(url)
        let container = NSPersistentContainer(name: "Store", managedObjectModel: model())
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        #expect(failure == nil)
        #expect(try use(container.persistentStoreCoordinator) == 1)
    }

    /// Programs ask whether the store has to be migrated before they open it.
    @Test func anyModelFitsIt() throws {
        try destroy(url)
        let metadata = try metadata()
        #expect(model().isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        #expect(!model().isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
        var damaged = metadata
        damaged[NSStoreModelVersionHashesKey] = "none"
        #expect(!model().isConfiguration(withName: nil, compatibleWithStoreMetadata: damaged))
    }

    @Test func whatProgramsPutIntoItsMetadataStays() throws {
        try destroy(url)
        try NSPersistentStoreCoordinator.setMetadata(
            ["own": "value"], forPersistentStoreOfType: NSSQLiteStoreType, at: url)
        #expect(try metadata()["own"] as? String == "value")
        let coordinator = try add(model())
        #expect(try use(coordinator) == 1)
        #expect(try metadata()["own"] as? String == "value")
    }

    @Test func pragmasOfPagesHold() throws {
        try destroy(url)
        try add(model(), options: [NSSQLitePragmasOption: ["page_size": "8192", "auto_vacuum": "0"]])
        let connection = try SQLiteConnection(path: url.path, access: .readOnly, busyTimeout: 1)
        #expect(try connection.integer("PRAGMA page_size") == 8192)
        #expect(try connection.integer("PRAGMA auto_vacuum") == 0)
    }

    @Test func statisticsOfSQLiteAreNoTables() throws {
        let former = try add(model(), options: [NSSQLiteAnalyzeOption: true])
        _ = try use(former)
        try former.remove(#require(former.persistentStores.first))
        try destroy(url)
        #expect(try use(add(model())) == 1)
    }

    @Test func storesAreCopiedToItsPlace() throws {
        let library = try SQLiteLibrary()
        library.context.insert("Tag", ["word": "x"])
        try library.context.save()
        try destroy(url)
        let copy = try library.coordinator.migratePersistentStore(library.store, to: url, withType: NSSQLiteStoreType)
        #expect(copy.url == url)
        #expect(try library.context.fetchAll("Tag").count == 1)
        // And to no other that is there.
        #expect(throws: (any Error).self) {
            try library.coordinator.migratePersistentStore(copy, to: library.url, withType: NSSQLiteStoreType)
        }
    }

    // MARK: What it is not

    @Test func readingNeedsAStore() throws {
        try destroy(url)
        let reading = #expect(throws: NSError.self) {
            try add(model(), options: [NSReadOnlyPersistentStoreOption: true])
        }
        #expect(reading?.code == NSFileReadNoSuchFileError)
        #expect(reading?.localizedFailureReason?.contains("destroyed") == true)
        let copying = #expect(throws: NSError.self) {
            try NSPersistentStoreCoordinator(managedObjectModel: model()).replacePersistentStore(
                at: folder.file("Copy.sqlite"), withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
        }
        #expect(copying?.code == NSFileReadNoSuchFileError)
        let migrating = #expect(throws: NSError.self) {
            try NSMigrationManager(sourceModel: model(), destinationModel: model("title")).migrateStore(
                from: url, type: .sqlite,
                mapping: .inferredMappingModel(
                    forSourceModel: model(), destinationModel: model("title")),
                to: folder.file("New.sqlite"), type: .sqlite)
        }
        #expect(migrating?.code == NSMigrationManagerSourceStoreError)
        #expect(!FileManager.default.fileExists(atPath: folder.file("New.sqlite").path))
        #expect(try tables() == ["Z_METADATA"])
    }

    /// A damaged store is not taken for an empty one.
    @Test(arguments: ["hashes", "rows", "tables", "list"])
    func whatHasMoreIsNoDestroyedStore(_ what: String) throws {
        switch what {
        case "hashes": try writeFileOfApple(plist: [NSStoreModelVersionHashesKey: ["Note": Data([1])]])
        case "rows":
            try writeFileOfApple([
                "CREATE TABLE Z_PRIMARYKEY (Z_ENT, Z_NAME)", "INSERT INTO Z_PRIMARYKEY VALUES (1, 'A')",
            ])
        case "tables": try writeFileOfApple(["CREATE TABLE ZNOTE (Z_PK)"])
        default:
            try writeFileOfApple(["CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)"])
            let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 1)
            try connection.execute("UPDATE Z_METADATA SET Z_PLIST = x'0102'")
        }
        let before = try tables()
        #expect(throws: (any Error).self) { try add(model("title")) }
        #expect(try tables() == before)
    }

    /// Who has the store open when another coordinator destroys it.
    @Test func whoHasItOpenIsTold() throws {
        let coordinator = try add(model())
        _ = try use(coordinator)
        try destroy(url)
        let error = #expect(throws: NSError.self) { try use(coordinator) }
        #expect(error?.localizedFailureReason?.contains("destroyed") == true)
        #expect(try tables() == ["Z_METADATA"])
    }
}
