import CoreDataSQLiteStorage
import Foundation
import Testing

@testable import CoreData

/// What others than the model put into a store's file: the tables of CloudKit's mirroring and what a program adds by SQL.
///
/// CloudKit's names and columns are those that published programs read (`ZENTITYID` is the entity's number in the file), in
/// the wording Apple's framework gives tables of its own.
enum ForeignSchema {
    static let statements = [
        "CREATE TABLE ANSCKRECORDMETADATA ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZENTITYID INTEGER, "
            + "ZENTITYPK INTEGER, ZNEEDSUPLOAD INTEGER, ZRECORDZONE INTEGER, ZCKRECORDNAME VARCHAR, "
            + "ZCKRECORDSYSTEMFIELDS BLOB, CONSTRAINT ZENTITYID UNIQUE (ZENTITYID, ZENTITYPK))",
        "CREATE INDEX ANSCKRECORDMETADATA_ZRECORDZONE_INDEX ON ANSCKRECORDMETADATA (ZRECORDZONE)",
        "CREATE TABLE ANSCKMETADATAENTRY ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZBOOLVALUENUM INTEGER, ZDATEVALUE TIMESTAMP, ZKEY VARCHAR, ZSTRINGVALUE VARCHAR )",
        "INSERT INTO Z_PRIMARYKEY VALUES (17009, 'NSCKMetadataEntry', 0, 1)",
        "INSERT INTO Z_PRIMARYKEY VALUES (17012, 'NSCKRecordMetadata', 0, 2)",
        "INSERT INTO ANSCKMETADATAENTRY VALUES (1, 17009, 1, 1, 5.5, 'PFCloudKitMetadataKey', 'value')",
        "INSERT INTO ANSCKRECORDMETADATA VALUES (1, 17012, 1, 2, 1, 0, 1, 'A-1', x'010203')",
        "INSERT INTO ANSCKRECORDMETADATA VALUES (2, 17012, 3, 2, 2, 1, 1, 'A-2', NULL)",
        // A program's own: a log kept by triggers, a view, a key with an action, a table of words.
        "CREATE TABLE audit (id INTEGER PRIMARY KEY, what TEXT, photo INTEGER REFERENCES ZPHOTO (Z_PK) ON DELETE CASCADE)",
        "INSERT INTO audit VALUES (1, 'before', 1)",
        "CREATE VIEW \"photo names\" AS SELECT ZNAME FROM ZPHOTO",
        "CREATE INDEX own_name ON ZPHOTO (ZNAME DESC)",
        "CREATE INDEX own_old ON ZPHOTO (ZOLD)",
        "CREATE TRIGGER kept AFTER INSERT ON ZPHOTO BEGIN INSERT INTO audit (what) VALUES ('new ' || NEW.ZNAME); END",
        "CREATE TRIGGER \"kept too\" AFTER UPDATE OF ZNAME ON ZPHOTO BEGIN INSERT INTO audit (what) VALUES ('named'); END",
        "CREATE TRIGGER kept_album AFTER DELETE ON ZALBUM BEGIN INSERT INTO audit (what) VALUES ('no album'); END",
        "CREATE TRIGGER kept_view INSTEAD OF INSERT ON \"photo names\" BEGIN "
            + "UPDATE ZPHOTO SET ZNAME = NEW.ZNAME; END",
        "CREATE TRIGGER kept_reader AFTER UPDATE OF ZNAME ON ZPHOTO WHEN EXISTS (SELECT 1 FROM \"photo names\" "
            + "WHERE ZNAME = NEW.ZNAME) BEGIN INSERT INTO audit (what) VALUES ('seen'); END",
        // On tables of the framework that a migration itself writes to.
        "CREATE TRIGGER kept_history AFTER UPDATE ON ACHANGE BEGIN INSERT INTO audit (what) VALUES ('history'); END",
        "CREATE TRIGGER kept_keys AFTER DELETE ON Z_PRIMARYKEY BEGIN INSERT INTO audit (what) VALUES ('keys'); END",
        "CREATE TRIGGER kept_metadata AFTER UPDATE ON Z_METADATA BEGIN INSERT INTO audit (what) VALUES ('store'); END",
        // Calls a function that only the program registers which made it.
        "CREATE TRIGGER kept_function AFTER DELETE ON ANSCKRECORDMETADATA BEGIN SELECT nosuchfunction(OLD.Z_PK); END",
    ]

    /// Triggers that name what ``ForeignTablesTests`` removes from the model.
    static let doomed = [
        "CREATE VIEW oldest AS SELECT max(ZOLD) AS age FROM ZPHOTO",
        "CREATE TRIGGER doomed_view AFTER INSERT ON ZPHOTO BEGIN INSERT INTO audit (what) SELECT age FROM oldest; END",
        "CREATE TRIGGER doomed_column AFTER UPDATE ON ZPHOTO BEGIN INSERT INTO audit (what) VALUES (OLD.ZOLD); END",
        "CREATE TRIGGER doomed_table AFTER INSERT ON ZDRAFT BEGIN INSERT INTO audit (what) VALUES ('draft'); END",
        "CREATE TRIGGER doomed_body AFTER DELETE ON ZALBUM BEGIN DELETE FROM ZDRAFT; END",
        "CREATE TRIGGER doomed_foreign AFTER INSERT ON ANSCKMETADATAENTRY BEGIN UPDATE ZPHOTO SET ZOLD = 1; END",
    ]

    static func add(_ statements: [String], to url: URL) throws {
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 5)
        for statement in statements { try connection.execute(statement) }
    }

    /// The rows of a query as the `sqlite3` shell gives them, values separated by a bar.
    static func rows(_ url: URL, _ sql: String) throws -> [String] {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", "-nullvalue", "NULL", url.path, sql]
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(sql)")
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Names and texts of what ``statements`` created.
    static func texts(_ url: URL) throws -> [String] {
        try rows(
            url,
            "SELECT name, sql FROM sqlite_master WHERE name LIKE 'ANSCK%' OR tbl_name = 'audit' OR name LIKE 'kept%' "
                + "OR name LIKE 'photo%' OR name = 'own_name' ORDER BY name")
    }

    /// All rows of the foreign tables, and their rows in the table of keys.
    static func content(_ url: URL) throws -> [String] {
        try rows(url, "SELECT *, hex(ZCKRECORDSYSTEMFIELDS) FROM ANSCKRECORDMETADATA ORDER BY 1")
            + rows(url, "SELECT * FROM ANSCKMETADATAENTRY ORDER BY 1") + rows(url, "SELECT * FROM audit ORDER BY 1")
            + rows(url, "SELECT * FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY 1")
    }

    static func integrity(_ url: URL) throws -> [String] { try rows(url, "PRAGMA integrity_check") }
}
