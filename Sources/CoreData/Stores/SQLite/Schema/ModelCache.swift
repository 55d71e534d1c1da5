import Foundation
import ModelFormat
import ModelPredicates

/// The model a store keeps of itself in `Z_MODELCACHE`.
enum ModelCache {
    /// Writes the model; the row stays away when the model has something that cannot be archived.
    static func write(_ model: NSManagedObjectModel, on connection: SQLiteConnection) throws {
        guard let content = try? ModelValues.model(model).cacheContent(parser: FormatTextParser()) else { return }
        try connection.execute("DELETE FROM Z_MODELCACHE")
        let statement = try connection.prepare("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
        try statement.bind(content, at: 1)
        try statement.run()
    }

    /// The model as plain values; nil in files of older frameworks.
    static func read(_ connection: SQLiteConnection) throws -> Model? {
        guard try ActualSchema(connection).hasTable("Z_MODELCACHE") else { return nil }
        let statement = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
        guard try statement.step(), let content = statement.data(0) else { return nil }
        do {
            return try Model(cacheContent: content)
        } catch {
            throw ModelFileError.wrapped(error)
        }
    }
}

extension NSManagedObjectModel {
    /// The model that a SQLite store keeps of itself: the one it was last written with, so that a store can be looked into
    /// without its model file.
    ///
    /// ```swift
    /// let model = try NSManagedObjectModel(cachedInStoreAt: url)
    /// let container = NSPersistentContainer(name: "Viewer", managedObjectModel: model)
    /// ```
    /// The store may be in use. Its version hashes fit the model, so it opens without migration. Classes named in the model
    /// that the program lacks are replaced by `NSManagedObject`. Not part of Apple's interface.
    ///
    /// - Throws: `NSMigrationMissingSourceModelError` when the store keeps no model, as those from before iOS 9 do;
    ///   `NSCoreDataError` when the model cannot be read; and what opening the file throws.
    public convenience init(cachedInStoreAt url: URL) throws {
        var settings = ConnectionSettings()
        settings.isReadOnly = true
        guard let values = try ModelCache.read(StoreFile(url: url, settings: settings).open().connection) else {
            throw SQLiteFailure.storeError(
                NSMigrationMissingSourceModelError, path: url.path, description: "The store keeps no model of itself.",
                reason:
                    "Z_MODELCACHE is missing or empty: the store was made by a framework older than iOS 9 or OS X 10.11.",
                advice: "Open it with its model file.")
        }
        try self.init(values: values)
    }
}
