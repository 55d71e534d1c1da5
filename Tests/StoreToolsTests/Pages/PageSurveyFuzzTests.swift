import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

@testable import StoreTools

/// Random damage: whatever the file says, a survey ends, in bounded time, without a trap.
@Suite struct PageSurveyFuzzTests {
    @Test(arguments: ["NONE", "FULL"])
    func randomDamageIsSurvived(_ vacuum: String) throws {
        let database = try SurveyedDatabase(
            "page_size=512;auto_vacuum=\(vacuum)",
            [
                "CREATE TABLE t (id INTEGER PRIMARY KEY, x, y TEXT)", "CREATE INDEX i ON t (y)",
                "CREATE TABLE u (a, b)",
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
                INSERT INTO t SELECT i, i * 1000003, 'text ' || i || CASE i % 15 WHEN 0
                THEN hex(zeroblob(400)) ELSE '' END FROM n
                """, "INSERT INTO u SELECT x, y FROM t WHERE id < 40", "DELETE FROM t WHERE id % 3 = 1 OR id > 100",
            ])
        let valid = Set(database.rows.values.flatMap { $0.values })
        var random = SeededGenerator(seed: 67)
        for round in 0..<LongForm.choose(500, long: 20000) {
            let pages = database.pages
            for _ in 0...Int.random(in: 0..<4, using: &random) { damage(pages, &random) }
            guard pages.pageCount > 0 else { continue }
            let survey = try PageSurvey(pages)
            var rows = 0
            for page in survey.leafPages {
                _ = try survey.rows(of: page) { _ in rows += 1 }
                _ = survey.owner(of: page)
            }
            // No page yields more rows than fit.
            #expect(rows <= survey.leafPages.count * 80, "round \(round)")
            let page = Int.random(in: 1...pages.pageCount, using: &random)
            try survey.remains(of: page) { _ in }
            if round % 8 == 0 { _ = survey.salvageable }
        }
        #expect(valid.count > 50)
    }

    private func damage(_ pages: SurveyedPages, _ random: inout SeededGenerator) {
        guard pages.pageCount > 1 else { return }
        let page = Int.random(in: 1...pages.pageCount, using: &random)
        let offset = Int.random(in: 0..<pages.pageSize, using: &random)
        switch Int.random(in: 0..<9, using: &random) {
        case 0: pages.fill(page)
        case 1:
            pages.fill(page, offset..<min(offset + 40, pages.pageSize), with: UInt8.random(in: 0...255, using: &random))
        case 2: pages.swap(page, Int.random(in: 1...pages.pageCount, using: &random))
        case 3: pages.bytes.removeLast(Int.random(in: 0..<pages.bytes.count / 2, using: &random))
        case 4: pages.set(page, 0, (0..<pages.pageSize).map { _ in UInt8.random(in: 0...255, using: &random) })
        case 5: pages.set(page, offset % 16, [UInt8.random(in: 0...255, using: &random)])
        case 6:
            // A number that may be that of a page.
            let target = UInt8.random(in: 0...UInt8(min(pages.pageCount, 255)), using: &random)
            pages.set(page, min(offset % 64, pages.pageSize - 4), [0, 0, 0, target])
        default:
            for _ in 0..<Int.random(in: 1..<30, using: &random) {
                let place = Int.random(in: 0..<pages.pageSize, using: &random)
                pages.set(page, place, [pages.byte(page, place) ^ 1 << UInt8.random(in: 0..<8, using: &random)])
            }
        }
    }

    @Test func strangeGeometriesAreSurvived() throws {
        let database = try SurveyedDatabase.sample(vacuum: "FULL")
        for (size, reserved) in [(512, 255), (512, 0), (2048, 0), (65536, 0), (1024, 1000), (700, 0), (131072, 3)] {
            let pages = database.pages
            pages.pageSize = size
            pages.reservedBytes = reserved
            let survey = try PageSurvey(pages)
            for page in survey.leafPages { _ = try survey.rows(of: page) { _ in } }
            _ = survey.salvageable
            #expect(survey.owner(of: 0) == .unknown && survey.owner(of: pages.pageCount + 1) == .unknown)
        }
        let empty = SurveyedPages([UInt8](repeating: 0, count: 100))
        empty.pageSize = 4096
        #expect(try PageSurvey(empty).leafPages.isEmpty)
    }

    @Test func overlongChainsOfManyCellsEndSoon() throws {
        // Every row of a table of long rows names the same first overflow page, at the start of the longest chain.
        let database = try SurveyedDatabase(
            "page_size=512",
            [
                "CREATE TABLE t (x)",
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                INSERT INTO t SELECT zeroblob(4000) FROM n
                """, "INSERT INTO t VALUES (replace(hex(zeroblob(200000)), '0', 'a'))",
            ])
        let pages = database.pages
        let survey = try PageSurvey(pages)
        let start = (2...pages.pageCount).first { pages.byte($0, 4) == 97 } ?? 2
        for page in survey.leafPages where page != 1 {
            let count = Int(pages.byte(page, 3)) << 8 | Int(pages.byte(page, 4))
            for index in 0..<count {
                let pointer = Int(pages.byte(page, 8 + 2 * index)) << 8 | Int(pages.byte(page, 9 + 2 * index))
                pages.set(page, pointer, [0xff, 0x7f])
                // The local part of a record of 16,383 bytes, then the number.
                let local = 39 + (16383 - 39) % 508
                guard pointer + 4 + local + 4 <= 512 else { continue }
                pages.set(
                    page, pointer + 4 + min(local, 477), withUnsafeBytes(of: UInt32(start).bigEndian) { Array($0) })
            }
        }
        let damaged = try PageSurvey(pages)
        for page in damaged.leafPages { _ = try damaged.rows(of: page) { _ in } }
    }

    @Test func thePageAtOneGigabyteIsNoDamage() throws {
        final class Large: DatabasePages {
            let pageSize = 65536
            let reservedBytes = 0
            let pageCount = 16400
            let empty: [UInt8] = (0..<65536).map { $0 == 0 || $0 == 100 ? 13 : 0 }
            let random: [UInt8] = (0..<65536).map { UInt8(truncatingIfNeeded: $0 &* 77 &+ 201) }
            func withPage<Result>(_ number: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
                try (number >= 16384 && number <= 16386 ? random : empty).withUnsafeBytes(body)
            }
        }
        let survey = try PageSurvey(Large())
        #expect(survey.unreadablePages == [16384, 16386])
    }
}
