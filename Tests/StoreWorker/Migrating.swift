import CoreData
import Foundation

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
func migrateStore(_ url: URL, kind: String) throws {
    let model = try Ledger.nextModel(kind)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    report("ready")
    _ = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url,
        options: [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ])
    report("done")
}

extension Ledger {
    /// Another version of the model. The "heavy" one keeps values elsewhere, which the database cannot do by itself.
    static func nextModel(_ kind: String) throws -> NSManagedObjectModel {
        let model = Ledger.model()
        let entities = model.entitiesByName
        entities["Label"]?.name = "ATag"
        entities["Label"]?.renamingIdentifier = "Label"
        entities["Entry"]?.properties += [Ledger.attribute("note", .stringAttributeType)]
        if kind == "heavy" {
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
