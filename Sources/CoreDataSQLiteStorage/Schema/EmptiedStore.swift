import CoreDataRowStorage
import Foundation

/// What destroying a store leaves in its file: metadata that name no version of any model, and no objects. A new store of any
/// model may be made there.
package enum EmptiedStore {
    /// Whether a database has no tables at all, or is what a destroyed store left.
    ///
    /// - Throws: what reading gives; metadata that cannot be read are those of no destroyed store.
    package static func holdsNothing(_ connection: SQLiteConnection) throws -> Bool {
        try connection.inOneTransaction { try ActualSchema(connection).isEmpty || isDestroyed(connection) }
    }

    /// Whether a database is what a destroyed store left: by this package, or by Apple's framework, which writes such metadata
    /// when they are asked for.
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

    /// Whether metadata say of no model that the store is of it, and of no other either.
    package static func namesNoModel(_ metadata: [String: Any]) -> Bool {
        metadata[NSStoreModelVersionHashesKey] == nil && metadata[NSStoreModelVersionIdentifiersKey] == nil
    }

    /// Writes the metadata into a database without tables, inside a transaction. The UUID is a new one: the objects that IDs
    /// with the old one name are gone.
    static func write(_ connection: SQLiteConnection) throws {
        try connection.execute(SQLSchema.metadataTable)
        try SQLiteMetadata.write([SQLiteMetadata.frameworkVersionKey: SQLiteMetadata.frameworkVersion], on: connection)
    }

    /// Makes room for a new store, inside a transaction.
    ///
    /// - Returns: What is in the metadata of the emptied store.
    static func clear(_ connection: SQLiteConnection) throws -> [String: Any] {
        guard try !ActualSchema(connection).isEmpty else { return [:] }
        let metadata = try SQLiteMetadata.read(connection).values
        try SQLiteFiles.dropAll(connection)
        return metadata
    }

    /// The error for an emptied store of which more is asked than its metadata.
    static func failure(_ path: String) -> NSError {
        SQLiteFailure.storeError(
            CocoaError.fileReadNoSuchFile.rawValue, path: path,
            description: "The store “\((path as NSString).lastPathComponent)” is empty.",
            reason: "It was destroyed: its file has no version of a model and no objects.",
            advice: "Add it once with write access, which makes a new store of it.")
    }
}
