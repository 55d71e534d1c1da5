import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Stages that do not lead from the store's version to the model's. Codes: Apple's 134130 without the store's version, 134504 for
/// a model that is not found, 134506 backwards, 134140 where nothing can be inferred, 134110 for what is no sequence.
struct StagedMigrationErrorTests {
    private let first = Versions.first()
    private let second = Versions.changed { entities, _ in
        entities["Club"]?.properties += [LibraryModel.attribute("note", .stringAttributeType)]
    }
    private let third = Versions.changed { entities, _ in
        entities["Club"]?.attributesByName["title"]?.attributeType = .dateAttributeType
    }

    private func refuse(
        _ stages: [NSMigrationStage], _ model: NSManagedObjectModel, _ code: Int, domain: String = NSCocoaErrorDomain,
        _ words: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let store = try MigrationStore()
        try store.open(first) { Versions.fill($0) }
        let words = domain == NSCocoaErrorDomain ? [store.url.path] + words : words
        // The options of automatic migration make no difference.
        for automatically in [true, false] {
            try expectRefusal(of: store, code, domain: domain, words, sourceLocation: sourceLocation) {
                try add(
                    store, model,
                    [
                        NSMigratePersistentStoresAutomaticallyOption: automatically,
                        NSInferMappingModelAutomaticallyOption: automatically,
                        NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager(stages),
                    ])
            }
        }
    }

    private func reference(_ model: NSManagedObjectModel, _ checksum: String? = nil) -> NSManagedObjectModelReference {
        NSManagedObjectModelReference(model: model, versionChecksum: checksum ?? model.versionChecksum)
    }

    private func light(_ checksums: String...) -> NSMigrationStage { NSLightweightMigrationStage(checksums) }

    @Test func stagesWithoutTheStoresVersion() throws {
        let words = ["No stage has the store's version", first.versionChecksum, "Add a stage"]
        let code = NSMigrationMissingSourceModelError
        try refuse([], second, code, words)
        try refuse([NSMigrationStage()], second, code, words)
        try refuse([NSCustomMigrationStage()], second, code, words)
        try refuse([light("x", "y")], second, code, words)
        try refuse([light(third.versionChecksum, second.versionChecksum)], second, code, words)
    }

    @Test func stagesThatDoNotJoinUp() throws {
        try refuse(
            [light(first.versionChecksum, second.versionChecksum, first.versionChecksum)], second, NSMigrationError,
            ["a version occurs twice", "List every version once"])
        try refuse(
            [light(first.versionChecksum, "lost")], second, NSManagedObjectModelReferenceNotFoundError,
            ["checksum lost", ".xcdatamodeld"])
        try refuse(
            [light(second.versionChecksum, first.versionChecksum)], second, NSStagedMigrationBackwardMigrationError,
            ["later version"])
        let wrong = NSCustomMigrationStage(migratingFrom: reference(first), to: reference(third, "lost"))
        wrong.label = "To dates"
        try refuse(
            [wrong], second, NSManagedObjectModelReferenceNotFoundError,
            ["\"To dates\"", "checksum lost", "modelc hashes"])
    }

    /// The same code as for a store added without stages, with the versions of the step.
    @Test func stepsThatCannotBeInferred() throws {
        let words = [
            "missing mapping model", "from the version \(first.versionChecksum) to \(third.versionChecksum)",
            "Club.title changed its type",
        ]
        try refuse(
            [light(first.versionChecksum, third.versionChecksum)], third, NSMigrationMissingMappingModelError, words)
        // Stages that do not meet are joined by an inferred step.
        try refuse([light(first.versionChecksum)], third, NSMigrationMissingMappingModelError, words)
        try refuse(
            [NSCustomMigrationStage(migratingFrom: reference(first), to: reference(third))], third,
            NSMigrationMissingMappingModelError, words)
    }

