import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import ModelFormat
import Testing

/// A program of an older version of the model and a store of a newer one.
///
/// Apple's framework answers 134130 where the store's version is none of the program's.
struct OlderProgramTests {
    private static func model(_ keys: String...) -> NSManagedObjectModel {
        let doctor = LibraryModel.entity("Doctor")
        doctor.properties = keys.map { LibraryModel.attribute($0, .stringAttributeType) }
        let model = NSManagedObjectModel()
        model.entities = [doctor]
        model.versionIdentifiers = [keys.joined(separator: "+")]
        return model
    }

    private let first = model("name")
    private let second = model("name", "phone")
    private let third = model("name", "phone", "fax")
    private let back: [AnyHashable: Any] = [NSMigratePersistentStoresBackwardOption: true]

    /// A store that was made with the first of the versions and migrated through the others.
    private func store(_ type: String = NSSQLiteStoreType, _ versions: NSManagedObjectModel...) throws -> MigrationStore
    {
        let store = try MigrationStore(type: type)
        try store.open(versions[0]) { $0.insert("Doctor", ["name": "Ann"]) }
        for version in versions.dropFirst() { try store.migrate(to: version) }
        if versions.count > 1 || versions[0] !== first {
            try store.open(versions[versions.count - 1]) {
                try $0.fetchAll("Doctor")[0].setValue("+49", forKey: "phone")
            }
        }
        return store
    }

    private func phones(_ store: MigrationStore, _ model: NSManagedObjectModel) throws -> [String] {
        try store.open(model) { try $0.texts("Doctor", "phone") }
    }

    private func failure(_ store: MigrationStore, _ model: NSManagedObjectModel) -> NSError? {
        do {
            try store.migrate(to: model)
            return nil
        } catch { return error as NSError }
    }

    private func checksums(_ metadata: [String: Any]) -> [String]? {
        metadata["MagicalRecordFormerVersionChecksums"] as? [String]
    }

