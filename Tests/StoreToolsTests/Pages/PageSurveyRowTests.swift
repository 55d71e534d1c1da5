import Foundation
import Testing

@testable import StoreTools

/// Rows of healthy databases, compared with what SQLite reads.
@Suite struct PageSurveyRowTests {
    @Test func valuesOfEveryTypeAreThoseOfSQLite() throws {
        let numbers: [Int64] = [
            0, 1, -1, 2, 127, 128, -128, -129, 32767, 32768, -32769, 8_388_607, 8_388_608, -8_388_609, 2_147_483_647,
            2_147_483_648, -2_147_483_649, 140_737_488_355_327, 140_737_488_355_328, -140_737_488_355_329, .max, .min,
        ]
        var script = ["CREATE TABLE v (x)"]
        for number in numbers {
            script.append(
                number == .min
                    ? "INSERT INTO v VALUES (-9223372036854775807 - 1)"
                    : "INSERT INTO v VALUES (\(number))")
        }
        script += [
            "INSERT INTO v VALUES (NULL), (1.5), (-0.0), (1e308), (9e999), (''), ('ä€𝄞'), ('a' || char(0) || 'b')",
            "INSERT INTO v VALUES (x''), (x'00'), (x'0001020304'), (zeroblob(30)), (CAST(x'ff41' AS TEXT))",
            "CREATE TABLE keys (y)", "INSERT INTO keys (rowid, y) VALUES (-9223372036854775807, 1)",
            "INSERT INTO keys (rowid, y) VALUES (-1, 2), (0, 3), (200, 4), (9223372036854775807, 5)",
        ]
        let database = try SurveyedDatabase("page_size=4096", script)
        let found = try SurveyedRows(database.pages)
        var expected = database.rows["v"]
        let invalid = Int64(expected?.count ?? 0)
        // SQLite hands invalid text out as it is; its bytes are kept as a blob.
        expected?[invalid] = [.blob(Data([0xff, 0x41]))]
        #expect(found.rows[database.roots["v"] ?? 0] == expected)
        #expect(found.rows[database.roots["keys"] ?? 0] == database.rows["keys"])
        #expect(found.damagedCells == 0)
    }

    @Test(arguments: [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536], ["NONE", "FULL", "INCREMENTAL"])
    func databasesOfEveryPageSizeAreRead(_ pageSize: Int, _ vacuum: String) throws {
        let database = try SurveyedDatabase.sample(vacuum: vacuum, pageSize: pageSize)
        let found = try SurveyedRows(database.pages)
        #expect(found.equals(database))
        #expect(found.survey.schema == database.schema)
        #expect(found.survey.unreadablePages.isEmpty && found.survey.salvageable.isEmpty)
        #expect(found.survey.sharedPages.isEmpty && found.survey.isFreelistConsistent)
        #expect(found.damagedCells == 0 && found.withoutOwner == 0)
        #expect(found.survey.hasPointerMap == (vacuum != "NONE"))
        #expect(found.survey.rowCountEstimate(root: database.roots["a"]) == database.rows["a"]?.count)
        let unsound = found.survey.leafPages.filter { !found.survey.isSound($0) }
        #expect(unsound.isEmpty)
    }

    @Test(arguments: [Int32(8), 32, 255])
    func reservedBytesAreSkipped(_ reserved: Int32) throws {
        let text = "replace(hex(zeroblob(2000)), '0', 'é')"
        let database = try SurveyedDatabase(
            "page_size=1024;auto_vacuum=FULL", reserved: reserved,
            [
                "CREATE TABLE t (x, y)",
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                INSERT INTO t SELECT i, substr(\(text), 1, i * 7) FROM n
                """,
            ])
        #expect(database.bytes[20] == UInt8(reserved))
        let found = try SurveyedRows(database.pages)
        #expect(found.equals(database))
        #expect(found.survey.unreadablePages.isEmpty)
    }

    @Test(arguments: ["'UTF-8'", "'UTF-16le'", "'UTF-16be'"])
    func textsOfEveryEncodingAreRead(_ encoding: String) throws {
        let database = try SurveyedDatabase(
            "page_size=512;encoding=\(encoding)",
            [
                "CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)",
                "INSERT INTO t VALUES (1, 'ä€𝄞'), (2, ''), (3, replace(hex(zeroblob(600)), '0', '𝄞ß'))",
            ])
        let found = try SurveyedRows(database.pages)
        #expect(found.equals(database))
        #expect(found.survey.schema == database.schema)
    }

    @Test func pagesOfIndexesAndTablesWithoutRowIDsAreNoLeaves() throws {
        let database = try SurveyedDatabase(
            "page_size=512;auto_vacuum=FULL",
            [
                "CREATE TABLE w (k TEXT PRIMARY KEY, v) WITHOUT ROWID", "CREATE TABLE t (id INTEGER PRIMARY KEY, x)",
                "CREATE INDEX i ON t (x)", "CREATE VIEW q AS SELECT x FROM t",
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
                INSERT INTO w SELECT i || CASE i % 9 WHEN 0 THEN hex(zeroblob(900)) ELSE '' END, i FROM n
                """, "INSERT INTO t SELECT v, k FROM w",
            ])
        let found = try SurveyedRows(database.pages)
        #expect(found.equals(database))
        #expect(found.survey.schema == database.schema)
        #expect(found.survey.unreadablePages.isEmpty)
        #expect(Set(found.rows.keys) == [1, database.roots["t"] ?? 0])
    }

    @Test func valuesOfColumnsAddedLaterAreAbsent() throws {
        let database = try SurveyedDatabase(
            "page_size=512",
            ["CREATE TABLE t (x)", "INSERT INTO t VALUES ('old')", "ALTER TABLE t ADD y DEFAULT 7"])
        let found = try SurveyedRows(database.pages)
        #expect(found.rows[database.roots["t"] ?? 0] == [1: [.text("old")]])
    }

    @Test func freePagesAndTheirRowsAreToldApart() throws {
        for vacuum in ["NONE", "INCREMENTAL"] {
            let database = try SurveyedDatabase(
                "page_size=512;secure_delete=OFF;auto_vacuum=\(vacuum)",
                [
                    "CREATE TABLE gone (x)", "CREATE TABLE kept (x)", "INSERT INTO kept VALUES ('kept')",
                    """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
                    INSERT INTO gone SELECT 'deleted ' || i FROM n
                    """, "COMMIT", "BEGIN", "DELETE FROM gone WHERE rowid > 20",
                ])
            let found = try SurveyedRows(database.pages)
            #expect(found.equals(database))
            let free = found.survey.leafPages.filter { found.survey.owner(of: $0) == .free }
            var deleted = 0
            for page in free { _ = try found.survey.rows(of: page) { _ in deleted += 1 } }
            #expect(free.count > 3 && deleted > 100)
            #expect(found.survey.isFreelistConsistent)

            // With a wrong count, the pointer map alone tells what is free.
            let pages = database.pages
            pages.bytes[39] ^= 1
            let doubtful = try PageSurvey(pages)
            #expect(!doubtful.isFreelistConsistent)
            #expect(Set(free.map(doubtful.owner)) == [vacuum == "NONE" ? .unknown : .free])
        }
    }
}
