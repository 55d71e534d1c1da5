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
