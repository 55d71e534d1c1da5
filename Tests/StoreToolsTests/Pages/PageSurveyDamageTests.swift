import Foundation
import Testing

@testable import StoreTools

/// Damaged pages: what is left is found, under the right table.
@Suite struct PageSurveyDamageTests {
    /// Returns the leaves of a table of a healthy database.
    private func leaves(_ table: String, _ database: SurveyedDatabase) throws -> [Int] {
        let survey = try PageSurvey(database.pages)
        let root = try #require(database.roots[table])
        return survey.leafPages.filter { survey.owner(of: $0) == .tree(root: root) }
    }

    @Test func leavesUnderDestroyedInteriorPagesAreOwnedByThePointerMap() throws {
        for vacuum in ["FULL", "INCREMENTAL"] {
            let database = try SurveyedDatabase.sample(vacuum: vacuum)
            let pages = database.pages
            let interior = pages.pages(beginningWith: 5)
            #expect(interior.count >= 2)
            for page in interior { pages.fill(page) }
            let found = try SurveyedRows(pages)
            #expect(found.equals(database))
            #expect(found.withoutOwner == 0)
            #expect(Set(found.survey.unreadablePages) == Set(interior))
        }
    }

    @Test func partsOfADamagedInteriorPageNameItsChildren() throws {
        let database = try SurveyedDatabase.sample(vacuum: "NONE", pageSize: 512)
        let interior = database.pages.pages(beginningWith: 5)
        let roots = Set(database.roots.values)
        let a = try #require(database.roots["a"])
        let b = try #require(database.roots["b"])
        for damaged in [interior.filter { roots.contains($0) }, interior.filter { !roots.contains($0) }] {
            let pages = database.pages
            #expect(damaged.count >= 2)
            // The header and the cell pointers are gone, but not the cells. The header alone names the last child.
            for page in damaged { pages.fill(page, 0..<12 + 2 * pages.cellCount(page), with: 0xff) }
            let found = try SurveyedRows(pages)
            let isRight = found.rows[a]?.allSatisfy { database.rows["a"]?[$0.key] == $0.value }
            #expect(isRight == true && found.rows[b]?.allSatisfy { database.rows["b"]?[$0.key] == $0.value } == true)
            // The part below the last child of a root stays together, without the table's name.
            #expect((found.rows[a]?.count ?? 0) > 500 && (found.rows[b]?.count ?? 0) > 340)
            let count = found.rows.values.reduce(0) { $0 + $1.count }
            #expect(count > 1850 && found.withoutOwner < 40)
        }
    }

