import CCoreDataSQLite
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// A value or row of more bytes than SQLite takes is an error that names it, and nothing is written.
@Suite
struct LongValueTests {
    private static let limit = 100_000

    /// A library whose connections take values of up to 100,000 bytes, where SQLite's own limit is 1,000,000,000.
    private func smallLibrary() throws -> SQLiteLibrary {
        let library = try SQLiteLibrary()
        let store = try #require(library.store as? SQLiteStore)
        try store.engine.pool.write { _ = sqlite3_limit($0.handle, SQLITE_LIMIT_LENGTH, Int32(Self.limit)) }
        return library
    }

    private func count(_ library: SQLiteLibrary, _ format: String = "TRUEPREDICATE") throws -> Int {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: format)
        return try library.makeContext().count(for: request)
    }

    private func failure(_ body: () throws -> Void) -> NSError? {
        do {
            try body()
            return nil
        } catch {
            return error as NSError
        }
    }

    private func expectTooLong(_ error: NSError?, _ attribute: String, bytes: Int, limit: Int = Self.limit) {
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == NSSQLiteError)
        #expect(error?.userInfo["entity"] as? String == "Book")
        #expect(error?.userInfo["property"] as? String == attribute)
        #expect(error?.userInfo["NSSQLiteErrorValueLength"] as? Int == bytes)
        #expect(error?.userInfo["NSSQLiteErrorLengthLimit"] as? Int == limit)
        #expect(error?.localizedDescription.contains("Book.\(attribute)") == true)
        #expect(error?.localizedFailureReason?.contains("\(bytes) bytes") == true)
    }

    @Test(arguments: ["title", "cover"])
    func inserting(_ attribute: String) throws {
        let library = try smallLibrary()
        let text = String(repeating: "x", count: Self.limit + 1)
        let value: Any = attribute == "title" ? text : Data(text.utf8)
        let book = library.context.insert("Book", [attribute: value])
        library.context.insert("Book", ["title": "beside"])
        expectTooLong(failure { try library.context.save() }, attribute, bytes: Self.limit + 1)
        #expect(try count(library) == 0)
        #expect(book.objectID.isTemporaryID)
        #expect(library.context.insertedObjects.count == 2)
        book.setValue(nil, forKey: attribute)
        try library.context.save()
        #expect(try count(library) == 2)
    }

    @Test func insertingMany() throws {
        let library = try smallLibrary()
        for number in 0..<100 { library.context.insert("Book", ["title": "\(number)"]) }
        let long = library.context.insert("Book", ["title": String(repeating: "é", count: Self.limit)])
        expectTooLong(failure { try library.context.save() }, "title", bytes: 2 * Self.limit)
        #expect(try count(library) == 0)
        library.context.delete(long)
        try library.context.save()
        #expect(try count(library) == 100)
    }

    @Test(arguments: ["title", "cover"])
    func updating(_ attribute: String) throws {
        let library = try smallLibrary()
        let kept: Any = attribute == "title" ? "kept" : Data("kept".utf8)
        let book = library.context.insert("Book", [attribute: kept])
        try library.context.save()
        let text = String(repeating: "x", count: Self.limit + 1)
        book.setValue(attribute == "title" ? text : Data(text.utf8), forKey: attribute)
        let error = failure { try library.context.save() }
        expectTooLong(error, attribute, bytes: Self.limit + 1)
        #expect(error?.localizedDescription.contains("primary key 1") == true)
        #expect(book.hasChanges)
        let other = library.makeContext()
        let stored = try #require(try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first)
        #expect(stored.value(forKey: attribute) as? NSObject == kept as? NSObject)
    }

    /// Each value fits, but SQLite's limit holds for the row as well.
    @Test func rowsThatAreTooLongInSum() throws {
        let library = try smallLibrary()
        library.context.insert(
            "Book",
            ["title": String(repeating: "x", count: 60_000), "cover": Data(repeating: 1, count: 60_000)])
        let error = failure { try library.context.save() }
        #expect(error?.code == NSSQLiteError)
        #expect(error?.userInfo["entity"] as? String == "Book")
        #expect(error?.userInfo["NSSQLiteErrorLengthLimit"] as? Int == Self.limit)
        #expect(try count(library) == 0)
    }

    @Test func batchInserts() throws {
        let library = try smallLibrary()
        let long = String(repeating: "x", count: Self.limit + 1)
        let dictionaries = NSBatchInsertRequest(entityName: "Book", objects: [["title": "a"], ["title": long]])
        expectTooLong(failure { _ = try library.context.execute(dictionaries) }, "title", bytes: Self.limit + 1)
        let data = NSBatchInsertRequest(entityName: "Book", objects: [["cover": Data(long.utf8)]])
        expectTooLong(failure { _ = try library.context.execute(data) }, "cover", bytes: Self.limit + 1)
        var rest = 1
        let objects = NSBatchInsertRequest(entityName: "Book") { (object: NSManagedObject) in
            object.setValue(long, forKey: "title")
            rest -= 1
            return rest < 0
        }
        expectTooLong(failure { _ = try library.context.execute(objects) }, "title", bytes: Self.limit + 1)
        #expect(try count(library) == 0)
    }

    @Test func batchUpdates() throws {
        let library = try smallLibrary()
        library.context.insert("Book", ["title": "kept"])
        try library.context.save()
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.propertiesToUpdate = ["title": String(repeating: "x", count: Self.limit + 1)]
        expectTooLong(failure { _ = try library.context.execute(update) }, "title", bytes: Self.limit + 1)
        #expect(try count(library, "title == 'kept'") == 1)
    }

    /// The limit SQLite has by default.
    @Test func aBillionBytes() throws {
        let library = try SQLiteLibrary()
        let insert = NSBatchInsertRequest(entityName: "Book", objects: [["cover": Data(count: 1_000_000_001)]])
        expectTooLong(
            failure { _ = try library.context.execute(insert) }, "cover", bytes: 1_000_000_001, limit: 1_000_000_000)
        #expect(try count(library) == 0)
    }
}
