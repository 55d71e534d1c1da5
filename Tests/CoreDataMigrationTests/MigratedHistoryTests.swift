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

    /// The ways for each type of store: PostgreSQL migrates by inference in its tables only.
    static let cases: [(Way, StoreKind)] =
        Way.allCases.map { ($0, .sqlite) }
        + (StoreKind.hasServer ? [(.inPlace, .postgreSQL), (.inStages, .postgreSQL)] : [])

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

    @Test(arguments: cases)
    func tokensTombstonesAndFiles(_ way: Way, _ kind: StoreKind) throws {
        let (old, new) = (model(1, way), model(2, way))
        let store = try MigrationStore(type: kind.type)
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
        if kind == .sqlite { #expect(try externalFiles(store).count == 1) }
    }

    /// Two entities exchange their names, and so do two attributes of one. Another entity is removed, and comes back with other
    /// objects.
    @Test(arguments: StoreKind.allCases.filter { $0 != .memory })
    func exchangedAndReusedNames(_ kind: StoreKind) throws {
        let options = MigrationStore.automatically.merging([NSPersistentHistoryTrackingKey: true]) { $1 }
        func model(_ entities: [(String, String)]) -> NSManagedObjectModel {
            let model = makeModel(entities)
            for entity in model.entities {
                for attribute in entity.attributesByName.values { attribute.preservesValueInHistoryOnDeletion = true }
            }
            return model
        }
        let first = model([("A", "x: string?; y: string?"), ("B", "count: i16?; when: date?"), ("C", "z: string?")])
        let names = [("B", "x: string?; y: string?"), ("A", "count: double?; when: date?"), ("D", "z: string?")]
        let second = model(names)
        second.entitiesByName["A"]?.renamingIdentifier = "B"
        second.entitiesByName["B"]?.renamingIdentifier = "A"
        second.entitiesByName["B"]?.attributesByName["x"]?.renamingIdentifier = "y"
        second.entitiesByName["B"]?.attributesByName["y"]?.renamingIdentifier = "x"
        let third = model(names + [("C", "z: string?")])
        let store = try MigrationStore(type: kind.type)
        let when = Date(timeIntervalSinceReferenceDate: 1234.5)
        var token: NSPersistentHistoryToken?
        try store.open(first, options: [NSPersistentHistoryTrackingKey: true]) { context in
            token = context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
            let a = context.insert("A", ["x": "1", "y": "2"])
            let b = context.insert("B", ["count": 7, "when": when])
            context.insert("C", ["z": "gone"])
            try context.save()
            a.setValue("3", forKey: "x")
            try context.save()
            context.delete(a)
            context.delete(b)
        }
        try store.open(second, options: options) { context in
            let changes = try history(after: token, context).flatMap { $0.changes ?? [] }
            check(
                Set(changes.map { "\($0.changedObjectID.entity.name ?? "") \($0.changeType.rawValue)" }),
                ["B 0", "A 0", "B 1", "B 2", "A 2"])
            check(changes.first { $0.changeType == .update }?.updatedProperties?.map(\.name), ["y"])
            let tombstones = changes.compactMap(\.tombstone)
            check(tombstones.compactMap { $0["y"] as? String }, ["3"])
            check(tombstones.compactMap { $0["x"] as? String }, ["2"])
            check(tombstones.compactMap { ($0["count"] as? NSNumber)?.doubleValue }, [7])
            check(tombstones.compactMap { $0["when"] as? Date }, [when])
        }
        // The changes of the removed entity are not those of another with its name.
        try store.open(third, options: options) { context in
            context.insert("C", ["z": "new"])
            try context.save()
            let changes = try history(after: token, context).flatMap { $0.changes ?? [] }
            check(changes.filter { $0.changedObjectID.entity.name == "C" }.count, 1)
            check(changes.count, 6)
        }
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