    @Test func handlersThatThrow() throws {
        for after in [false, true] {
            let stage = NSCustomMigrationStage(migratingFrom: reference(first), to: reference(second))
            let failure = NSError(domain: "Handler", code: 3, userInfo: [NSLocalizedDescriptionKey: "handler failed"])
            if after {
                stage.didMigrateHandler = { _, _ in throw failure }
            } else {
                stage.willMigrateHandler = { manager, _ in
                    // What the handler saved before is undone.
                    let context = try #require(manager.container?.newBackgroundContext())
                    try context.performAndWait {
                        for club in try context.fetchAll("Club") { context.delete(club) }
                        try context.save()
                    }
                    throw failure
                }
            }
            try refuse([stage], second, 3, domain: "Handler", ["handler failed"])
        }
    }

    /// The stages work on a copy: errors name the store that was added.
    @Test func rowsThatStandAgainstAStage() throws {
        let required = Versions.changed { entities, _ in
            entities["Employee"]?.attributesByName["salary"]?.isOptional = false
        }
        let lonely = Versions.changed { entities, _ in
            entities["Card"]?.relationshipsByName["owner"]?.isOptional = false
            entities["Person"]?.relationshipsByName["card"]?.isOptional = false
        }
        let narrow = Versions.changed { entities, _ in
            entities["Employee"]?.attributesByName["salary"]?.attributeType = .integer16AttributeType
        }
        for (model, property) in [(required, "salary"), (lonely, "card"), (narrow, "salary")] {
            let stage = NSCustomMigrationStage(migratingFrom: reference(first), to: reference(model))
            let store = try MigrationStore()
            try store.open(first) { Versions.fill($0) }
            let error = try expectRefusal(of: store, NSMigrationError, [], property: property) {
                try add(
                    store, model,
                    [NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage])])
            }
            #expect(error.userInfo[NSURLErrorKey] as? URL == store.url, "\(error)")
            #expect("\(error) \(error.userInfo)".contains(store.url.path), "\(error)")
            #expect(!"\(error) \(error.userInfo)".contains(".migration"), "\(error)")
        }
    }

    /// What a handler's container throws names the store too; errors of the program are passed on as they are.
    @Test func errorsInHandlers() throws {
        let store = try MigrationStore()
        try store.open(first) { Versions.fill($0) }
        let stage = NSCustomMigrationStage(migratingFrom: reference(first), to: reference(second))
        var own = NSError(domain: "Handler", code: 4)
        let options: [AnyHashable: Any] = [
            NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage])
        ]
        stage.willMigrateHandler = { manager, _ in
            let url = try #require(manager.container?.persistentStoreCoordinator.persistentStores.first?.url)
            own = NSError(domain: "Handler", code: 4, userInfo: [NSURLErrorKey: url])
            throw own
        }
        let passed = try expectRefusal(of: store, 4, domain: "Handler") { try add(store, second, options) }
        #expect(passed.userInfo[NSURLErrorKey] as? URL == own.userInfo[NSURLErrorKey] as? URL)
        stage.willMigrateHandler = { manager, _ in
            let url = try #require(manager.container?.persistentStoreCoordinator.persistentStores.first?.url)
            throw CocoaError(.fileReadCorruptFile, userInfo: [NSURLErrorKey: url, NSFilePathErrorKey: url.path])
        }
        let told = #expect(throws: NSError.self) { try add(store, second, options) }
        #expect(told?.code == NSFileReadCorruptFileError)
        #expect(told?.userInfo[NSURLErrorKey] as? URL == store.url)
        #expect(told?.userInfo[NSFilePathErrorKey] as? String == store.url.path)
    }

    /// The store was migrated without the stages.
    @Test func anOptionThatIsNoManager() throws {
        let store = try MigrationStore()
        try store.open(first) { Versions.fill($0) }
        try expectRefusal(
            of: store, NSPersistentStoreOpenError,
            [NSPersistentStoreStagedMigrationManagerOptionKey, "Give it an NSStagedMigrationManager"]
        ) { try add(store, second, [NSPersistentStoreStagedMigrationManagerOptionKey: "stages"]) }
    }
}
