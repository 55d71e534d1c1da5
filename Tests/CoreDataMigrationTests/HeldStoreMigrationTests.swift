import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Stores that others hold, or that may not be written. Codes: 134090 when the timeout of the options is over, 513 for what may
/// not be written, both Apple's; a manager wraps errors of its source into 134150, of its destination into 134160.
struct HeldStoreMigrationTests {
    private let first = Versions.first()
    private let second = Versions.changed { entities, _ in
        entities["Club"]?.properties += [LibraryModel.attribute("note", .stringAttributeType)]
    }

    private static var patience: [AnyHashable: Any] { [NSPersistentStoreTimeoutOption: 0.05] }

    private func filled() throws -> MigrationStore {
        let store = try MigrationStore()
        try store.open(first) { Versions.fill($0) }
        return store
    }

    private func addInStages(_ store: MigrationStore) throws {
        let references = [first, second].map {
            NSManagedObjectModelReference(model: $0, versionChecksum: $0.versionChecksum)
        }
        let stages = [NSCustomMigrationStage(migratingFrom: references[0], to: references[1])]
        let options: [AnyHashable: Any] = [
            NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager(stages)
        ]
        try add(store, second, options.merging(Self.patience) { $1 })
    }

    /// Inferred mappings are carried out by the database, edited ones object by object.
    private func migrate(_ store: MigrationStore, objectByObject: Bool) throws {
        let manager = NSMigrationManager(sourceModel: first, destinationModel: second)
        manager.usesStoreSpecificMigrationManager = !objectByObject
        try manager.migrateStore(
            from: store.url, type: .sqlite, options: Self.patience,
            mapping: try NSMappingModel.inferredMappingModel(forSourceModel: first, destinationModel: second),
            to: store.folder.file("New.sqlite"), type: .sqlite, options: Self.patience)
    }

