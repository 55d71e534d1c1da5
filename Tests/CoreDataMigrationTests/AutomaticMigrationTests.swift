import CoreDataFileStorage
import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

@testable import CoreData

/// Migration when a store is added.
struct AutomaticMigrationTests {
    private let first = Versions.first()
    private let second = Versions.changed { entities, _ in
        entities["Club"]?.properties += [LibraryModel.attribute("note", .stringAttributeType)]
    }

    private func filled(_ type: String = NSSQLiteStoreType) throws -> MigrationStore {
        let store = try MigrationStore(type: type)
        try store.open(first) { Versions.fill($0) }
        return store
    }

    @Test func nothingHappensUnlessAskedFor() throws {
        let store = try filled()
        do {
            try store.open(second) { _ in }
        } catch let error as NSError {
            #expect(error.code == NSPersistentStoreIncompatibleVersionHashError)
            #expect(error.userInfo["metadata"] is [String: Any])
            #expect(error.localizedRecoverySuggestion?.contains("Club") == true)
        }
        let noInference: [AnyHashable: Any] = [NSMigratePersistentStoresAutomaticallyOption: true]
        #expect(code { try store.open(second, options: noInference) { _ in } } == NSMigrationMissingMappingModelError)
        try store.open(Versions.first()) { try check($0.texts("Club", "title"), ["Chess", "Rowing"]) }
    }

    @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func everyTypeOfFileMigrates(_ type: String) throws {
        let store = try filled(type)
        let third = Versions.changed(from: second) { entities, _ in
            entities["Club"]?.attributesByName["note"]?.isOptional = false
            entities["Club"]?.attributesByName["note"]?.defaultValue = "none"
        }
        try store.migrate(to: second)
        try store.migrate(to: third)
        try store.open(third) { context in
            try check(context.texts("Club", "note"), ["none", "none"])
            try check(context.texts(context.one("Club", "title", "Chess"), "members", "name"), ["Ann", "Bob"])
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: store.folder.url.path)
        #expect(!names.contains { $0.contains("migration") }, "\(names)")
    }

