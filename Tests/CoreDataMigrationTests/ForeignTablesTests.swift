import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Tables, triggers, indexes and views in a store's file that its model does not know, through every way of migrating.
///
/// That unknown tables and triggers are kept is the rule of the file format for whoever writes such files; which ways make a new
/// file is said on the deviations page.
struct ForeignTablesTests {
    enum Way: CaseIterable, Sendable { case inPlace, inStages, copiedInPlace, besideTheStore, byMapping, byCoordinator }

    /// Photo loses `old` and gains `added`, so that its table is written again; Album stays, under another number; Draft goes.
    static func model(_ version: Int, movesNote: Bool = false) -> NSManagedObjectModel {
        let photo = LibraryModel.entity("Photo"), album = LibraryModel.entity("Album")
        let note = LibraryModel.attribute("note", .binaryDataAttributeType)
        note.allowsExternalBinaryDataStorage = movesNote && version == 1
        photo.properties = [
            LibraryModel.attribute("name", .stringAttributeType), note,
            LibraryModel.attribute(version == 1 ? "old" : "added", .integer64AttributeType),
        ]
        album.properties = [LibraryModel.attribute("title", .stringAttributeType)]
        LibraryModel.relate(album, "photos", many: true, photo, "album", many: false)
        let model = NSManagedObjectModel()
        model.entities = [photo, album, LibraryModel.entity(version == 1 ? "Draft" : "Aardvark")]
        return model
    }

