import CoreData
import CoreDataRowStorage
import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import Testing

/// Primary keys begin at 1, as in the files that Apple's framework writes. 0 is the key of no row: not for a function that reads,
/// nor for an object or an ID.
@Suite("The key 0")
struct KeyZeroTests {
    private let library: SQLiteLibrary

    /// An author with two books, and a book without an author.
    init() throws {
        library = try SQLiteLibrary()
        let author = library.context.insert("Author", ["name": "Ann"])
        for title in ["one", "two"] {
            library.context.insert("Book", ["title": title]).setValue(author, forKey: "author")
        }
        library.context.insert("Book", ["title": "three"])
        try library.context.save()
        library.context.reset()
    }

    private func run(_ sql: String) throws {
        try SQLiteConnection(path: library.url.path, access: .readWrite, busyTimeout: 5).executeScript(sql)
    }

    private func expectDamage(_ what: String, _ body: () throws -> Void) {
        let error = #expect(throws: NSError.self, "\(what)", performing: body)
        #expect(
            error?.domain == NSCocoaErrorDomain && error?.code == CocoaError.fileReadCorruptFile.rawValue, "\(what)")
        #expect(error?.userInfo["column"] as? String == "Z_PK", "\(what): \(String(describing: error))")
    }

    private final class AnyRow: RowSink {
        func next(entityNumber: Int, key: Int64) -> RowDecision { .take }
        func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) {}
    }

    @Test func aRowOfThatKeyIsDamageToEveryRead() throws {
        try run("UPDATE ZBOOK SET Z_PK = 0 WHERE ZTITLE = 'one'")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        expectDamage("objects") { _ = try library.context.fetch(request) }
        request.fetchBatchSize = 1
        expectDamage("batches") { _ = try library.context.fetch(request) }
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        ids.resultType = .managedObjectIDResultType
        expectDamage("IDs") { _ = try library.context.fetch(ids) }
        let authors = NSFetchRequest<NSManagedObject>(entityName: "Author")
        authors.relationshipKeyPathsForPrefetching = ["books"]
        expectDamage("prefetching") { _ = try library.context.fetch(authors) }
        let store = try #require(library.store as? any RowStore).session()
        let book = try #require(library.model.layouts.byName["Book"])
        let author = try #require(library.model.layouts.byName["Author"])
        let books = try #require(author.relationships.first { $0.name == "books" })
        expectDamage("rows by key") { try store.readRows(keys: [0], of: book, into: AnyRow()) }
        expectDamage("to-many") { _ = try store.readToMany(books, of: author, key: 1) }
        expectDamage("rows of a to-many") {
            try store.readToManyRows(books, of: author, keys: [1], into: AnyRow()) { _ in }
        }
        // What does not meet the row is read.
        request.predicate = NSPredicate(format: "title != 'one'")
        #expect(try library.context.fetch(request).count == 2)
    }

    @Test func aForeignKeyOf0LeadsNowhere() throws {
        try run("UPDATE ZBOOK SET ZAUTHOR = 0 WHERE ZTITLE = 'one'")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.relationshipKeyPathsForPrefetching = ["author"]
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let books = try library.context.fetch(request)
        #expect(books.map { $0.value(forKeyPath: "author.name") as? String } == [nil, nil, "Ann"])
        let authors = NSFetchRequest<NSManagedObject>(entityName: "Author")
        authors.relationshipKeyPathsForPrefetching = ["books"]
        let author = try #require(try library.context.fetch(authors).first)
        #expect(author.mutableSetValue(forKey: "books").count == 1)
        books[0].setValue(author, forKey: "author")
        try library.context.save()
        #expect(try library.fetch("Book", "author == nil").count == 1)
    }

    @Test func noIDHasThatKey() throws {
        let id = try #require(try library.fetch("Author").first).objectID
        let folder = id.uriRepresentation().deletingLastPathComponent()
        let coordinator = library.coordinator
        #expect(coordinator.managedObjectID(forURIRepresentation: folder.appendingPathComponent("p0")) == nil)
        #expect(coordinator.managedObjectID(forURIRepresentation: folder.appendingPathComponent("p1")) == id)
    }
}
