import CoreDataRowStorage
import Foundation
import ModelFormat

/// The metadata of a store: one row of `Z_METADATA`, whose property list holds everything but the identifier.
package enum SQLiteMetadata {
    static let frameworkVersionKey = "NSPersistenceFrameworkVersion"
    static let autoVacuumKey = "_NSAutoVacuumLevel"

    /// The version of Apple's framework whose files these are like.
    static let frameworkVersion = 1421

    /// What a new store starts with.
    package static func fresh(for model: any StoredModel) -> [String: Any] {
        var metadata: [String: Any] = [
            NSStoreTypeKey: NSSQLiteStoreType,
            NSStoreUUIDKey: UUID().uuidString,
            frameworkVersionKey: frameworkVersion,
            autoVacuumKey: "2",
        ]
        metadata.merge(model.versionMetadata) { _, described in described }
        return metadata
    }

    /// The row as it was read.
    package struct Row {
        package let identifier: String
        private let list: List

        private enum List {
            case unread(UnreadDictionary)
            case read([String: Any])
        }

        /// nil for what is no property list of a dictionary.
        init?(identifier: String, list bytes: [UInt8]) {
            self.identifier = identifier
            if let unread = UnreadDictionary(bytes) {
                list = .unread(unread)
            } else {
                guard let values = PropertyListDictionary.read(Data(bytes)) else { return nil }
                list = .read(values)
            }
        }

        /// All of the metadata: most programs never look at it, and making it costs a good part of opening a store.
        package var values: [String: Any] {
            var values =
                switch list {
                case .unread(let list): list.values
                case .read(let values): values
                }
            values[NSStoreUUIDKey] = identifier
            values[NSStoreTypeKey] = NSSQLiteStoreType
            return values
        }

        /// The version hashes by themselves: to get them out of the metadata takes a cast that makes the runtime search the
        /// whole program, the first time. nil where they are not as they should be.
        package var versionHashes: EntityHashes? {
            guard case .unread(let list) = list else { return nil }
            return list.hashes(forKey: NSStoreModelVersionHashesKey)
        }
    }

    /// Reads the row; an error for a file that is no Core Data store.
    package static func read(_ connection: SQLiteConnection) throws -> Row {
        let statement = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
        guard try statement.step(), let identifier = statement.text(0), let bytes = statement.bytes(1),
            let row = Row(identifier: identifier, list: Array(bytes))
        else {
            throw SQLiteFailure.storeError(
                CocoaError.fileReadCorruptFile.rawValue, path: connection.path,
                description: "The store's metadata cannot be read.",
                reason: "The row of Z_METADATA is missing or holds no property list.",
                advice: "Restore the store from a backup; the file was left as it is.")
        }
        return row
    }

    /// Writes the row. Values that no property list can hold give an error.
    package static func write(_ metadata: [String: Any], on connection: SQLiteConnection) throws {
        var list = metadata
        let identifier = (list.removeValue(forKey: NSStoreUUIDKey) as? String) ?? UUID().uuidString
        list[NSStoreTypeKey] = NSSQLiteStoreType
        let bytes = try MetadataList.data(of: list)
        let statement = try connection.statement(replacement)
        try statement.bind(identifier, at: 1)
        try statement.bind(bytes, at: 2)
        try statement.run()
    }

    private static let replacement = SQLText(
        "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?1, ?2) "
            + "ON CONFLICT (Z_VERSION) DO UPDATE SET Z_UUID = ?1, Z_PLIST = ?2")
}
