import CoreData
import Foundation
import MagicalRecord

/// Makes a store with so many entries, to be migrated.
func fillStore(_ url: URL, count: Int) throws {
    let context = try Ledger.context(url)
    try context.performAndWait {
        try Ledger.prepare(context)
        for number in 0..<count {
            Ledger.insert("Entry", ["text": "entry \(number)", "position": number], context)
        }
        try context.save()
    }
}

/// Opens the store with another version of the model.
///
/// - Parameter signal: a file to wait for.
func migrateStore(_ url: URL, kind: String, signal: String? = nil) throws {
    let migration = try StoreMigration(url, kind: kind)
    report("ready")
    while let signal, !FileManager.default.fileExists(atPath: signal) { usleep(200) }
    let begin = Date()
    let entries = try migration.run()
    report("milliseconds \(Int(-begin.timeIntervalSinceNow * 1000))")
    report("entries \(entries)")
    report("done")
}

/// One way to bring a store to the next version of its model.
struct StoreMigration {
    private let url: URL
    private let model: NSManagedObjectModel
    private let kind: String

    init(_ url: URL, kind: String) throws {
        self.url = url
        self.kind = kind
        model = try Ledger.nextModel(kind)
    }

    /// Migrates the store, opens it, and closes it again.
    ///
    /// - Returns: How many entries it has.
    func run() throws -> Int {
        if kind == "chain" {
            // Over a version in between.
            let between = try Ledger.nextModel("light")
            let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: between, destinationModel: model)
            try MagicalRecord.migrate(
                .sqlite(at: url), through: MagicalRecord.ModelVersions([Ledger.model(), between, model]),
                mappings: [mapping])
        }
        if kind == "objects" { try migrateObjects() }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: Ledger.storeType(of: url), configurationName: nil, at: url, options: try options())
        defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Entry"))
        }
    }

    /// Migrates the store by an edited mapping, which no database carries out by itself.
    private func migrateObjects() throws {
        let old = Ledger.model()
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: Ledger.storeType(of: url), at: url)
        guard !model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) else { return }
        let inferred = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: model)
        guard let mapping = inferred.copy() as? NSMappingModel else { throw CocoaError(.coderInvalidValue) }
        for entity in mapping.entityMappings { entity.userInfo = ["edited": true] }
        try MagicalRecord.migrate(
            url.isFileURL ? .sqlite(at: url) : .postgreSQL(at: url),
            through: MagicalRecord.ModelVersions([old, model]), mappings: [mapping])
    }

    private func options() throws -> [AnyHashable: Any] {
        var options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: kind != "chain" && kind != "objects",
            // A mapping model lies beside the program.
            NSInferMappingModelAutomaticallyOption: kind != "mapping" && kind != "chain",
        ]
        if kind == "stages" { options[NSPersistentStoreStagedMigrationManagerOptionKey] = stages() }
        return options
    }

    private func stages() -> NSStagedMigrationManager {
        let old = Ledger.model()
        let stage = NSCustomMigrationStage(
            migratingFrom: NSManagedObjectModelReference(model: old, versionChecksum: old.versionChecksum),
            to: NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum))
        stage.didMigrateHandler = { manager, _ in
            guard let context = manager.container?.newBackgroundContext() else { return }
            try context.performAndWait {
                for entry in try Ledger.all("Entry", context) { entry.setValue("staged", forKey: "note") }
                try context.save()
            }
        }
        return NSStagedMigrationManager([stage])
    }
}

/// Adds entries with the model the store had at first, one a save, and reports each that is saved.
func append(_ url: URL, until flag: String) throws {
    let context = try Ledger.context(url)
    let name = "\(ProcessInfo.processInfo.processIdentifier)"
    report("ready")
    var number = 0
    while !FileManager.default.fileExists(atPath: flag) {
        do {
            try context.performAndWait {
                Ledger.insert("Entry", ["text": "append \(name) \(number)"], context)
                try context.save()
                if number % 64 == 63 { context.reset() }
            }
            number += 1
            report("saved \(number)")
        } catch let error as NSError where error.code == NSPersistentStoreIncompatibleVersionHashError {
            return report("outdated \(number)")
        }
    }
    report("done")
}

extension Ledger {
    /// Another version of the model. All but the "light" one keep values elsewhere, which the database cannot do by itself.
    static func nextModel(_ kind: String) throws -> NSManagedObjectModel {
        let model = Ledger.model()
        let entities = model.entitiesByName
        entities["Label"]?.name = "ATag"
        entities["Label"]?.renamingIdentifier = "Label"
        entities["Entry"]?.properties += [Ledger.attribute("note", .stringAttributeType)]
        if kind != "light", kind != "objects" {
            entities["Entry"]?.attributesByName["blob"]?.allowsExternalBinaryDataStorage = false
        }
        return model
    }
}

/// Opens a store with the model a container finds by itself, and reports the attributes of its entity "Item".
func openWithDefaultModel(_ url: URL) throws {
    let container = NSPersistentContainer(name: "Unnamed")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    var failure: (any Error)?
    container.loadPersistentStores { failure = $1 }
    if let failure {
        report("failed \(failure.localizedDescription)")
        return
    }
    let attributes = container.managedObjectModel.entitiesByName["Item"]?.attributesByName.keys.sorted() ?? []
    report("loaded \(attributes.joined(separator: " "))")
}
