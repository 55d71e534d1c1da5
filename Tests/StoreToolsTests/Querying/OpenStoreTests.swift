#if canImport(CoreDataSQLiteStorage)
import CoreData
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

@Suite struct OpenStoreTests {
    @Test func rowsAreCountedByEntity() throws {
        let sample = try QuerySample()
        let store = try OpenStore(sample.url)
        #expect(store.entities == ["Author", "Award", "Book", "Novel", "Shelf", "Tag"])
        let counts = try store.counts()
        #expect(counts == ["Author": 3, "Award": 0, "Book": 5, "Novel": 2, "Shelf": 1, "Tag": 3])
    }

    @Test func anObjectIsFoundByItsURI() throws {
        let sample = try QuerySample()
        let store = try OpenStore(sample.url)
        var query = store.query(entity: "Novel")
        query.predicate = "genre == 'crime'"
        let novel = try #require(try query.rows().first)
        let row = try #require(try store.object(at: novel.uri))
        #expect(row.entity == "Novel" && row.values == novel.values)
        // The URI may name the superentity; the columns are those of the object's entity.
        let asBook = try #require(URL(string: "x-coredata://\(store.identifier)/Book/p\(novel.key)"))
        let same = try #require(try store.object(at: asBook))
        #expect(same.uri == novel.uri && same["genre"] == .string("crime"))
        let title = try store.object(at: novel.uri, columns: ["title"])
        #expect(title?.values == [.string("Book 3")])
        // A book that is no novel is not found as one.
        query = store.query(entity: "Book")
        query.predicate = "title == 'Book 1'"
        let book = try #require(try query.rows().first)
        let asNovel = try #require(URL(string: "x-coredata://\(store.identifier)/Novel/p\(book.key)"))
        #expect(try store.object(at: asNovel) == nil)
        let none = try #require(URL(string: "x-coredata://\(store.identifier)/Book/p999"))
        #expect(try store.object(at: none) == nil)
    }

    @Test(arguments: [
        "x-coredata://OTHER/Book/p1", "x-coredata:///Book/t1", "https://example.org/", "x-coredata://ID/Nothing/p1",
        "x-coredata://ID/Book/p0", "x-coredata://ID/Book/p99999999999999999999", "x-coredata://ID/Book/p-1",
    ])
    func textsThatAreNoObjectsOfTheStoreAreErrors(_ text: String) throws {
        let sample = try QuerySample()
        let store = try OpenStore(sample.url)
        let uri = try #require(URL(string: text.replacingOccurrences(of: "ID", with: store.identifier)))
        let found = #expect(throws: StoreToolError.self) { try store.object(at: uri) }
        #expect(found?.code == .invalidQuery)
    }

    @Test func relationshipsAreFollowed() throws {
        let sample = try QuerySample()
        let store = try OpenStore(sample.url)
        var query = store.query(entity: "Author")
        query.predicate = "name == 'Ann'"
        let ann = try #require(try query.rows().first).uri
        let books = try store.related("books", of: ann, columns: ["title"])
        #expect(Set(books.map { $0.values[0] }) == [.string("Book 1"), .string("Book 2"), .string("Book 3")])
        #expect(Set(books.map(\.entity)) == ["Book", "Novel"])
        #expect(try store.related("books", of: ann, limit: 2).count == 2)
        #expect(try store.related("author", of: books[0].uri).map(\.uri) == [ann])
        let ordered = try store.related("books", of: #require(try store.query(entity: "Shelf").rows().first).uri)
        #expect(ordered.map { $0["title"] } == [.string("Book 4"), .string("Book 1"), .string("Book 5")])
        #expect(try store.related("awards", of: ann).isEmpty)
        let attribute = #expect(throws: StoreToolError.self) { try store.related("name", of: ann) }
        #expect(attribute?.message == "Author.name is not a relationship.")
        let unknown = #expect(throws: StoreToolError.self) { try store.related("bookz", of: ann) }
        #expect(unknown?.advice == "Did you mean books?")
    }

    @Test func aDanglingReferenceIsNotTakenForNone() throws {
        let sample = try QuerySample()
        try QuerySample.execute("UPDATE ZBOOK SET ZAUTHOR = 99 WHERE Z_PK = 1;", at: sample.url)
        let store = try OpenStore(sample.url)
        let book = try #require(URL(string: "x-coredata://\(store.identifier)/Book/p1"))
        let found = #expect(throws: StoreToolError.self) { try store.related("author", of: book) }
        #expect(found?.code == .failed)
        #expect(found?.message.hasSuffix("/p1.author refers to Author/p99, which does not exist.") == true)
    }

    @Test func questionsMayBeNested() throws {
        let sample = try QuerySample()
        let store = try OpenStore(sample.url)
        var pairs = 0
        try store.query(entity: "Author").forEach { author in
            pairs += try store.related("books", of: author.uri).count
            try store.query(entity: "Tag").forEach { _ in
                pairs += 1
                return true
            }
            return true
        }
        #expect(pairs == 6 + 9)
    }
}
#endif
