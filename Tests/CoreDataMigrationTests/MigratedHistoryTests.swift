import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Persistent history and files of external values, through every way an automatic migration takes.
///
/// Where the database migrates itself, tokens from before go on working. A store that is made object by object is another one,
/// with an identifier, object IDs and a history of its own, which begins with the insertion of everything: a token from before
/// has expired, as objects that it has not seen deleted are in no history.
@Suite("History and external files in migrations")
struct MigratedHistoryTests {
    enum Way: CaseIterable, Sendable { case inPlace, besideTheStore, inStages }

    private static let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    /// The second version has other names, and an entity before the others, so that all numbers change.
    private func model(_ version: Int, _ way: Way) -> NSManagedObjectModel {
        let photo = LibraryModel.entity(version == 1 ? "Photo" : "Picture")
        let name = LibraryModel.attribute(version == 1 ? "name" : "title", .stringAttributeType)
        name.preservesValueInHistoryOnDeletion = true
        let image = LibraryModel.attribute(version == 1 ? "image" : "pixels", .binaryDataAttributeType)
        image.allowsExternalBinaryDataStorage = true
        // Values that move out of their files cannot be migrated by SQL.
        let note = LibraryModel.attribute("note", .binaryDataAttributeType)
        note.allowsExternalBinaryDataStorage = version == 1 && way == .besideTheStore
        photo.properties = [name, image, note]
        var entities = [photo]
        if version == 2 {
            photo.renamingIdentifier = "Photo"
            name.renamingIdentifier = "name"
            image.renamingIdentifier = "image"
            photo.properties.insert(LibraryModel.attribute("added", .stringAttributeType), at: 0)
            entities.insert(LibraryModel.entity("Album"), at: 0)
        }
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    private func options(_ way: Way, _ old: NSManagedObjectModel, _ new: NSManagedObjectModel) -> [AnyHashable: Any] {
        var options = MigrationStore.automatically
        options[NSPersistentHistoryTrackingKey] = true
        if way == .inStages {
            let stage = NSCustomMigrationStage(
                migratingFrom: NSManagedObjectModelReference(model: old, versionChecksum: old.versionChecksum),
                to: NSManagedObjectModelReference(model: new, versionChecksum: new.versionChecksum))
            options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager([stage])
        }
        return options
    }

    private func history(after token: NSPersistentHistoryToken?, _ context: NSManagedObjectContext) throws
        -> [NSPersistentHistoryTransaction]
    {
        let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
        return (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction] ?? []
    }

    @Test(arguments: Way.allCases)
    func tokensTombstonesAndFiles(_ way: Way) throws {
        let (old, new) = (model(1, way), model(2, way))
        let store = try MigrationStore()
        var token: NSPersistentHistoryToken?
        let tracking: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        try store.open(old, options: tracking) { context in
            context.insert("Photo", ["name": "kept", "image": Self.bytes, "note": Data([1, 2, 3])])
            let gone = context.insert("Photo", ["name": "gone"])
            try context.save()
            token = context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
            context.delete(gone)
            try context.save()
        }
        #expect(token != nil)

        try store.open(new, options: options(way, old, new)) { context in
            // The values, and the file of the big one under its new name.
            let pictures = try context.fetchAll("Picture")
            check(pictures.map { $0.value(forKey: "title") as? String }, ["kept"])
            check(pictures.map { $0.value(forKey: "pixels") as? Data }, [Self.bytes])
            check(pictures.map { $0.value(forKey: "note") as? Data }, [Data([1, 2, 3])])

            pictures[0].setValue("changed", forKey: "title")
            try context.save()
            let isAnother = way == .besideTheStore
            if isAnother {
                check(code { _ = try history(after: token, context) }, NSPersistentHistoryTokenExpiredError)
            }
            let since = try history(after: isAnother ? nil : token, context).flatMap { $0.changes ?? [] }
            check(since.map(\.changedObjectID.entity.name), ["Picture", "Picture"])
            check(since.last?.updatedProperties?.map(\.name), ["title"])
            if isAnother {
                check(since.map(\.changeType), [.insert, .update])
            } else {
                check(since.map(\.changeType), [.delete, .update])
                check(since.first?.tombstone?["title"] as? String, "gone")
            }
            // From now on there is a history again.
            let now = context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
            pictures[0].setValue("again", forKey: "title")
            try context.save()
            check(try history(after: now, context).flatMap { $0.changes ?? [] }.map(\.changeType), [.update])
        }
        #expect(try externalFiles(store).count == 1)
    }

    /// With and without the option of history: the store made of another begins a history, or none, and the token is of neither.
    @Test(arguments: [true, false], [true, false])
    func storesMadeOfOthers(byMapping: Bool, tracking: Bool) throws {
        let tracked: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        let options = tracking ? tracked : nil
        let pair = VersionPair()
        let store = try MigrationStore()
        let token = try store.open(pair.first, options: tracked) { context in
            let gone = context.insert("Piece", ["title": "gone", "stars": "1"])
            context.insert("Piece", ["title": "kept", "stars": "2"])
            try context.save()
            let token = context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
            context.delete(gone)
            return token
        }
        let made = store.folder.file("Made.sqlite")
        if byMapping {
            try NSMigrationManager(sourceModel: pair.first, destinationModel: pair.second).migrateStore(
                from: store.url, type: .sqlite, options: nil, mapping: pair.mappingModel(pair.mapping()), to: made,
                type: .sqlite, options: options)
        } else {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: pair.first)
            let old = try coordinator.addPersistentStore(type: .sqlite, at: store.url, options: tracked)
            let new = try coordinator.migratePersistentStore(old, to: made, options: options, type: .sqlite)
            try coordinator.remove(new)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: byMapping ? pair.second : pair.first)
        _ = try coordinator.addPersistentStore(type: .sqlite, at: made, options: tracked)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.performAndWait {
            check(code { _ = try history(after: token, context) }, NSPersistentHistoryTokenExpiredError)
            check(code { _ = try history(after: nil, context) }, nil)
        }
    }

    private func externalFiles(_ store: MigrationStore) throws -> [String] {
        let folder = store.folder.file(".Store_SUPPORT/_EXTERNAL_DATA")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }
}
