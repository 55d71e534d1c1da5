import Foundation
import Testing

@testable import CoreData

/// What others have put into the file of a store: tables of CloudKit's mirror, of other programs, their views, indexes and
/// triggers. Inferred migrations of SQLite stores leave them in place; a migration that goes object by object makes another file.
@Suite("Tables, triggers and indexes of others in migrations")
struct ForeignTablesTests {
    /// The names of CloudKit's tables are known from published descriptions.
    private static let foreign = """
        CREATE TABLE ANSCKRECORDMETADATA ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCKRECORDNAME VARCHAR,
            ZENCODEDRECORD BLOB );
        CREATE INDEX ANSCKRECORDMETADATA_ZCKRECORDNAME_INDEX ON ANSCKRECORDMETADATA (ZCKRECORDNAME);
        INSERT INTO ANSCKRECORDMETADATA VALUES (1, 17012, 1, 'one', x'00FF');
        INSERT INTO Z_PRIMARYKEY VALUES (17012, 'NSCKRecordMetadata', 0, 1);
        CREATE TABLE names (name TEXT, was TEXT);
        INSERT INTO names VALUES ('kept', NULL);
        CREATE TRIGGER noteCompany AFTER INSERT ON ZCOMPANY BEGIN INSERT INTO names VALUES (NEW.ZTITLE, NULL); END;
        CREATE TRIGGER noteAge AFTER INSERT ON ZPERSON BEGIN INSERT INTO names VALUES (NEW.ZAGE, NULL); END;
        CREATE TRIGGER noteName AFTER UPDATE OF ZNAME ON ZPERSON BEGIN INSERT INTO names VALUES (NEW.ZNAME, OLD.ZNAME); END;
        CREATE VIEW people AS SELECT ZNAME FROM ZPERSON;
        CREATE VIEW companies AS SELECT ZTITLE FROM ZCOMPANY;
        CREATE INDEX byAge ON ZPERSON (ZAGE);
        CREATE INDEX byTitle ON ZCOMPANY (ZTITLE, Z_PK);
        """

    /// Without `Person.age`, and with an entity before all others, so that all numbers change.
    private static let second = Versions.changed { entities, model in
        entities["Person"]?.properties.removeAll { $0.name == "age" }
        entities["Company"]?.properties.append(LibraryModel.attribute("city", .stringAttributeType))
        model.entities.append(LibraryModel.entity("Album"))
    }

    private static let all = """
        SELECT (SELECT group_concat(Z_PK || Z_ENT || Z_OPT || ZCKRECORDNAME || hex(ZENCODEDRECORD)) FROM ANSCKRECORDMETADATA)
            || '/' || (SELECT Z_NAME || Z_SUPER || Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 17012)
        """

    private func sql(_ url: URL, _ text: String) throws -> [String] {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", url.path, text]
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func names(of type: String, _ url: URL) throws -> [String] {
        try sql(
            url,
            "SELECT name FROM sqlite_master WHERE type = '\(type)' AND sql NOT NULL AND name NOT LIKE 'Z%' ORDER BY name"
        )
    }

    @Test func stayWhereTheDatabaseMigratesItself() throws {
        let store = try MigrationStore(), url = store.url
        try store.open(Versions.first()) { Versions.fill($0) }
        _ = try sql(url, Self.foreign)
        let before = try sql(url, Self.all)
        #expect(before == ["1170121one00FF/NSCKRecordMetadata01"])
        try store.migrate(to: Self.second)
        #expect(try sql(url, Self.all) == before)
        #expect(try sql(url, "SELECT * FROM names") == ["kept|"])
        // A trigger and an index that name a column which is gone cannot stay; they would stand in the way of every save.
        #expect(try names(of: "trigger", url) == ["noteCompany", "noteName"])
        #expect(try names(of: "index", url) == ["ANSCKRECORDMETADATA_ZCKRECORDNAME_INDEX", "byTitle"])
        #expect(try sql(url, "SELECT * FROM people") == ["Ann", "Bob", "Cem"])
        #expect(try sql(url, "SELECT * FROM companies") == ["Acme"])
        try store.open(Self.second) { context in
            context.insert("Company", ["title": "Later"])
            context.insert("Person", ["name": "Dee"])
            let ann = try context.fetchAll("Person").first { $0.value(forKey: "name") as? String == "Ann" }
            ann?.setValue("Anna", forKey: "name")
        }
        #expect(try sql(url, "SELECT * FROM names").sorted() == ["Anna|Ann", "Later|", "kept|"])
        #expect(try sql(url, "PRAGMA integrity_check") == ["ok"])
        #expect(try sql(url, Self.all) == before)
    }

    /// The new file has the model's tables, and the old one is not touched.
    @Test func stayBehindWhereAnotherFileIsMade() throws {
        let store = try MigrationStore(), first = Versions.first()
        try store.open(first) { Versions.fill($0) }
        _ = try sql(store.url, Self.foreign)
        let before = try sql(store.url, ".dump")
        let new = store.folder.file("New.sqlite")
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: first, destinationModel: Self.second)
        let manager = NSMigrationManager(sourceModel: first, destinationModel: Self.second)
        manager.usesStoreSpecificMigrationManager = false
        try manager.migrateStore(
            from: store.url, sourceType: NSSQLiteStoreType, options: nil, with: mapping, toDestinationURL: new,
            destinationType: NSSQLiteStoreType, destinationOptions: nil)
        #expect(try sql(new, "SELECT ZNAME FROM ZPERSON ORDER BY 1") == ["Ann", "Bob", "Cem"])
        #expect(
            try sql(new, "SELECT name FROM sqlite_master WHERE name IN ('names', 'ANSCKRECORDMETADATA', 'people')")
                == [])
        #expect(try sql(store.url, ".dump") == before)
    }
}
