import CoreData
import Foundation
import Testing

import class CoreDataSQLiteStorage.SQLiteConnection
import CoreDataTestSupport

/// Primary keys of stores that save a few objects at a time: `Z_MAX` of `Z_PRIMARYKEY` covers every key in use, no key is
/// used twice, and nothing is left set aside once the store is closed.
@Suite
struct KeyBlockTests {
    private func integer(_ library: SQLiteLibrary, _ sql: String) throws -> Int64 {
        try SQLiteConnection(path: library.url.path, access: .readOnly, busyTimeout: 5).integer(sql)
    }

    private func counter(_ library: SQLiteLibrary) throws -> Int64 {
        try integer(library, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'")
    }

    private func saveBooks(_ count: Int, in context: NSManagedObjectContext) throws {
        for number in 0..<count {
            context.insert("Book", ["pages": number])
            try context.save()
        }
    }

    @Test func theCounterCoversEveryKey() throws {
        let library = try SQLiteLibrary()
        for number in 1...100 {
            try saveBooks(1, in: library.context)
            #expect(try integer(library, "SELECT MAX(Z_PK) FROM ZBOOK") == Int64(number))
            #expect(try counter(library) >= Int64(number))
        }
    }

    @Test func closingGivesBackWhatIsLeft() throws {
        let library = try SQLiteLibrary()
        try saveBooks(60, in: library.context)
        let store = library.coordinator.persistentStores[0]
        try library.coordinator.remove(store)
        #expect(try counter(library) == 60)
    }

    @Test func twoStoresOnOneFileNeverShareKeys() throws {
        let library = try SQLiteLibrary()
        let other = try library.makeSecondContext()
        // Long turns, so that both set blocks aside.
        for _ in 0..<4 {
            try saveBooks(25, in: library.context)
            try saveBooks(25, in: other)
        }
        #expect(try integer(library, "SELECT COUNT(*) FROM ZBOOK") == 200)
        #expect(try counter(library) >= integer(library, "SELECT MAX(Z_PK) FROM ZBOOK"))
    }

    @Test func failedSavesUseNoKeys() throws {
        let library = try SQLiteLibrary()
        try saveBooks(40, in: library.context)
        let late = try library.makeSecondContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.fetchLimit = 1
        let stale = try #require(try late.fetch(request).first)
        stale.setValue("late", forKey: "title")
        let fresh = try #require(try library.context.fetch(request).first)
        fresh.setValue("first", forKey: "title")
        try library.context.save()
        late.insert("Book")
        #expect(throws: (any Error).self) { try late.save() }
        late.rollback()
        try saveBooks(1, in: library.context)
        #expect(try integer(library, "SELECT MAX(Z_PK) FROM ZBOOK") == 41)
    }

    /// Of batch inserts the rows come first and the counter after them.
    @Test func batchInsertsGoOnWhereSavesEnded() throws {
        let library = try SQLiteLibrary()
        try saveBooks(20, in: library.context)
        for _ in 0..<3 {
            let rows = (0..<50).map { ["pages": $0] }
            _ = try library.context.execute(NSBatchInsertRequest(entityName: "Book", objects: rows))
            #expect(try counter(library) >= integer(library, "SELECT MAX(Z_PK) FROM ZBOOK"))
        }
        try saveBooks(1, in: library.context)
        #expect(try integer(library, "SELECT COUNT(*) FROM ZBOOK") == 171)
    }

    @Test func permanentIDsObtainedEarlyAreNotHandedOutAgain() throws {
        let library = try SQLiteLibrary()
        try saveBooks(30, in: library.context)
        let early = library.context.insert("Book")
        try library.context.obtainPermanentIDs(for: [early])
        let key = early.objectID
        let other = library.makeContext()
        try saveBooks(3, in: other)
        try library.context.save()
        #expect(early.objectID == key)
        #expect(try integer(library, "SELECT COUNT(DISTINCT Z_PK) FROM ZBOOK") == 34)
    }
}
