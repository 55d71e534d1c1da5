import CoreData
import CoreDataTestSupport
import Testing

/// The file as such: header, journal, options, tables that are none of our business, files of old frameworks.
@Suite
struct FileFormatTests {
    private func notes(options: [AnyHashable: Any] = [:]) throws -> FormatStore {
        try FormatStore([FormatStore.entity("Note")], options: options)
    }

    @Test func header() throws {
        let store = try notes()
        store.context.insert("Note", ["name": "x"])
        try store.context.save()
        store.close()
        let bytes = try Data(contentsOf: store.url)
        func number(_ offset: Int, _ count: Int) -> Int {
            bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
        }
        #expect(bytes.prefix(16) == Data("SQLite format 3\0".utf8))
        #expect(number(16, 2) == 4096, "page size")
        #expect(bytes[18] == 2 && bytes[19] == 2, "write-ahead log")
        #expect(number(44, 4) == 4, "schema format")
        #expect(number(52, 4) != 0 && number(64, 4) == 1, "incremental vacuum")
        #expect(number(56, 4) == 1, "UTF-8")
        #expect(number(60, 4) == 0 && number(68, 4) == 0, "user version, application ID")
    }

    @Test func tablesAndMetadata() throws {
        let store = try notes()
        #expect(
            try store.sql("SELECT name FROM sqlite_master WHERE type = 'table'")
                == ["ZNOTE", "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"])
        #expect(try store.sql("SELECT Z_VERSION, length(Z_UUID) FROM Z_METADATA") == ["1|36"])
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: store.url)
        for key in [
            "NSPersistenceFrameworkVersion", "NSStoreType", "NSStoreModelVersionHashes",
            "NSStoreModelVersionHashesVersion",
            "NSStoreModelVersionIdentifiers", "_NSAutoVacuumLevel", "NSStoreModelVersionHashesDigest",
            "NSStoreModelVersionChecksumKey",
        ] { #expect(metadata[key] != nil, "\(key)") }
        #expect(metadata["NSStoreModelVersionHashesVersion"] as? Int == 3)
    }

    @Test func aClosedStoreLeavesAnEmptyLog() throws {
        let store = try notes()
        for number in 0..<2000 { store.context.insert("Note", ["name": "note \(number)"]) }
        try store.context.save()
        store.close()
        let size = try FileManager.default.attributesOfItem(atPath: store.url.path + "-wal")[.size] as? Int
        #expect(size == 0)
        try store.reopen()
        #expect(try store.context.fetchAll("Note").count == 2000)
    }

    @Test func unchangedWhenNothingIsWritten() throws {
        let store = try notes()
        store.context.insert("Note", ["name": "x"])
        try store.context.save()
        store.close()
        let before = try Data(contentsOf: store.url)
        try store.reopen()
        #expect(try store.context.fetchAll("Note").count == 1)
        try store.context.save()
        store.close()
        #expect(try Data(contentsOf: store.url) == before)
    }

    // MARK: Options

    @Test(arguments: ["DELETE", "TRUNCATE", "PERSIST", "WAL"])
    func journalModes(_ mode: String) throws {
        let options: [AnyHashable: Any] = [NSSQLitePragmasOption: ["journal_mode": mode, "synchronous": "FULL"]]
        let store = try notes(options: options)
        store.context.insert("Note", ["name": "x"])
        try store.context.save()
        let journal = try store.sql("PRAGMA journal_mode")[0]
        #expect((journal == "wal") == (mode == "WAL"))
        // An index of the log belongs to a log.
        #expect(FileManager.default.fileExists(atPath: store.url.path + "-shm") == (mode == "WAL"))
        try store.reopen(options: options)
        #expect(try store.context.fetchAll("Note").count == 1)
        #expect(try store.problems() == [])
    }

    @Test func pageSize() throws {
        let store = try notes(options: [NSSQLitePragmasOption: ["page_size": "8192"]])
        #expect(try store.sql("PRAGMA page_size") == ["8192"])
    }

    @Test func vacuumAndAnalyze() throws {
        let store = try notes()
        for number in 0..<3000 {
            store.context.insert("Note", ["name": String(repeating: "x", count: 100 + number % 7)])
        }
        try store.context.save()
        for note in try store.context.fetchAll("Note").dropFirst(10) { store.context.delete(note) }
        try store.context.save()
        store.close()
        let before = try FileManager.default.attributesOfItem(atPath: store.url.path)[.size] as? Int ?? 0
        try store.reopen(options: [NSSQLiteManualVacuumOption: true, NSSQLiteAnalyzeOption: "YES"])
        #expect(try store.sql("SELECT COUNT(*) FROM sqlite_master WHERE name = 'sqlite_stat1'") == ["1"])
        store.close()
        let after = try FileManager.default.attributesOfItem(atPath: store.url.path)[.size] as? Int ?? 0
        #expect(after < before / 2)
        try store.reopen()
        #expect(try store.context.fetchAll("Note").count == 10)
        #expect(try store.sql("PRAGMA auto_vacuum") == ["2"])
    }

    @Test func optionsOfNoUse() throws {
        let store = try notes()
        let bad: [(String, Any)] = [
            (NSSQLitePragmasOption, ["journal_mode": "WAL; DROP TABLE ZNOTE"]), (NSSQLitePragmasOption, "WAL"),
            (NSSQLitePragmasOption, ["x y": "1"]), (NSReadOnlyPersistentStoreOption, "perhaps"),
            (NSPersistentStoreTimeoutOption, "soon"), (NSPersistentStoreTimeoutOption, -1),
            (NSPersistentStoreConnectionPoolMaxSizeKey, 0), (NSSQLiteManualVacuumOption, [1]),
        ]
        for (key, value) in bad {
            do {
                try store.reopen(options: [key: value])
                Issue.record("\(key) = \(value) was accepted.")
            } catch let error as NSError {
                #expect(error.domain == NSCocoaErrorDomain && error.code == NSPersistentStoreOpenError)
                #expect(error.localizedFailureReason?.contains(key) == true, "\(error)")
            }
        }
        // Options of the system the program was written for are accepted.
        try store.reopen(options: [
            NSPersistentStoreFileProtectionKey: "NSFileProtectionComplete",
            "NSPersistentStoreUbiquitousContentNameKey": "x",
        ])
    }

    @Test func readOnly() throws {
        let store = try notes()
        store.context.insert("Note", ["name": "x"])
        try store.context.save()
        try store.reopen(options: [NSReadOnlyPersistentStoreOption: true])
        let note = try #require(try store.context.fetchAll("Note").first)
        note.setValue("y", forKey: "name")
        #expect(throws: (any Error).self) { try store.context.save() }
        #expect(note.hasChanges && note.value(forKey: "name") as? String == "y")
        #expect(throws: (any Error).self) {
            try store.context.execute(NSBatchInsertRequest(entityName: "Note", objects: [["name": "z"]]))
        }
        #expect(try store.sql("SELECT ZNAME FROM ZNOTE") == ["x"])
    }

    // MARK: Other people's tables

    @Test func unknownTablesSurvive() throws {
        let store = try notes()
        store.context.insert("Note", ["name": "x"])
        try store.context.save()
        try store.run(
            """
            CREATE TABLE ANSCKEVENT ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSTARTEDAT TIMESTAMP );
            INSERT INTO ANSCKEVENT VALUES (1, 17002, 1, 12.5);
            INSERT INTO Z_PRIMARYKEY VALUES (17002, 'NSCKEvent', 0, 1);
            CREATE TABLE side (a TEXT, b BLOB); INSERT INTO side VALUES ('kept', x'0102');
            CREATE TRIGGER watch AFTER INSERT ON ZNOTE BEGIN INSERT INTO side VALUES (NEW.ZNAME, NULL); END
            """)
        let coordinator = store.coordinator
        coordinator.setMetadata(["mine": ["a", 1]], for: coordinator.persistentStores[0])
        store.context.insert("Note", ["name": "y"])
        try store.context.save()
        try store.reopen()
        for note in try store.context.fetchAll("Note") { store.context.delete(note) }
        try store.context.save()
        #expect(try store.sql("SELECT Z_ENT, ZSTARTEDAT FROM ANSCKEVENT") == ["17002|12.5"])
        #expect(try store.sql("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 17002") == ["1"])
        #expect(
            try store.sql("SELECT a, hex(b) FROM side") == ["kept|0102", "y|"]
                || store.sql("SELECT a FROM side") == ["kept", "y"])
        let metadata = store.coordinator.metadata(for: store.coordinator.persistentStores[0])
        #expect((metadata["mine"] as? [Any])?.count == 2)
    }

    // MARK: Old frameworks

    /// As frameworks of 2009 made them: small pages, a rollback journal, join tables without types and key, no model cache.
    @Test func filesOfOldFrameworks() throws {
        let list = FormatStore.entity("List"), song = FormatStore.entity("Song")
        LibraryModel.relate(list, "songs", many: true, song, "lists", many: true)
        let store = try FormatStore([list, song], options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
        let songs = "ab".map { store.context.insert("Song", ["name": String($0)]) }
        store.context.insert("List", ["name": "x", "songs": Set(songs)])
        try store.context.save()
        store.close()
        try store.run(
            """
            CREATE TABLE old ( Z_1LISTS, Z_2SONGS ); INSERT INTO old SELECT * FROM Z_1SONGS; DROP TABLE Z_1SONGS;
            ALTER TABLE old RENAME TO Z_1SONGS; CREATE INDEX Z_1SONGS_Z_1LISTS_INDEX ON Z_1SONGS (Z_1LISTS);
            DROP TABLE Z_MODELCACHE
            """)
        try store.run("PRAGMA page_size = 2048; VACUUM")
        try store.reopen()
        var lists = try store.named("List")
        #expect(FormatStore.names(lists["x"], "songs") == ["a", "b"])
        let other = store.context.insert("Song", ["name": "c"])
        other.setValue(Set([lists["x"]!]), forKey: "lists")
        try store.context.save()
        // Set again from the other side: nothing doubles in a table without a key.
        lists["x"]?.setValue(Set(try store.context.fetchAll("Song")), forKey: "songs")
        lists["x"]?.setValue("y", forKey: "name")
        try store.context.save()
        #expect(try store.sql("SELECT COUNT(*) FROM Z_1SONGS") == ["3"])
        try store.reopen()
        lists = try store.named("List")
        #expect(FormatStore.names(lists["y"], "songs") == ["a", "b", "c"])
        #expect(try store.sql("PRAGMA page_size") == ["2048"])
        #expect(throws: (any Error).self) { try NSManagedObjectModel(cachedInStoreAt: store.url) }
    }

    /// Tables as a lightweight migration leaves them: columns at the end, names in quotes, numbers of another model.
    @Test func tracesOfMigration() throws {
        let list = FormatStore.entity("List"), song = FormatStore.entity("Song")
        LibraryModel.relate(list, "songs", many: true, song, "lists", many: true)
        let store = try FormatStore([list, song])
        let songs = "ab".map { store.context.insert("Song", ["name": String($0)]) }
        store.context.insert("List", ["name": "x", "songs": Set(songs)])
        try store.context.save()
        store.close()
        try store.run(
            """
            ALTER TABLE ZSONG DROP COLUMN ZNAME; ALTER TABLE ZSONG ADD COLUMN ZNAME VARCHAR; UPDATE ZSONG SET ZNAME = 's' || Z_PK;
            ALTER TABLE Z_1SONGS RENAME COLUMN Z_1LISTS TO "Z_7LISTS"; ALTER TABLE Z_1SONGS RENAME COLUMN Z_2SONGS TO "Z_9SONGS"
            """)
        try store.reopen()
        #expect(FormatStore.names(try store.named("List")["x"], "songs") == ["s1", "s2"])
        #expect(FormatStore.names(try store.named("Song")["s1"], "lists") == ["x"])
        store.context.insert("List", ["name": "y", "songs": Set(try store.context.fetchAll("Song"))])
        try store.context.save()
        #expect(try store.sql("SELECT COUNT(*) FROM Z_1SONGS") == ["4"])
    }

    // MARK: Opening without a model

    @Test func theStoresOwnModel() throws {
        let store = try FormatStore([FormatStore.entity("Note", [LibraryModel.attribute("when", .dateAttributeType)])])
        store.context.insert("Note", ["name": "x", "when": Date(timeIntervalSinceReferenceDate: 5)])
        try store.context.save()
        let model = try NSManagedObjectModel(cachedInStoreAt: store.url)
        #expect(model.entityVersionHashesByName == store.model.entityVersionHashesByName)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: store.url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let note = try #require(try context.fetchAll("Note").first)
        #expect(note.value(forKey: "when") as? Date == Date(timeIntervalSinceReferenceDate: 5))
        note.setValue("y", forKey: "name")
        try context.save()
        #expect(try store.sql("SELECT ZNAME FROM ZNOTE") == ["y"])
        #expect(throws: (any Error).self) { try NSManagedObjectModel(cachedInStoreAt: store.folder.file("none")) }
    }
}