    @Test func containersMigrateByDefault() throws {
        let store = try filled()
        let container = NSPersistentContainer(name: "Store", managedObjectModel: second)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: store.url)]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        #expect(failure == nil)
        let context = container.newBackgroundContext()
        let count = try context.performAndWait { try context.fetchAll("Club").count }
        #expect(count == 2)
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
    }

    @Test func readOnlyStoresAreLeftAlone() throws {
        let store = try filled()
        var options = MigrationStore.automatically
        options[NSReadOnlyPersistentStoreOption] = true
        #expect(code { try store.open(second, options: options) { _ in } } == NSMigrationError)
    }

    @Test func metadataOfTheProgramStays() throws {
        let store = try filled()
        try NSPersistentStoreCoordinator.setMetadata(
            ["owner": "me"], forPersistentStoreOfType: NSSQLiteStoreType, at: store.url)
        try store.migrate(to: second)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: store.url)
        #expect(metadata["owner"] as? String == "me")
        #expect(second.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    }

    @Test func fullDisksAreNoticedBefore() {
        #expect(throws: (any Error).self) {
            try FreeSpace.check(needed: 1000, free: 999, url: URL(fileURLWithPath: "/x"))
        }
        #expect(throws: Never.self) { try FreeSpace.check(needed: 1000, free: nil, url: URL(fileURLWithPath: "/x")) }
    }

    // MARK: In stages

    private func staged(_ stages: [NSMigrationStage]) -> [AnyHashable: Any] {
        var options = MigrationStore.automatically
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager(stages)
        return options
    }

    private var third: NSManagedObjectModel {
        Versions.changed(from: second) { entities, _ in
            if let club = entities["Club"] { club.properties = club.properties.filter { $0.name != "title" } }
        }
    }

    private static let databases = [NSSQLiteStoreType] + (StoreKind.hasServer ? [StoreKind.postgreSQL.type] : [])

    @Test(arguments: databases)
    func stagesRunTheirHandlers(_ type: String) throws {
        let store = try filled(type)
        let third = third
        let stage = NSCustomMigrationStage(
            migratingFrom: NSManagedObjectModelReference(model: second, versionChecksum: second.versionChecksum),
            to: NSManagedObjectModelReference(model: third, versionChecksum: third.versionChecksum))
        stage.willMigrateHandler = { manager, _ in
            let context = try #require(manager.container?.newBackgroundContext())
            try context.performAndWait {
                for club in try context.fetchAll("Club") { club.setValue(club.value(forKey: "title"), forKey: "note") }
                try context.save()
            }
        }
        var seen: [String] = []
        stage.didMigrateHandler = { manager, _ in
            let context = try #require(manager.container?.newBackgroundContext())
            seen = try context.performAndWait { try context.texts("Club", "note") }
        }
        let light = NSLightweightMigrationStage([first.versionChecksum, second.versionChecksum])
        try store.open(third, options: staged([light, stage])) { context in
            try check(context.texts("Club", "note"), ["Chess", "Rowing"])
        }
        #expect(seen == ["Chess", "Rowing"])
    }

    @Test(arguments: databases)
    func failingStagesLeaveTheStore(_ type: String) throws {
        let store = try filled(type)
        let third = third
        let stage = NSCustomMigrationStage(
            migratingFrom: NSManagedObjectModelReference(model: second, versionChecksum: second.versionChecksum),
            to: NSManagedObjectModelReference(model: third, versionChecksum: third.versionChecksum))
        stage.didMigrateHandler = { _, _ in throw CocoaError(.userCancelled) }
        let light = NSLightweightMigrationStage([first.versionChecksum, second.versionChecksum])
        #expect(
            code { try store.open(third, options: staged([light, stage])) { _ in } }
                == CocoaError.userCancelled.rawValue)
        try store.open(first) { try check($0.texts("Club", "title"), ["Chess", "Rowing"]) }
        // An order that leads backwards, and a version nobody knows.
        let back = NSLightweightMigrationStage([third.versionChecksum, first.versionChecksum])
        #expect(
            code { try store.open(third, options: staged([back])) { _ in } } == NSStagedMigrationBackwardMigrationError)
        let missing = NSCustomMigrationStage(
            migratingFrom: NSManagedObjectModelReference(model: first, versionChecksum: first.versionChecksum),
            to: NSManagedObjectModelReference(fileURL: store.url, versionChecksum: "nowhere"))
        #expect(
            code { try store.open(third, options: staged([missing])) { _ in } }
                == NSManagedObjectModelReferenceNotFoundError)
    }

    // MARK: Killed

    @Test(.slow, arguments: ["light", "heavy"])
    func killedMigrationsLeaveAWholeStore(_ kind: String) throws {
        let base = try TemporaryFolder()
        let original = base.file("Ledger.sqlite")
        #expect(try Worker("fill", original, ["3000"]).finish())
        let count = try Self.count(original)
        #expect(count > 3000)
        let rounds = max(1, Worker.kills / 4)
        for round in 0..<rounds {
            let folder = try TemporaryFolder()
            let copy = folder.file("Ledger.sqlite")
            try SQLiteFiles.replace(copy, with: original, timeout: 5)
            let worker = try Worker("migrate", copy, [kind])
            try worker.wait(for: "ready")
            // Over the tenth of a second that the migration takes.
            usleep(UInt32(round * 108_000 / rounds))
            worker.kill()
            let connection = try SQLiteConnection(path: copy.path, access: .readWrite, busyTimeout: 5)
            try check(connection.text("PRAGMA integrity_check"), "ok")
            try check(Self.count(copy), count)
            let isOld = try NSManagedObjectModel(cachedInStoreAt: copy).entitiesByName["Label"] != nil
            #expect(try Worker("migrate", copy, [kind]).finish())
            try check(Self.count(copy), count)
            // A migration that was complete but for its tidying up leaves that to the next one.
            guard isOld else { continue }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            #expect(!names.contains { $0.contains("migration-") }, "\(names)")
        }
    }

    /// All objects, by whatever model the store is of at the moment.
    private static func count(_ url: URL) throws -> Int {
        let model = try NSManagedObjectModel(cachedInStoreAt: url)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            try model.entities.map {
                try context.count(for: NSFetchRequest<NSManagedObject>(entityName: $0.name ?? ""))
            }
            .reduce(0, +)
        }
    }
}