    private func metadata(_ store: MigrationStore, at url: URL? = nil) throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: store.type, at: url ?? store.url)
    }

    /// Migrates the store by a manager, as a program does that means it.
    private func migrateByHand(
        _ store: MigrationStore, _ old: NSManagedObjectModel, _ new: NSManagedObjectModel
    ) throws {
        let copy = store.folder.file("Copy.sqlite")
        try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
            from: store.url, sourceType: store.type,
            with: .inferredMappingModel(forSourceModel: old, destinationModel: new), toDestinationURL: copy,
            destinationType: store.type)
        try NSPersistentStoreCoordinator(managedObjectModel: new).replacePersistentStore(
            at: store.url, withPersistentStoreFrom: copy, ofType: store.type)
    }

    // MARK: Versions the store came from

    @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func theProgramAStoreWasMigratedFromIsRefused(_ type: String) throws {
        let store = try store(type, first, second)
        let error = try #require(failure(store, first))
        #expect(error.code == NSMigrationMissingSourceModelError)
        let words = [error.localizedFailureReason, error.localizedRecoverySuggestion].compactMap { $0 }.joined()
        for word in [
            "\"name+phone\"", second.versionChecksum, "\"name\"", first.versionChecksum, "Doctor.phone",
            "NSMigratePersistentStoresBackwardOption",
        ] {
            #expect(words.contains(word), "\(word) is missing: \(words)")
        }
        #expect(try phones(store, second) == ["+49"])
    }

    @Test func everyVersionBeforeIsRefused() throws {
        let store = try store(NSSQLiteStoreType, first, second, third)
        #expect(failure(store, first)?.code == NSMigrationMissingSourceModelError)
        #expect(failure(store, second)?.code == NSMigrationMissingSourceModelError)
        #expect(try phones(store, third) == ["+49"])
    }

    /// Not 134140, which says that a mapping model is missing.
    @Test func aProgramIsRefusedAlsoWhereNothingCouldBeInferred() throws {
        let pair = VersionPair()
        let store = try pair.store()
        let resource = try ResourceFile(pair.mapping())
        try store.migrate(to: pair.second)
        withExtendedLifetime(resource) {}
        #expect(failure(store, pair.first)?.code == NSMigrationMissingSourceModelError)
    }

    @Test func aMappingModelForTheWayBackIsUsed() throws {
        let pair = VersionPair()
        let store = try pair.store()
        let there = try ResourceFile(pair.mapping())
        try store.migrate(to: pair.second)
        let wayBack = try ResourceFile(
            pair.mapping(stars: "'4'") { piece in
                swap(&piece.sourceEntityVersionHash, &piece.destinationEntityVersionHash)
            })
        try store.migrate(to: pair.first)
        withExtendedLifetime((there, wayBack)) {}
        try store.open(pair.first) { try check($0.texts("Piece", "stars"), ["4"]) }
    }

    @Test func theOptionMigratesBack() throws {
        let store = try store(NSSQLiteStoreType, first, second, third)
        let options = MigrationStore.automatically.merging(back) { $1 }
        try store.open(second, options: options) { try check($0.texts("Doctor", "phone"), ["+49"]) }
        // The later version may have it again, and the one before is refused still.
        #expect(failure(store, first)?.code == NSMigrationMissingSourceModelError)
        try store.migrate(to: third)
        try store.open(first, options: options) { try check($0.texts("Doctor", "name"), ["Ann"]) }
        try store.migrate(to: third)
        #expect(try phones(store, third) == ["nil"])
    }

    @Test func aManagerMigratesBackAndTheWayForwardStaysOpen() throws {
        for store in [try store(NSSQLiteStoreType, first, second), try store(NSSQLiteStoreType, second)] {
            try migrateByHand(store, second, first)
            try store.migrate(to: second)
            #expect(try phones(store, second) == ["nil"])
        }
    }

    @Test func aManagersMigrationForwardIsNotedToo() throws {
        let store = try store(NSSQLiteStoreType, first)
        try migrateByHand(store, first, second)
        #expect(failure(store, first)?.code == NSMigrationMissingSourceModelError)
    }

    @Test func stagesAreNotedToo() throws {
        let store = try store(NSSQLiteStoreType, first)
        var options = MigrationStore.automatically
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager([
            NSCustomMigrationStage(
                migratingFrom: NSManagedObjectModelReference(model: first, versionChecksum: first.versionChecksum),
                to: NSManagedObjectModelReference(model: second, versionChecksum: second.versionChecksum))
        ])
        try store.open(second, options: options) { _ in }
        #expect(failure(store, first)?.code == NSMigrationMissingSourceModelError)
    }

    // MARK: The note

    @Test func theNoteSurvivesCopiesAndTheProgramsMetadata() throws {
        let store = try store(NSSQLiteStoreType, first, second)
        try NSPersistentStoreCoordinator.setMetadata(
            ["owner": "me"], forPersistentStoreOfType: store.type, at: store.url)
        #expect(try checksums(metadata(store)) == [first.versionChecksum])
        let copy = store.folder.file("Copy.sqlite"), moved = store.folder.file("Moved.xml")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: second)
        try coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: store.url, ofType: store.type)
        #expect(try checksums(metadata(store, at: copy)) == [first.versionChecksum])
        let added = try coordinator.addPersistentStore(ofType: store.type, configurationName: nil, at: store.url)
        let xml = try coordinator.migratePersistentStore(added, to: moved, withType: NSXMLStoreType)
        #expect(checksums(xml.metadata) == [first.versionChecksum])
        try coordinator.remove(xml)
        let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSXMLStoreType, at: moved)
        #expect(checksums(read) == [first.versionChecksum])
    }

    @Test func aNewStoreHasNoNote() throws {
        #expect(try checksums(metadata(store(NSSQLiteStoreType, second))) == nil)
    }

    @Test func theNoteIsBounded() throws {
        func version(_ number: Int) -> NSManagedObjectModel {
            let model = Self.model("name")
            model.entities[0].versionHashModifier = "\(number)"
            return model
        }
        let store = try MigrationStore()
        try store.open(version(0)) { _ in }
        for number in 1...40 { try store.migrate(to: version(number)) }
        let found = try checksums(metadata(store)) ?? []
        #expect(found == (8..<40).map { version($0).versionChecksum })
    }

    /// Each drops what the other has of its own, but nothing that was there before.
    @Test func aVersionThatOnlyTakesAwayIsNoLaterOne() throws {
        let store = try store(NSSQLiteStoreType, second)
        try store.migrate(to: first)
        try store.migrate(to: second)
        #expect(try phones(store, second) == ["nil"])
    }

    // MARK: Versions in a bundle

    /// The model as a program reads it that has these versions in a bundle, the last one being its own.
    private func program(_ folder: TemporaryFolder, _ versions: NSManagedObjectModel...) throws -> NSManagedObjectModel
    {
        let bundle = folder.file("Doctors-\(UUID().uuidString).xcdatamodeld")
        for (index, version) in versions.enumerated() { try version.write(to: bundle, versionName: "Doctors \(index)") }
        return try #require(NSManagedObjectModel(contentsOf: bundle))
    }

    @Test func aBundleWithoutTheStoresVersionIsRefusedWhereSomethingWouldBeLost() throws {
        let folder = try TemporaryFolder()
        let store = try store(NSSQLiteStoreType, second)
        let error = try #require(failure(store, program(folder, first)))
        #expect(error.code == NSMigrationMissingSourceModelError)
        #expect(error.localizedRecoverySuggestion?.contains("Doctor.phone") == true)
        #expect(try phones(store, second) == ["+49"])
        // A compiled one, and one that was copied and merged.
        let compiled = folder.file("Doctors.momd")
        try first.write(to: compiled)
        let model = try #require(NSManagedObjectModel(contentsOf: compiled))
        #expect(failure(store, model)?.code == NSMigrationMissingSourceModelError)
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(failure(store, copy)?.code == NSMigrationMissingSourceModelError)
        let merged = try #require(NSManagedObjectModel(byMerging: [model]))
        #expect(failure(store, merged)?.code == NSMigrationMissingSourceModelError)
        try store.open(model, options: MigrationStore.automatically.merging(back) { $1 }) { _ in }
        try store.migrate(to: second)
    }

    @Test func aBundleWithTheStoresVersionMigrates() throws {
        let folder = try TemporaryFolder()
        let store = try store(NSSQLiteStoreType, second)
        try store.migrate(to: program(folder, second, first))
        try store.open(first) { try check($0.texts("Doctor", "name"), ["Ann"]) }
    }

    @Test func aBundleWithoutTheStoresVersionMigratesWhereNothingIsLost() throws {
        let folder = try TemporaryFolder()
        let store = try store(NSSQLiteStoreType, first)
        try store.migrate(to: program(folder, second))
        try store.migrate(to: program(folder, first, second, third))
        #expect(try phones(store, third) == ["nil"])
    }

    /// Its stores are of no version in the bundle.
    @Test func aModelEditedAfterReadingIsNotOfTheBundle() throws {
        func edited(_ version: NSManagedObjectModel) throws -> NSManagedObjectModel {
            let model = try program(TemporaryFolder(), version)
            model.entities[0].versionHashModifier = "edited"
            return model
        }
        let store = try MigrationStore()
        try store.open(edited(second)) { _ in }
        try store.migrate(to: edited(first))
    }
}
