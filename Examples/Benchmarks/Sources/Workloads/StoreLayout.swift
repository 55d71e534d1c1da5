/// The tables that all engines use: those that Core Data creates for the model in `Sources/CoreDataEngine`.
///
/// All engines have the same names, column order, indexes and page settings, so that none reads or updates less than another.
/// The fixture command compares this schema with the tables that Core Data creates.
public enum StoreLayout {
    /// The value of `Z_ENT` for messages.
    public static let messageEntity: Int64 = 1
    /// The value of `Z_ENT` for users.
    public static let userEntity: Int64 = 2

    /// The columns of a user in table order.
    public static let userColumns = [
        "ZCOUNTRY", "ZISFRIEND", "ZSTATUS", "ZUSERID", "ZBALANCE", "ZCREATEDAT", "ZLASTUPDATE", "ZAVATAR", "ZEMAIL",
        "ZNAME", "ZNOTES", "ZPHONE",
    ]

    /// The statements that create the tables and indexes.
    public static let schema = [
        """
        CREATE TABLE ZMESSAGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISREAD INTEGER, \
        ZMESSAGEID INTEGER, ZSENDER INTEGER, ZSENTAT TIMESTAMP, ZTEXT VARCHAR )
        """,
        """
        CREATE TABLE ZUSER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCOUNTRY INTEGER, \
        ZISFRIEND INTEGER, ZSTATUS INTEGER, ZUSERID INTEGER, ZBALANCE FLOAT, ZCREATEDAT TIMESTAMP, \
        ZLASTUPDATE TIMESTAMP, ZAVATAR VARCHAR, ZEMAIL VARCHAR, ZNAME VARCHAR, ZNOTES VARCHAR, ZPHONE VARCHAR )
        """,
        "CREATE INDEX ZMESSAGE_ZSENDER_INDEX ON ZMESSAGE (ZSENDER)",
        "CREATE UNIQUE INDEX Z_User_UNIQUE_userID ON ZUSER (ZUSERID COLLATE BINARY ASC)",
    ]

    /// Returns the pragmas of every connection. `auto_vacuum` takes effect only while the file is empty.
    public static func settings(_ synchronous: Synchronous) -> [(name: String, value: String)] {
        [("auto_vacuum", "INCREMENTAL"), ("journal_mode", "WAL"), ("synchronous", synchronous.rawValue)]
    }
}

/// The value of SQLite's `PRAGMA synchronous`. With `full`, a save returns after the log is synced to disk; with `normal`, only
/// checkpoints sync.
public enum Synchronous: String, Codable, Sendable {
    case normal = "NORMAL"
    case full = "FULL"
}