    private static var tracking: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true] }

    private func filled(_ model: NSManagedObjectModel, _ statements: [String]) throws -> MigrationStore {
        let store = try MigrationStore()
        try store.open(model, options: Self.tracking) { context in
            let album = context.insert("Album", ["title": "Sea"])
            for name in ["one", "two"] { context.insert("Photo", ["name": name, "old": 7, "album": album]) }
            context.insert("Draft")
        }
        try ForeignSchema.add(statements, to: store.url)
        return store
    }

    /// Migrates and returns where the migrated store is.
    private func migrate(
        _ store: MigrationStore, _ way: Way, _ old: NSManagedObjectModel, _ new: NSManagedObjectModel
    ) throws -> URL {
        var options = MigrationStore.automatically
        options[NSPersistentHistoryTrackingKey] = true
        let copy = store.folder.file("Migrated.sqlite")
        switch way {
        case .inPlace, .besideTheStore: try store.open(new, options: options) { _ in }
        case .inStages:
            let stage = NSCustomMigrationStage(
                migratingFrom: NSManagedObjectModelReference(model: old, versionChecksum: old.versionChecksum),
                to: NSManagedObjectModelReference(model: new, versionChecksum: new.versionChecksum))
            options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager([stage])
            try store.open(new, options: options) { _ in }
        case .copiedInPlace, .byMapping:
            let inferred = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
            let mapping = way == .byMapping ? try #require(inferred.copy() as? NSMappingModel) : inferred
            try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
                from: store.url, type: .sqlite, options: nil, mapping: mapping, to: copy, type: .sqlite,
                options: Self.tracking)
            return copy
        case .byCoordinator:
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: new)
            let added = try coordinator.addPersistentStore(
                type: .sqlite, configuration: nil, at: store.url, options: options)
            let moved = try coordinator.migratePersistentStore(added, to: copy, options: Self.tracking, type: .sqlite)
            try coordinator.remove(moved)
            return copy
        }
        return store.url
    }

    /// Uses the migrated store as a program would, and checks its file.
    private func use(_ url: URL, _ model: NSManagedObjectModel) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            type: .sqlite, configuration: nil, at: url, options: Self.tracking)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let photos = try context.fetchAll("Photo")
            check(Set(photos.map { $0.value(forKey: "name") as? String }), ["one", "two"])
            let titles = photos.map {
                ($0.value(forKey: "album") as? NSManagedObject)?.value(forKey: "title") as? String
            }
            check(titles, ["Sea", "Sea"])
            photos[0].setValue("three", forKey: "name")
            context.insert("Photo", ["name": "four"])
            try context.save()
            for album in try context.fetchAll("Album") { context.delete(album) }
            try context.save()
        }
        try coordinator.remove(store)
        #expect(try StoreAuditor(url, model.layouts).problems() == [])
        #expect(try ForeignSchema.integrity(url) == ["ok"])
    }

    /// Ways on which the database migrates itself keep everything, with the same text and the same rows; triggers work after.
    @Test(arguments: [Way.inPlace, .inStages, .copiedInPlace])
    func keptWhereTheDatabaseMigrates(_ way: Way) throws {
        let (old, new) = (Self.model(1), Self.model(2))
        let store = try filled(old, ForeignSchema.statements)
        let (texts, content) = (try ForeignSchema.texts(store.url), try ForeignSchema.content(store.url))
        #expect(texts.count == 15)
        let url = try migrate(store, way, old, new)
        #expect(try ForeignSchema.texts(url) == texts)
        #expect(try ForeignSchema.content(url) == content)
        // An index on what is gone goes; the migrated one serves.
        #expect(try ForeignSchema.rows(url, "SELECT name FROM sqlite_master WHERE name LIKE 'own%'") == ["own_name"])
        let plan = try ForeignSchema.rows(url, "EXPLAIN QUERY PLAN SELECT ZNAME FROM ZPHOTO ORDER BY ZNAME DESC")
        #expect(plan.contains { $0.contains("own_name") }, "\(plan)")
        try use(url, new)
        // Opening a store may write its metadata.
        #expect(
            try ForeignSchema.rows(url, "SELECT what FROM audit WHERE what <> 'store' ORDER BY id").sorted()
                == ["before", "named", "new four", "no album", "seen"])
        #expect(try ForeignSchema.rows(url, "SELECT * FROM \"photo names\"").sorted().contains("four"))
    }

    /// A trigger that names what is gone would make each later save fail: it is dropped, and only it.
    @Test(arguments: [Way.inPlace, .inStages, .copiedInPlace])
    func triggersOnWhatIsGone(_ way: Way) throws {
        let (old, new) = (Self.model(1), Self.model(2))
        let store = try filled(old, ForeignSchema.statements + ForeignSchema.doomed)
        let texts = try ForeignSchema.texts(store.url)
        let url = try migrate(store, way, old, new)
        #expect(try ForeignSchema.rows(url, "SELECT name FROM sqlite_master WHERE name LIKE 'doomed%'") == [])
        #expect(try ForeignSchema.texts(url) == texts)
        try use(url, new)
        try ForeignSchema.add(["INSERT INTO ANSCKMETADATAENTRY (Z_PK) VALUES (2)"], to: url)
    }

    /// Ways on which objects are copied make a new file with what the model describes. The source, where it is another file,
    /// keeps all it had.
    @Test(arguments: [Way.besideTheStore, .byMapping, .byCoordinator])
    func newFilesHoldTheModelOnly(_ way: Way) throws {
        let (old, new) = (Self.model(1, movesNote: way == .besideTheStore), Self.model(2))
        let store = try filled(old, ForeignSchema.statements + ForeignSchema.doomed)
        let content = try ForeignSchema.content(store.url)
        // What the log names as left out.
        let foreign = ["ANSCKMETADATAENTRY", "ANSCKRECORDMETADATA", "audit"]
        #expect(try ForeignTables.names(at: store.url) == foreign)
        let url = try migrate(store, way, old, new)
        #expect(try ForeignTables.names(at: url) == [])
        #expect(try ForeignSchema.texts(url) == [])
        #expect(try ForeignSchema.rows(url, "SELECT name FROM sqlite_master WHERE type = 'trigger'") == [])
        #expect(try ForeignSchema.rows(url, "SELECT * FROM Z_PRIMARYKEY WHERE Z_ENT > 16999") == [])
        try use(url, new)
        if way != .besideTheStore { #expect(try ForeignSchema.content(store.url) == content) }
    }

    /// A token from before gives what has happened since. For a store made by copying objects, which it knows nothing of, it has
    /// expired. It never hides a change.
    @Test(arguments: Way.allCases)
    func tokensFromBefore(_ way: Way) throws {
        let (old, new) = (Self.model(1, movesNote: way == .besideTheStore), Self.model(2))
        let store = try filled(old, ForeignSchema.statements)
        var token: NSPersistentHistoryToken?
        try store.open(old, options: Self.tracking) { context in
            token = context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
            for photo in try context.fetchAll("Photo") where photo.value(forKey: "name") as? String == "two" {
                context.delete(photo)
            }
        }
        let url = try migrate(store, way, old, new)
        let read = Result {
            try history(url, new, after: token) { context in
                try context.fetchAll("Photo")[0].setValue("changed", forKey: "name")
            }
        }
        switch way {
        // A deleted photo is a change of its album.
        case .inPlace, .inStages, .copiedInPlace:
            #expect(try read.get() == ["delete Photo", "update Album", "update Photo"])
        case .besideTheStore, .byMapping, .byCoordinator:
            #expect(code { _ = try read.get() } == NSPersistentHistoryTokenExpiredError)
        }
    }

    /// History that was deleted before an in-place migration is still known to be missing afterwards.
    @Test(arguments: [Way.inPlace, .inStages, .copiedInPlace])
    func tokensOfDeletedHistory(_ way: Way) throws {
        let (old, new) = (Self.model(1), Self.model(2))
        let store = try filled(old, ForeignSchema.statements)
        var token: NSPersistentHistoryToken?
        try store.open(old, options: Self.tracking) { context in
            token = context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
            for _ in 0..<2 {
                context.insert("Photo", ["name": "more"])
                try context.save()
            }
            let now = context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
            try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: now))
        }
        let url = try migrate(store, way, old, new)
        let failure = code { _ = try history(url, new, after: token) { _ in } }
        #expect(failure == NSPersistentHistoryTokenExpiredError)
    }

    private func history(
        _ url: URL, _ model: NSManagedObjectModel, after token: NSPersistentHistoryToken?,
        _ body: (NSManagedObjectContext) throws -> Void
    ) throws -> [String] {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            type: .sqlite, configuration: nil, at: url, options: Self.tracking)
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            try body(context)
            if context.hasChanges { try context.save() }
            let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
            let transactions = (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
            return (transactions ?? []).flatMap { transaction in
                (transaction.changes ?? []).map { change in
                    let kind = [.insert: "insert", .update: "update"][change.changeType] ?? "delete"
                    return "\(kind) \(change.changedObjectID.entity.name ?? "")"
                }.sorted()
            }
        }
    }

    /// A table with the name a new entity's table needs: an error, with the store as it was on every way.
    @Test(arguments: [Way.inPlace, .inStages, .copiedInPlace])
    func takenNames(_ way: Way) throws {
        let (old, new) = (Self.model(1), Self.model(2))
        let taken = ["CREATE TABLE ZAARDVARK (x TEXT)", "INSERT INTO ZAARDVARK VALUES ('mine')"]
        let store = try filled(old, ForeignSchema.statements + ForeignSchema.doomed + taken)
        let before = try MigrationStore.schema(store.url)
        let content = try FileContent(store.url)
        let error = #expect(throws: (any Error).self) { try migrate(store, way, old, new) }
        let reason = (error as NSError?)?.localizedFailureReason ?? ""
        #expect(reason.contains("ZAARDVARK"), "\(String(describing: error))")
        #expect(try MigrationStore.schema(store.url) == before)
        #expect(try FileContent(store.url) == content)
        #expect(!FileManager.default.fileExists(atPath: store.folder.file("Migrated.sqlite").path))
        try store.open(old) { context in check(try context.fetchAll("Photo").count, 2) }
    }
}
