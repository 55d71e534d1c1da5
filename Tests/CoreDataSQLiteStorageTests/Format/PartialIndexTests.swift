import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Indexes over some of the rows. Their wording is SQLite's (`CREATE INDEX … WHERE`); no file of Apple's at hand has one.
struct PartialIndexTests {
    private func index(named name: String = "byTitle", where format: String) throws -> (FormatStore, String?) {
        let book = FormatStore.entity(
            "Book",
            [
                LibraryModel.attribute("title", .stringAttributeType),
                LibraryModel.attribute("pages", .integer32AttributeType),
                LibraryModel.attribute("inPrint", .booleanAttributeType),
            ])
        let element = NSFetchIndexElementDescription(
            property: try #require(book.attributesByName["title"]), collationType: .binary)
        let index = NSFetchIndexDescription(name: name, elements: [element])
        index.partialIndexPredicate = NSPredicate(format: format)
        book.indexes = [index]
        let store = try FormatStore([book])
        let condition = try store.creation("Z_Book_\(name)")?.components(separatedBy: " WHERE ").dropFirst().first
        return (store, condition)
    }

    @Test(arguments: ["a\"b", "a\"\u{301}b"])
    func namesWithQuotationMarks(_ name: String) throws {
        let (store, condition) = try index(named: name, where: "pages > 10")
        #expect(condition == "ZPAGES > 10")
        #expect(try store.sql("PRAGMA integrity_check") == ["ok"])
    }

    @Test(
        arguments: [
            ("pages > 10", "ZPAGES > 10"),
            ("pages == nil", "ZPAGES IS NULL"),
            ("pages != nil", "ZPAGES IS NOT NULL"),
            ("title == \"it's\"", "ZTITLE = 'it''s'"),
            // One character with the combining mark in Swift, two in SQL.
            ("title == \"it'\u{301}s\"", "ZTITLE = 'it''\u{301}s'"),
            ("inPrint == YES AND pages <= 5", "(ZINPRINT = 1 AND ZPAGES <= 5)"),
            ("NOT (pages != 3 OR inPrint == NO)", "NOT ((ZPAGES <> 3 OR ZINPRINT = 0))"),
            // What has no form here gives an index over every row.
            ("title BEGINSWITH 'A'", nil),
            ("title ==[c] 'a'", nil),
            ("pages IN {1, 2}", nil),
        ] as [(String, String?)])
    func conditions(_ format: String, _ expected: String?) throws {
        let (store, condition) = try index(where: format)
        #expect(condition == expected)
        // The index is there and in the way of nothing.
        for pages in 1...20 {
            store.context.insert("Book", ["title": "A\(pages)", "pages": pages, "inPrint": pages % 2 == 0])
        }
        try store.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "pages > 10 AND title BEGINSWITH 'A1'")
        #expect(try store.context.count(for: request) == 9)
        #expect(try store.sql("PRAGMA integrity_check") == ["ok"])
    }
}
