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
        statement.bind(content, at: 1)
        try statement.run()
    }

    /// The model; nil in files of older frameworks.
    static func read(_ connection: SQLiteConnection) throws -> NSManagedObjectModel? {
        guard try ActualSchema(connection).hasTable("Z_MODELCACHE") else { return nil }
        let statement = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
        guard try statement.step(), let content = statement.data(0) else { return nil }
        let values: Model
        do {
            values = try Model(cacheContent: content)
        } catch {
            throw ModelFileError.wrapped(error)
        }
        let model = NSManagedObjectModel()
        try ModelBuilder.fill(model, from: values)
        return model
    }
}

extension SQLiteStore {
    /// The model a store was last opened with by the program that wrote it: for looking into a store without its model file.
    ///
    /// - Throws: 134130 when the store keeps no model, as those from before iOS 9 do, and what opening the file throws.
    static func cachedModel(at url: URL) throws -> NSManagedObjectModel {
        var settings = ConnectionSettings()
        settings.isReadOnly = true
        let connection = try StoreFile(url: url, settings: settings).open().connection
        if let model = try ModelCache.read(connection) { return model }
        throw SQLiteFailure.storeError(
            NSMigrationMissingSourceModelError, path: url.path, description: "The store keeps no model of itself.",
            reason:
                "Z_MODELCACHE is missing or empty: the store was made by a framework older than iOS 9 or OS X 10.11.",
            advice: "Open it with its model file.")
    }
}
