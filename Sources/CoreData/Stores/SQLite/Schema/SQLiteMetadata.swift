import Foundation
import ModelFormat

/// The metadata of a store: one row of `Z_METADATA`, whose property list holds everything but the identifier.
enum SQLiteMetadata {
    static let frameworkVersionKey = "NSPersistenceFrameworkVersion"
    static let autoVacuumKey = "_NSAutoVacuumLevel"

    /// The version of Apple's framework whose files these are like.
    static let frameworkVersion = 1421

    /// What a new store starts with.
    static func fresh(for model: NSManagedObjectModel) -> [String: Any] {
        var metadata: [String: Any] = [
            NSStoreTypeKey: NSSQLiteStoreType,
            NSStoreUUIDKey: UUID().uuidString,
            frameworkVersionKey: frameworkVersion,
            autoVacuumKey: "2",
        ]
        metadata.merge(model.versionMetadata) { _, described in described }
        return metadata
    }

    /// Reads the row; an error for a file that is no Core Data store.
    static func read(_ connection: SQLiteConnection) throws -> [String: Any] {
        try readWithHashes(connection).metadata
    }

    /// Reads the row, and the version hashes in it by themselves: to get them out of the metadata takes a cast that makes
    /// the runtime search the whole program, the first time.
    static func readWithHashes(
        _ connection: SQLiteConnection
    ) throws -> (metadata: [String: Any], hashes: VersionHashes?) {
        let statement = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
        guard try statement.step(), let identifier = statement.text(0), let bytes = statement.data(1),
            var list = PropertyListDictionary.read(bytes, withDataFor: NSStoreModelVersionHashesKey)
        else {
            throw SQLiteFailure.storeError(
                CocoaError.fileReadCorruptFile.rawValue, path: connection.path,
                description: "The store's metadata cannot be read.",
                reason: "The row of Z_METADATA is missing or holds no property list.",
                advice: "Restore the store from a backup; the file was left as it is.")
        }
        list.values[NSStoreUUIDKey] = identifier
        list.values[NSStoreTypeKey] = NSSQLiteStoreType
        return (list.values, list.data.map { VersionHashes(byEntity: $0) })
    }

    /// Writes the row. Values that no property list can hold give an error.
    static func write(_ metadata: [String: Any], on connection: SQLiteConnection) throws {
        var list = metadata
        let identifier = (list.removeValue(forKey: NSStoreUUIDKey) as? String) ?? UUID().uuidString
        list[NSStoreTypeKey] = NSSQLiteStoreType
        let bytes: Data
        do {
            bytes = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        } catch {
            throw CoreDataError.make(
                NSPersistentStoreSaveError, description: "The store's metadata cannot be saved.",
                reason: "Metadata may hold property list values only.", underlying: error)
        }
        let statement = try connection.statement(replacement)
        statement.bind(identifier, at: 1)
        statement.bind(bytes, at: 2)
        try statement.run()
    }

    private static let replacement = SQLText(
        "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?1, ?2) "
            + "ON CONFLICT (Z_VERSION) DO UPDATE SET Z_UUID = ?1, Z_PLIST = ?2")
}
