/// The tables all engines share: those Core Data makes of the model in `Sources/CoreDataEngine`.
///
/// Same names, same column order, same indexes, same page settings, so that no engine has less to read or to keep up
/// to date than another. The fixture command compares this text with what Core Data really creates.
public enum StoreLayout {
    public static let messageEntity: Int64 = 1
    public static let userEntity: Int64 = 2

    /// The columns of a user in table order.
    public static let userColumns = [
        "ZCOUNTRY", "ZISFRIEND", "ZSTATUS", "ZUSERID", "ZBALANCE", "ZCREATEDAT", "ZLASTUPDATE", "ZAVATAR", "ZEMAIL",
        "ZNAME", "ZNOTES", "ZPHONE",
    ]

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

    /// Settings that every connection gets; `auto_vacuum` counts only while the file is empty.
    public static func settings(_ synchronous: Synchronous) -> [(name: String, value: String)] {
        [("auto_vacuum", "INCREMENTAL"), ("journal_mode", "WAL"), ("synchronous", synchronous.rawValue)]
    }
}

/// How hard a save waits for the disk: `full` returns when the bytes are there, `normal` leaves them to the system.
public enum Synchronous: String, Codable, Sendable {
    case normal = "NORMAL"
    case full = "FULL"
}
