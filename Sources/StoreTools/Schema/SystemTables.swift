/// The tables of every file, and those of persistent history.
package enum SystemTables {
    package static let primaryKey = SchemaStatement(
        name: "Z_PRIMARYKEY", table: "Z_PRIMARYKEY",
        sql: "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)")
    package static let metadata = SchemaStatement(
        name: "Z_METADATA", table: "Z_METADATA",
        sql: "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)")
    package static let modelCache = SchemaStatement(
        name: "Z_MODELCACHE", table: "Z_MODELCACHE", sql: "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")

    /// The three tables of every file, in the order of a new one. Files of before 2015 have no `Z_MODELCACHE`.
    package static let all = [primaryKey, metadata, modelCache]

    // MARK: History

    /// The numbers of history's tables in `Z_ENT` and `Z_PRIMARYKEY`.
    package static let changeEntity = 16001
    package static let transactionEntity = 16002
    package static let stringEntity = 16003

    /// The names of history's tables in `Z_PRIMARYKEY`, by number; a table has the same name behind an `A`.
    package static let historyNames = [
        changeEntity: "CHANGE", transactionEntity: "TRANSACTION", stringEntity: "TRANSACTIONSTRING",
    ]

    /// Returns the tables of history.
    ///
    /// - Parameter tombstones: The number of columns that preserve values of deleted objects.
    package static func historyTables(tombstones: Int) -> [SchemaStatement] {
        let columns = (0..<max(tombstones, 0)).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
        return [
            table(
                "ACHANGE",
                "ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(columns)"
            ),
            table(
                "ATRANSACTION",
                "ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, "
                    + "ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB"),
            table("ATRANSACTIONSTRING", "ZNAME VARCHAR"),
        ]
    }

    private static func table(_ name: String, _ columns: String) -> SchemaStatement {
        SchemaStatement(
            name: name, table: name,
            sql: "CREATE TABLE \(name) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \(columns) )")
    }

    /// The indexes of history.
    package static let historyIndexes = [
        index("ACHANGE_ZTRANSACTIONID_INDEX", on: "ACHANGE", "ZTRANSACTIONID"),
        index("ATRANSACTION_ZAUTHORTS_INDEX", on: "ATRANSACTION", "ZAUTHORTS"),
        index("ATRANSACTION_ZBUNDLEIDTS_INDEX", on: "ATRANSACTION", "ZBUNDLEIDTS"),
        index("ATRANSACTION_ZCONTEXTNAMETS_INDEX", on: "ATRANSACTION", "ZCONTEXTNAMETS"),
        index("ATRANSACTION_ZPROCESSIDTS_INDEX", on: "ATRANSACTION", "ZPROCESSIDTS"),
        index("Z_TRANSACTION_TransactionAuthorIndex", on: "ATRANSACTION", "ZAUTHOR COLLATE BINARY ASC"),
        index("Z_TRANSACTION_TransactionTimestampIndex", on: "ATRANSACTION", "ZTIMESTAMP COLLATE BINARY ASC"),
        SchemaStatement(
            name: "Z_TRANSACTIONSTRING_UNIQUE_NAME", table: "ATRANSACTIONSTRING",
            sql: "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)"),
    ]

    private static func index(_ name: String, on table: String, _ columns: String) -> SchemaStatement {
        SchemaStatement(name: name, table: table, sql: "CREATE INDEX \(name) ON \(table) (\(columns))")
    }
}
