import CoreData
import Foundation

/// A migration by `NSMigrationManager`, which copies a store object by object.
@MainActor
enum MappedMigration {
    /// Migrates a store by the inferred mapping, in which the attribute `addition` has the constant value `additions`.
    ///
    /// - Throws: Core Data's errors, ``InteropError`` if the mapping does not contain the attribute.
    static func run(
        _ store: URL, from source: NSManagedObjectModel, to destination: NSManagedObjectModel, additions: String
    ) throws {
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        let added = mapping.entityMappings.flatMap { $0.attributeMappings ?? [] }.filter { $0.name == "addition" }
        guard !added.isEmpty else { throw InteropError("the inferred mapping does not have the new attribute") }
        for property in added { property.valueExpression = NSExpression(forConstantValue: additions) }

        let folder = store.deletingLastPathComponent().appendingPathComponent("Migrating")
        try folder.makeEmptyFolder()
        let manager = NSMigrationManager(sourceModel: source, destinationModel: destination)
        try manager.migrateStore(
            from: store, sourceType: NSSQLiteStoreType, options: nil, with: mapping,
            toDestinationURL: folder.store, destinationType: NSSQLiteStoreType, destinationOptions: nil)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: destination)
        try coordinator.replacePersistentStore(
            at: store, destinationOptions: nil, withPersistentStoreFrom: folder.store, sourceOptions: nil,
            ofType: NSSQLiteStoreType)
        try FileManager.default.removeItem(at: folder)
    }
}
