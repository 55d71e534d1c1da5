import CoreData
import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import StoreTools
import Testing

/// Healthy stores of all shapes are ready.
@Suite struct QuickCheckTests {
    private func expectReady(
        _ url: URL, complete: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for error in complete ? [nil, CocoaError(.fileReadCorruptFile)] : [nil] {
            let opening = try StoreRescue.open(url, else: .report, after: error)
            guard case .ready = opening else {
                Issue.record("\(url.lastPathComponent): \(opening)", sourceLocation: sourceLocation)
                continue
            }
        }
    }

    @Test(.enabled(if: RealStores.areAvailable, RealStores.comment)) func storesOfApplesAreReady() throws {
        let manager = FileManager.default
        var count = 0
        for path in try manager.subpathsOfDirectory(atPath: RealStores.folder.path).sorted() {
            let source = RealStores.folder.appendingPathComponent(path)
            guard (try? FileHandle(forReadingFrom: source).read(upToCount: 15)) == Data("SQLite format 3".utf8) else {
                continue
            }
            let folder = try TemporaryFolder()
            let copy = folder.file(source.lastPathComponent)
            for suffix in ["", "-wal", "-journal"] where manager.fileExists(atPath: source.path + suffix) {
                try manager.copyItem(atPath: source.path + suffix, toPath: copy.path + suffix)
            }
            guard StoreCondition.of(copy) == .readable else { continue }
            count += 1
            try expectReady(copy)
        }
        #expect(count >= RealStores.all.count)
    }

    @Test func storesOfThisPackageAreReady() throws {
        try expectReady(CheckedStore().url)
        try expectReady(RescueSample().url)
        let entities = [("E", "a: string?; b -> E.c 0..1?; c -> E.b 0..0? ordered")]
        for journal in ["WAL", "DELETE", "TRUNCATE"] {
            let folder = try TemporaryFolder()
            let url = folder.file("Empty.sqlite")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: makeModel(entities))
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                options: [NSSQLitePragmasOption: ["journal_mode": journal] as NSDictionary])
            try coordinator.remove(store)
            try expectReady(url)
        }
    }

    @Test func storesWithOtherTablesAreReady() throws {
        let sample = try RescueSample()
        try sample.shell(
            """
            CREATE TABLE plain (a, b, rowid TEXT); INSERT INTO plain VALUES (1, 2, 'x');
            CREATE TABLE keyed (a TEXT PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO keyed VALUES ('a', 1), ('b', 2);
            CREATE VIEW seen AS SELECT * FROM missing;
            CREATE VIRTUAL TABLE text USING fts5(a); INSERT INTO text VALUES ('words');
            CREATE VIRTUAL TABLE boxes USING rtree(id, x, y); INSERT INTO boxes VALUES (1, 2, 3);
            CREATE TRIGGER t AFTER UPDATE ON ZTAG BEGIN SELECT unknown(1); END;
            CREATE TABLE computed (a, b AS (a * 2), c AS (a + 1) STORED); INSERT INTO computed VALUES (1);
            CREATE INDEX part ON ZBOOK (ZTITLE) WHERE ZPAGES > 3;
            CREATE INDEX expression ON ZBOOK (lower(ZTITLE));
            CREATE TABLE "quoted "" name" ("a b"); CREATE TABLE many (a); DROP TABLE many; ANALYZE;
            PRAGMA writable_schema = 1;
            INSERT INTO sqlite_schema VALUES
                ('table', 'unknown', 'unknown', 0, 'CREATE VIRTUAL TABLE unknown USING elsewhere(a)');
            """)
        try expectReady(sample.url, complete: false)
        try sample.shell(
            """
            PRAGMA writable_schema = 1;
            UPDATE sqlite_schema SET sql = replace(sql, 'ZTITLE)', 'ZTITLE COLLATE CDFold)') WHERE name = 'part';
            """)
        try expectReady(sample.url, complete: false)
    }

    @Test func storesOfOlderFrameworksAreReady() throws {
        let sample = try RescueSample()
        try sample.shell("DROP TABLE Z_MODELCACHE")
        try expectReady(sample.url, complete: false)
        let second = try RescueSample()
        try second.shell("UPDATE Z_MODELCACHE SET Z_CONTENT = X'0102'")
        try expectReady(second.url, complete: false)
        let third = try RescueSample()
        try third.shell("DELETE FROM Z_MODELCACHE")
        try expectReady(third.url, complete: false)
    }

    @Test func emptiedStoresAreReady() throws {
        let sample = try RescueSample()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.destroyPersistentStore(at: sample.url, ofType: NSSQLiteStoreType)
        try expectReady(sample.url, complete: false)
        // As Apple's framework leaves one.
        let second = try RescueSample()
        let tables = try second.shell(
            "SELECT 'DROP TABLE ' || name || ';' FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        try second.shell(tables + "VACUUM;")
        try expectReady(second.url, complete: false)
    }

    @Test func damageOfWhatOpeningNeedsIsFound() throws {
        let statements = [
            "DROP TABLE Z_METADATA", "DELETE FROM Z_METADATA", "UPDATE Z_METADATA SET Z_PLIST = X'00'",
            "DROP TABLE Z_PRIMARYKEY", "DELETE FROM Z_PRIMARYKEY", "DROP TABLE ZAWARD",
        ]
        for statement in statements {
            let sample = try RescueSample()
            try sample.shell(statement)
            guard case .damaged(let report) = try StoreRescue.open(sample.url, else: .report) else {
                Issue.record("\(statement) is not found")
                continue
            }
            #expect(report.findings.count == 1)
        }
    }

    @Test func aDamagedPageAtEitherEndIsFound() throws {
        let template = try RescueSample()
        let (leaves, inner) = (try template.pages("ZBOOK"), try template.pages("ZBOOK", "internal"))
        let index = try template.shell(
            "SELECT pageno FROM dbstat WHERE name LIKE 'Z_%INDEX' AND pagetype = 'leaf' LIMIT 1")
        for page in [leaves[0], leaves[leaves.count - 1], inner[0], try #require(Int(index.dropLast()))] {
            let sample = try RescueSample()
            try sample.zero(page)
            guard case .damaged = try StoreRescue.open(sample.url, else: .report) else {
                Issue.record("The damage of page \(page) is not found.")
                continue
            }
        }
    }

    /// A store of 100 MB, with a log: at most 50 ms. The short form has 20 MB, and allows for a slow machine.
    @Test func theCheckTakesNoTimeThatGrowsWithTheStore() throws {
        let sample = try RescueSample()
        let rows = LongForm.choose(20_000, long: 100_000)
        try sample.shell(
            """
            WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZPAGES, ZTITLE)
                SELECT i, 3, 1, i, printf('%d %.*c', i, 950, 'x') FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(rows) WHERE Z_NAME = 'Book';
            """)
        try sample.shell(".dbconfig no_ckpt_on_close on\nUPDATE ZTAG SET Z_OPT = 2, ZWORD = ZWORD || 'x';")
        var times: [Double] = []
        for _ in 0..<5 {
            let start = Date()
            try expectReady(sample.url, complete: false)
            times.append(Date().timeIntervalSince(start))
        }
        print("A healthy store of \(rows / 1000) MB is examined in \(Int(times.min()! * 1e6)) µs.")
        #expect(try #require(times.min()) < 0.5)
    }
}
