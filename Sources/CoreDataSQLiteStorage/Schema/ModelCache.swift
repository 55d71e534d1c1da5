import CoreDataRowStorage
import Foundation

/// The archived model in a store's `Z_MODELCACHE` table.
package enum ModelCache {
    /// Writes the model; writes no row if a part of the model cannot be archived.
    package static func write(_ model: any StoredModel, on connection: SQLiteConnection) throws {
        guard let content = model.archive() else { return }
        try connection.execute("DELETE FROM Z_MODELCACHE")
        let statement = try connection.prepare("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
        try statement.bind(content, at: 1)
        try statement.run()
    }

    /// Reads the archived model of a store that may be in use.
    ///
    /// - Throws: `NSMigrationMissingSourceModelError` if the store contains none.
    static func read(_ connection: SQLiteConnection) throws -> Data {
        if let content = try content(connection) { return content }
        throw SQLiteFailure.storeError(
            NSMigrationMissingSourceModelError, path: connection.path,
            description: "The store keeps no model of itself.",
            reason:
                "Z_MODELCACHE is missing or empty: the store was made by a framework older than iOS 9 or OS X 10.11.",
            advice: "Open it with its model file.")
    }

    private static func content(_ connection: SQLiteConnection) throws -> Data? {
        guard try ActualSchema(connection).hasTable("Z_MODELCACHE") else { return nil }
        let statement = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
        guard try statement.step() else { return nil }
        return statement.data(0)
    }
}
