import CoreDataRowStorage
import Foundation
import ModelFormat

/// The metadata of a store: one row of `Z_METADATA`, with a property list that holds everything except the identifier.
package enum SQLiteMetadata {
    static let frameworkVersionKey = "NSPersistenceFrameworkVersion"
    static let autoVacuumKey = "_NSAutoVacuumLevel"

    /// The version of Apple's framework that writes files of this format.
    static let frameworkVersion = 1421

    /// Returns the initial metadata of a new store.
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

        /// Creates the row; returns nil if the bytes are no property list of a dictionary.
        init?(identifier: String, list bytes: [UInt8]) {
            self.identifier = identifier
            if let unread = UnreadDictionary(bytes) {
                list = .unread(unread)
            } else {
                guard let values = PropertyListDictionary.read(Data(bytes)) else { return nil }
                list = .read(values)
            }
        }

        /// The metadata, decoded on each access: most programs do not use them, and decoding is a good part of the cost of
        /// opening.
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

        /// The version hashes alone. Taking them from the decoded metadata needs a cast that makes the runtime search the
        /// whole program the first time. Nil if they are not of the expected form.
        package var versionHashes: EntityHashes? {
            guard case .unread(let list) = list else { return nil }
            return list.hashes(forKey: NSStoreModelVersionHashesKey)
        }
    }

    /// Reads the row. Throws if the file is no Core Data store.
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

    /// Writes the row. Throws if a value cannot be in a property list.
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