    /// Another connection, which holds the store by these statements.
    private func hold(_ store: MigrationStore, _ statements: String) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: store.url.path, access: .readWrite, busyTimeout: 1)
        try connection.executeScript(statements)
        return connection
    }

    @Test(arguments: [
        "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE ZCLUB SET Z_OPT = Z_OPT",
        "PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE",
    ])
    func lockedStores(_ statements: String) throws {
        let store = try filled()
        let holder = try hold(store, statements)
        defer { try? holder.execute("ROLLBACK") }
        let busy = ["Store.sqlite", "busy", "NSPersistentStoreTimeoutOption"]
        try expectRefusal(of: store, NSPersistentStoreTimeoutError, busy) { try add(store, second, Self.patience) }
        try expectRefusal(of: store, NSPersistentStoreTimeoutError, busy) { try addInStages(store) }
        for objectByObject in [false, true] {
            try expectRefusal(
                of: store, NSMigrationManagerSourceStoreError, busy, underlying: NSPersistentStoreTimeoutError
            ) { try migrate(store, objectByObject: objectByObject) }
        }
        try expectRefusal(of: store, NSPersistentStoreTimeoutError, busy) {
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: store.url, options: Self.patience)
        }
    }

    /// A manager reads what is committed, and does not mind.
    @Test func aWriteTransaction() throws {
        let store = try filled()
        let holder = try hold(store, "BEGIN IMMEDIATE; UPDATE ZCLUB SET ZTITLE = 'lost'")
        let busy = ["Store.sqlite", "busy", "database is locked"]
        try expectRefusal(of: store, NSPersistentStoreTimeoutError, busy) { try add(store, second, Self.patience) }
        try expectRefusal(of: store, NSPersistentStoreTimeoutError, busy) { try addInStages(store) }
        try migrate(store, objectByObject: false)
        try holder.execute("ROLLBACK")
        try store.open(first) { try check($0.texts("Club", "title"), ["Chess", "Rowing"]) }
    }

    /// Readers keep what they see, and keep nobody from migrating.
    @Test func aLongReadTransaction() throws {
        for inStages in [false, true] {
            let store = try filled()
            let reader = try SQLiteConnection(path: store.url.path, access: .readWrite, busyTimeout: 1)
            try reader.execute("BEGIN")
            let titles = try reader.prepare("SELECT ZTITLE FROM ZCLUB ORDER BY ZTITLE")
            #expect(try titles.step())
            if inStages { try addInStages(store) } else { try add(store, second, Self.patience) }
            #expect(try titles.step() && titles.text(0) == "Rowing")
            try store.open(second) { try check($0.texts("Club", "title"), ["Chess", "Rowing"]) }
        }
    }

    /// A store in rollback mode, as programs ship them, is converted by the opening that succeeds.
    @Test func storesWithoutALogThatAreRefused() throws {
        let pragmas: [AnyHashable: Any] = [NSSQLitePragmasOption: ["journal_mode": "DELETE"]]
        let store = try MigrationStore()
        try store.open(first, options: pragmas) { Versions.fill($0) }
        let abstract = Versions.changed { entities, _ in entities["Club"]?.isAbstract = true }
        let unique = Versions.changed { entities, _ in entities["Employee"]?.uniquenessConstraints = [["company"]] }
        let error = try expectRefusal(of: store, NSMigrationError, [store.url.path, "/Club/p1"], entity: "Club") {
            try add(store, abstract)
        }
        #expect((error.userInfo[NSAffectedObjectsErrorKey] as? [URL])?.count == 2)
        try expectRefusal(of: store, NSMigrationConstraintViolationError, [store.url.path]) { try add(store, unique) }
        // Made beside the store.
        let stage = NSCustomMigrationStage(
            migratingFrom: NSManagedObjectModelReference(model: first, versionChecksum: first.versionChecksum),
            to: NSManagedObjectModelReference(model: second, versionChecksum: second.versionChecksum))
        stage.didMigrateHandler = { _, _ in throw NSError(domain: "Handler", code: 1) }
        let staged: [AnyHashable: Any] = [
            NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage])
        ]
        try expectRefusal(of: store, 1, domain: "Handler") { try add(store, second, staged) }
        // And it can be migrated, both ways.
        let copy = store.folder.file("Copy.sqlite")
        try FileManager.default.copyItem(at: store.url, to: copy)
        try add(store, second)
        try store.open(second) { try check($0.texts("Club", "title"), ["Chess", "Rowing"]) }
        try FileManager.default.removeItem(at: store.url)
        try FileManager.default.moveItem(at: copy, to: store.url)
        stage.didMigrateHandler = nil
        try add(store, second, staged)
        try store.open(second) { try check($0.texts("Club", "title"), ["Chess", "Rowing"]) }
    }

    @Test(arguments: [(0o555, 0o644), (0o777, 0o444)])
    func filesAndFoldersThatAreReadOnly(_ folder: Int, _ file: Int) throws {
        let store = try filled()
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: file], ofItemAtPath: store.url.path)
        try manager.setAttributes([.posixPermissions: folder], ofItemAtPath: store.folder.url.path)
        defer { try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: store.folder.url.path) }
        try expectRefusal(of: store, NSFileWriteNoPermissionError, ["Store.sqlite"]) {
            try withoutPrivileges { try add(store, second) }
        }
        try expectRefusal(of: store, NSFileWriteNoPermissionError, ["Store.sqlite"]) {
            try withoutPrivileges { try load(store, second) }
        }
        try expectRefusal(of: store, NSFileWriteNoPermissionError, ["Store.sqlite"]) {
            try withoutPrivileges { try addInStages(store) }
        }
        guard folder == 0o555 else { return }
        for objectByObject in [false, true] {
            try expectRefusal(of: store, NSMigrationManagerDestinationStoreError, ["New.sqlite"]) {
                try withoutPrivileges { try migrate(store, objectByObject: objectByObject) }
            }
        }
    }
}
