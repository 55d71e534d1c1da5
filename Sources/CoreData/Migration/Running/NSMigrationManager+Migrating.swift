import CoreDataRowStorage
import Foundation

extension NSMigrationManager {
    /// Migrates a store into another one, which is created, or extended if it exists.
    ///
    /// Cost: every object of both stores is kept in memory, unless the mapping was inferred and both are SQLite databases; then
    /// the database migrates the rows in bounded memory.
    ///
    /// - Throws: 134140 without a mapping; 134150 and 134160 if a store cannot be opened, and 134160 if the destination is the
    ///   source; 134110 if the mapping does not fit the models, a number does not fit the type of its attribute, or the result
    ///   is not valid; 134170 if a value cannot be computed; errors of policies, and the error passed to
    ///   ``cancelMigrationWithError(_:)``. A destination created by the call is then removed.
    public func migrateStore(
        from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
        with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
        destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws {
        guard let mappings else {
            throw CoreDataError.make(
                NSMigrationMissingMappingModelError,
                description: "\(sourceURL.lastPathComponent) could not be migrated to \(dURL.lastPathComponent).",
                reason: "Can't find mapping model for migration: none was given.",
                advice:
                    "Read one with NSMappingModel(from:forSourceModel:destinationModel:), which is nil where there is none, "
                    + "or infer one with inferredMappingModel(forSourceModel:destinationModel:).",
                userInfo: [NSURLErrorKey: sourceURL, "sourceModel": sourceModel, "destinationModel": destinationModel])
        }
        try MigrationRun(
            manager: self, mapping: mappings,
            source: .init(url: sourceURL, type: sStoreType, options: sOptions),
            destination: .init(url: dURL, type: dStoreType, options: dOptions)
        ).run()
    }

    /// Migrates a store into another one, given typed store types; see
    /// ``migrateStore(from:sourceType:options:with:toDestinationURL:destinationType:destinationOptions:)``.
    public func migrateStore(
        from sourceURL: URL, type sourceType: NSPersistentStore.StoreType,
        options sourceOptions: [AnyHashable: Any]? = nil,
        mapping: NSMappingModel, to destinationURL: URL, type destinationType: NSPersistentStore.StoreType,
        options destinationOptions: [AnyHashable: Any]? = nil
    ) throws {
        try migrateStore(
            from: sourceURL, sourceType: sourceType.rawValue, options: sourceOptions, with: mapping,
            toDestinationURL: destinationURL, destinationType: destinationType.rawValue,
            destinationOptions: destinationOptions)
    }
}