    @Test func aLeafWithoutParentBelongsWhereItsKeysAreMissing() throws {
        let database = try SurveyedDatabase.sample(vacuum: "NONE")
        let pages = database.pages
        pages.fill(try #require(database.roots["a"]))
        let found = try SurveyedRows(pages)
        #expect(found.equals(database))
    }

    @Test func withoutPageOneTheSchemaIsFoundOnItsOtherPages() throws {
        for vacuum in ["FULL", "NONE"] {
            let database = try SurveyedDatabase.sample(vacuum: vacuum, extraTables: 12)
            let pages = database.pages
            pages.fill(1)
            let found = try SurveyedRows(pages)
            #expect(Set(found.survey.schema) == Set(database.schema))
            #expect(found.equals(database))
            #expect(found.survey.unreadablePages == [1])
        }
    }

    @Test func withoutAnySchemaRowsOfOneRootStayTogether() throws {
        for vacuum in ["FULL", "NONE"] {
            let database = try SurveyedDatabase.sample(vacuum: vacuum)
            let pages = database.pages
            pages.fill(1)
            let found = try SurveyedRows(pages)
            #expect(found.survey.schema.isEmpty)
            let a = try #require(database.roots["a"])
            #expect(found.rows[a] == database.rows["a"])
            #expect(found.rows[try #require(database.roots["b"])] == database.rows["b"])
        }
    }

    @Test func aSchemaWithDestroyedHeaderIsFoundInItsPage() throws {
        let database = try SurveyedDatabase.sample(vacuum: "FULL")
        let pages = database.pages
        pages.fill(1, 0..<120)
        let found = try SurveyedRows(pages)
        #expect(Set(found.survey.schema) == Set(database.schema))
        #expect(found.equals(database))
        #expect(found.survey.salvageable == [1])
    }

    @Test func swappedLeavesAreAssignedByTheirKeys() throws {
        for vacuum in ["FULL", "NONE"] {
            let database = try SurveyedDatabase.sample(vacuum: vacuum)
            let pages = database.pages
            let a = try leaves("a", database)[5]
            let b = try leaves("b", database)[5]
            pages.swap(a, b)
            let found = try SurveyedRows(pages)
            #expect(found.equals(database))
            #expect(found.survey.owner(of: a) == .pointerMap(root: try #require(database.roots["b"])))
        }
    }

    @Test func swappedPagesOfEveryKindLoseNoRows() throws {
        let database = try SurveyedDatabase.sample(vacuum: "FULL")
        let leaf = try leaves("a", database)[9]
        let interior = try #require(database.pages.pages(beginningWith: 5).last)
        let index = try #require(database.pages.pages(beginningWith: 10).last)
        for other in [interior, index, 2, 2 + 1024 / 5 + 1] {
            let pages = database.pages
            pages.swap(leaf, other)
            let found = try SurveyedRows(pages)
            #expect(found.equals(database), "\(leaf) and \(other)")
        }
    }

    @Test func aLeafWithDestroyedHeaderIsSalvageable() throws {
        let database = try SurveyedDatabase.sample(vacuum: "FULL")
        let leaves = try leaves("a", database)
        let full = leaves.filter { database.pages.cellCount($0) > 30 }
        for (damaged, length) in [(leaves, 8), (full, 40)] {
            let pages = database.pages
            for page in damaged { pages.fill(page, 0..<length) }
            let found = try SurveyedRows(pages)
            #expect(found.survey.salvageable == damaged)
            #expect(found.equals(database))
        }
        // The cells in the other half are whole.
        let pages = database.pages
        pages.fill(full[3], 0..<512, with: 0xa7)
        let found = try SurveyedRows(pages)
        #expect(found.survey.salvageable == [full[3]])
        let rows = found.rows[try #require(database.roots["a"])] ?? [:]
        let missing = (database.rows["a"]?.count ?? 0) - rows.count
        #expect(missing > 0 && missing < 25)
    }

    @Test func rowsOfALeafWithoutCellCountAreFound() throws {
        let database = try SurveyedDatabase.sample(vacuum: "NONE")
        let pages = database.pages
        let small = try #require(database.roots["small"])
        pages.set(small, 3, [0, 0])
        let found = try SurveyedRows(pages)
        #expect(found.survey.salvageable == [small])
        #expect(found.equals(database))
    }

    @Test func deletedRowsAreFoundInFreeSpace() throws {
        let script = [
            "CREATE TABLE t (id INTEGER PRIMARY KEY, x, y)", "INSERT INTO t VALUES (1, 'first', 1), (2, 'second', 2.5)",
            "INSERT INTO t VALUES (3, 'third', 300), (4, 'fourth', NULL)", "COMMIT", "BEGIN",
        ]
        let before = try SurveyedDatabase("page_size=1024;secure_delete=OFF", script)
        let after = try SurveyedDatabase("page_size=1024;secure_delete=OFF", script + ["DELETE FROM t"])
        let found = try SurveyedRows(after.pages)
        #expect(found.equals(after))
        let root = try #require(after.roots["t"])
        var remains: [Int64: [StoredValue]] = [:]
        try found.survey.remains(of: root) { remains[$0.key] = $0.values }
        #expect(remains == before.rows["t"])
        #expect(found.survey.isSound(root) && found.survey.salvageable.isEmpty)
    }

    @Test func damagedCellsAreSkippedAndCounted() throws {
        let database = try SurveyedDatabase.sample(vacuum: "NONE")
        let pages = database.pages
        let small = try #require(database.roots["small"])
        pages.set(small, 8, [0, 9])
        var found = try SurveyedRows(pages)
        #expect(found.damagedCells == 1 && found.rows[small]?.count == 2)
        #expect(!found.survey.isSound(small))
        var remains: [Int64] = []
        try found.survey.remains(of: small) { remains.append($0.key) }
        #expect(remains == [1])

        // Two pointers to one cell.
        let twice = database.pages
        twice.set(small, 8, [twice.byte(small, 10), twice.byte(small, 11)])
        found = try SurveyedRows(twice)
        #expect(found.damagedCells == 1 && found.rows[small]?[2] == database.rows["small"]?[2])
    }

    @Test func anUnreadablePageIsReported() throws {
        let database = try SurveyedDatabase.sample(vacuum: "FULL")
        let pages = database.pages
        let survey = try PageSurvey(pages)
        let page = try leaves("b", database)[2]
        pages.failing = [page]
        let found = try SurveyedRows(pages)
        #expect(found.survey.unreadablePages == [page])
        #expect(found.survey.owner(of: page) == .tree(root: try #require(database.roots["b"])))
        // One that cannot be read any more after the survey.
        pages.failing = Set(survey.leafPages)
        var rows = 0
        let damaged = try survey.rows(of: page) { _ in rows += 1 }
        #expect(rows == 0 && damaged > 5)
    }

    @Test func loopsAndSharedChildrenAreDetected() throws {
        let database = try SurveyedDatabase.sample(vacuum: "NONE", pageSize: 512)
        let pages = database.pages
        let root = try #require(database.roots["a"])
        let other = try #require(database.roots["b"])
        pages.set(root, 8, withUnsafeBytes(of: UInt32(root).bigEndian) { Array($0) })
        pages.set(other, 8, withUnsafeBytes(of: UInt32(root).bigEndian) { Array($0) })
        let found = try SurveyedRows(pages)
        #expect(found.survey.sharedPages == [root])
        #expect((found.rows[root]?.count ?? 0) > 500)
    }

    @Test func errorsOfTheProgressEndTheSurvey() throws {
        let database = try SurveyedDatabase.sample(vacuum: "NONE")
        #expect(throws: SurveyedPages.Failure.self) {
            _ = try PageSurvey(database.pages) { _ in throw SurveyedPages.Failure() }
        }
    }
}
