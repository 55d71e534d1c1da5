import CoreDataRowStorage
import Foundation

/// The content of a destroyed store's file: metadata without model versions, and no objects. A new store of any model can be
/// created there.
package enum EmptiedStore {
    /// Returns true if a database has no tables at all, or contains a destroyed store.
    ///
    /// - Throws: errors of reading; unreadable metadata do not count as those of a destroyed store.
    package static func holdsNothing(_ connection: SQLiteConnection) throws -> Bool {
        try connection.inOneTransaction { try ActualSchema(connection).isEmpty || isDestroyed(connection) }
    }

    /// Returns true if a database contains a destroyed store: of this package, or of Apple's framework, which writes such
    /// metadata when they are requested.
    static func isDestroyed(_ connection: SQLiteConnection) throws -> Bool {
        try connection.inOneTransaction {
            let schema = try ActualSchema(connection)
            guard schema.hasOnlySystemTables, schema.hasTable("Z_METADATA"),
                namesNoModel(try SQLiteMetadata.read(connection).values)
            else { return false }
            for table in ["Z_PRIMARYKEY", "Z_MODELCACHE"] where schema.hasTable(table) {
                guard try connection.integer("SELECT EXISTS (SELECT 1 FROM \(table))") == 0 else { return false }
            }
            return true
        }
    }

    /// Returns true if metadata contain neither version hashes nor version identifiers.
    package static func namesNoModel(_ metadata: [String: Any]) -> Bool {
        metadata[NSStoreModelVersionHashesKey] == nil && metadata[NSStoreModelVersionIdentifiersKey] == nil
    }

    /// Writes the metadata into a database without tables, inside a transaction. The UUID is new, because IDs with the old
    /// one refer to deleted objects.
    static func write(_ connection: SQLiteConnection) throws {
        try connection.execute(SQLSchema.metadataTable)
        try SQLiteMetadata.write([SQLiteMetadata.frameworkVersionKey: SQLiteMetadata.frameworkVersion], on: connection)
    }

    /// Removes a destroyed store to make room for a new one, inside a transaction.
    ///
    /// - Returns: the metadata of the destroyed store.
    static func clear(_ connection: SQLiteConnection) throws -> [String: Any] {
        guard try !ActualSchema(connection).isEmpty else { return [:] }
        let metadata = try SQLiteMetadata.read(connection).values
        try SQLiteFiles.dropAll(connection)
        return metadata
    }

    /// Returns the error for a use of a destroyed store that needs more than its metadata.
    static func failure(_ path: String) -> NSError {
        SQLiteFailure.storeError(
            CocoaError.fileReadNoSuchFile.rawValue, path: path,
            description: "The store “\((path as NSString).lastPathComponent)” is empty.",
            reason: "It was destroyed: its file has no version of a model and no objects.",
            advice: "Add it once with write access, which makes a new store of it.")
    }
}
