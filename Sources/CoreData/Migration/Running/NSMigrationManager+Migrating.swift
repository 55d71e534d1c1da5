import CoreDataRowStorage
import Foundation

extension NSMigrationManager {
    /// Migrates a store into another one, which is created, or added to if it exists.
    ///
    /// Cost: every object of both stores is held in memory, unless the mapping was inferred and both are SQLite
    /// databases; then the database does the work in bounded memory.
    ///
    /// - Throws: 134140 without a mapping; 134150 and 134160 when a store cannot be opened, and 134160 when the destination
    ///   is the source; 134110 when the mapping does not fit the models, a number does not fit the type of its attribute, or
    ///   the result is not valid; 134170 when a value cannot be computed; whatever policies throw, and the error given to ``cancelMigrationWithError(_:)``. A destination that was created is removed then.
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

    /// As ``migrateStore(from:sourceType:options:with:toDestinationURL:destinationType:destinationOptions:)``.
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
