#if canImport(CoreDataSQLiteStorage)
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

@Suite struct QueryStatementTests {
    private func sql(_ entity: String, _ change: (inout StoreQuery) -> Void) throws -> String {
        let sample = try QuerySample()
        var query = StoreQuery(sample.url, entity: entity)
        change(&query)
        return try query.sql()
    }

    @Test func attributesAreSelectedFromTheTable() throws {
        let sql = try sql("Tag") {
            $0.predicate = "word == 'red'"
            $0.sortKeys = [.init("word", ascending: false)]
            $0.limit = 2
        }
        #expect(
            sql == "SELECT t0.Z_PK, t0.ZWORD FROM ZTAG t0 WHERE (t0.ZWORD = ?1) "
                + "ORDER BY t0.ZWORD DESC, t0.Z_PK LIMIT 2 OFFSET 0")
    }

    @Test func pathsAndCountsAreComputedBySQLite() throws {
        let sql = try sql("Book") { $0.columns = ["author.name", "tags.@count"] }
        #expect(sql.hasPrefix("SELECT t0.Z_PK, t0.Z_ENT, t1.ZNAME, (SELECT COUNT(*) FROM "))
        #expect(sql.contains("LEFT OUTER JOIN ZAUTHOR t1 ON t1.Z_PK = t0.ZAUTHOR"))
        #expect(!sql.contains("\n"))
    }

    @Test func membersHaveStatementsOfTheirOwn() throws {
        let lines = try sql("Shelf") { $0.columns = ["books.title"] }.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0] == "SELECT t0.Z_PK, t0.Z_PK FROM ZSHELF t0")
        #expect(lines[1].contains("Z_FOK_SHELF"))
        #expect(lines[2].hasPrefix("SELECT t0.Z_PK, t0.Z_ENT, t0.ZTITLE FROM ZBOOK t0 WHERE "))
    }

    @Test func countsAreComputedBySQLite() throws {
        let sample = try QuerySample()
        var query = StoreQuery(sample.url, entity: "Novel")
        query.predicate = "pages > 3"
        let sql = try query.sqlOfCount()
        #expect(sql.hasPrefix("SELECT COUNT(*) FROM ZBOOK t0 WHERE t0.Z_ENT = "))
    }
}
#endif
