import Foundation
import Testing

@testable import StoreTools

/// Values that continue on overflow pages, and damage to those.
@Suite struct PageSurveyOverflowTests {
    private func store(_ vacuum: String) throws -> SurveyedDatabase {
        try SurveyedDatabase(
            "page_size=512;auto_vacuum=\(vacuum)",
            [
                "CREATE TABLE t (id INTEGER PRIMARY KEY, name, x)",
                "INSERT INTO t VALUES (1, 'one', replace(hex(zeroblob(1500)), '0', 'a'))",
                "INSERT INTO t VALUES (2, 'two', replace(hex(zeroblob(1500)), '0', 'b'))",
                "INSERT INTO t VALUES (3, 'three', 3)", "INSERT INTO t VALUES (4, 'four', zeroblob(3000))",
            ])
    }

    /// Returns the overflow pages of the row with a text of one letter, in order.
    private func chain(_ letter: Character, _ database: SurveyedDatabase) throws -> [Int] {
        let pages = database.pages
        let mine = (2...pages.pageCount).filter { pages.byte($0, 4) == letter.asciiValue && pages.byte($0) == 0 }
        let named = Set(mine.map { pages.number($0, 0) })
        var page = try #require(mine.first { !named.contains($0) })
        var chain = [page]
        while case let next = pages.number(page, 0), next != 0 {
            chain.append(next)
            page = next
        }
        return chain
    }

    @Test(arguments: ["NONE", "FULL"])
    func theFirstValuesOfABrokenChainAreOffered(_ vacuum: String) throws {
        let database = try store(vacuum)
        let root = try #require(database.roots["t"])
        let chain = try chain("a", database)
        #expect(chain.count == 5)
        for damage in 0..<4 {
            let pages = database.pages
            switch damage {
            case 0: pages.fill(chain[2])
            case 1: pages.set(chain[2], 0, [0, 0, 0x7f, 0xff])
            case 2: pages.set(chain[2], 0, withUnsafeBytes(of: UInt32(chain[1]).bigEndian) { Array($0) })
            default: pages.fill(chain[4])
            }
            let found = try SurveyedRows(pages)
            var expected = database.rows["t"]
            expected?[1] = nil
            #expect(found.rows[root] == expected)
            #expect(found.damagedCells == 1)
            #expect(found.incomplete.map(\.key) == [1] && found.incomplete.map(\.columnCount) == [3])
            #expect(found.incomplete.map(\.values) == [[.null, .text("one")]])
        }
    }

    @Test(arguments: ["NONE", "FULL"])
    func aPageBelongsToOneChain(_ vacuum: String) throws {
        let database = try store(vacuum)
        let root = try #require(database.roots["t"])
        let one = try chain("a", database)
        let two = try chain("b", database)
        let pages = database.pages
        pages.set(two[2], 0, withUnsafeBytes(of: UInt32(one[3]).bigEndian) { Array($0) })
        let found = try SurveyedRows(pages)
        #expect(found.incomplete.map(\.key) == [2])
        #expect(found.rows[root]?[1] == database.rows["t"]?[1])
    }

    @Test func thePointerMapTellsSwappedOverflowPagesApart() throws {
        let database = try store("FULL")
        let pages = database.pages
        pages.swap(try chain("a", database)[2], try chain("b", database)[2])
        let found = try SurveyedRows(pages)
        #expect(Set(found.incomplete.map(\.key)) == [1, 2])
        #expect(found.rows[try #require(database.roots["t"])]?.count == 2)
    }

    @Test func rowsMayBeReadSeveralTimes() throws {
        let database = try store("NONE")
        let survey = try PageSurvey(database.pages)
        for _ in 0..<3 {
            var complete = 0
            for page in survey.leafPages where page != 1 {
                let damaged = try survey.rows(of: page) { complete += $0.isComplete ? 1 : 0 }
                #expect(damaged == 0)
            }
            #expect(complete == 4)
        }
    }

    @Test func recordsWithLongHeadersAreRead() throws {
        let columns = (0..<900).map { "c\($0)" }.joined(separator: ", ")
        let values = (0..<900).map { "\($0 % 3)" }.joined(separator: ", ")
        let database = try SurveyedDatabase(
            "page_size=512", ["CREATE TABLE t (\(columns))", "INSERT INTO t VALUES (\(values))"])
        let found = try SurveyedRows(database.pages)
        #expect(found.equals(database))
    }
}
