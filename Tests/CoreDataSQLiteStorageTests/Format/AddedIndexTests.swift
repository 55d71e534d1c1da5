import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// A fetch index that a model gets without any other change: the version hashes stay, so nothing migrates the store. Whether
/// Apple's framework then makes the index is not known; here it does.
@Suite("Fetch indexes added to a model")
struct AddedIndexTests {
    private static func model(_ indexes: String...) -> NSManagedObjectModel {
        let book = LibraryModel.entity("Book")
        book.properties = [
            LibraryModel.attribute("title", .stringAttributeType),
            LibraryModel.attribute("pages", .integer32AttributeType),
        ]
        book.indexes = indexes.map { name in
            NSFetchIndexDescription(
                name: "by\(name)",
                elements: [
                    NSFetchIndexElementDescription(property: book.propertiesByName[name]!, collationType: .binary)
                ])
        }
        let model = NSManagedObjectModel()
        model.entities = [book]
        return model
    }

    private static func sql(_ url: URL, _ text: String) throws -> [String] {
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 5)
        let statement = try connection.prepare(text)
        var rows: [String] = []
        while try statement.step() { rows.append(statement.text(statement.columnCount - 1) ?? "NULL") }
        return rows
    }

    private static func indexes(of url: URL) throws -> [String] {
        try sql(url, "SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE '%by%' ORDER BY 1")
    }

    private func open(_ url: URL, _ model: NSManagedObjectModel, readOnly: Bool = false) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: readOnly ? [NSReadOnlyPersistentStoreOption: true] : nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "title == %@ AND pages == 7", "7")
            let count = try context.count(for: request)
            #expect(count == 1)
        }
        try coordinator.remove(store)
    }

    @Test func areMadeWhenAStoreIsOpenedForWriting() throws {
        let library = try SQLiteLibrary(Self.model())
        try library.context.performAndWait {
            for number in 0..<10 { library.context.insert("Book", ["title": "\(number)", "pages": number]) }
            try library.context.save()
        }
        let both = Self.model("title", "pages")
        #expect(both.entityVersionHashesByName == library.model.entityVersionHashesByName)
        try open(library.url, both, readOnly: true)
        #expect(try Self.indexes(of: library.url) == [])
        try open(library.url, both)
        #expect(try Self.indexes(of: library.url) == ["Z_Book_bypages", "Z_Book_bytitle"])
        #expect(
            try Self.sql(library.url, "EXPLAIN QUERY PLAN SELECT Z_PK FROM ZBOOK WHERE ZTITLE = 'x'").joined()
                .contains("Z_Book_bytitle"))
        // The model that the file keeps of itself has them, too.
        let kept = try NSManagedObjectModel(cachedInStoreAt: library.url)
        #expect(kept.entitiesByName["Book"]?.indexes.map(\.name).sorted() == ["bypages", "bytitle"])
        // One that is no longer declared stays, which does no harm.
        try open(library.url, Self.model("title"))
        #expect(try Self.indexes(of: library.url) == ["Z_Book_bypages", "Z_Book_bytitle"])
        #expect(try Self.sql(library.url, "PRAGMA integrity_check") == ["ok"])
        // A context that was open meanwhile goes on.
        try library.context.performAndWait {
            library.context.insert("Book", ["title": "later", "pages": 1])
            try library.context.save()
        }
    }

    /// A file that has them all is not written to.
    @Test func nothingIsWrittenWhereTheyAreThere() throws {
        let library = try SQLiteLibrary(Self.model("title"))
        try library.context.performAndWait {
            library.context.insert("Book", ["title": "7", "pages": 7])
            try library.context.save()
        }
        try library.coordinator.remove(library.store)
        let before = try Data(contentsOf: library.url)
        try open(library.url, Self.model("title"))
        #expect(try Data(contentsOf: library.url) == before)
    }

    /// Frameworks before iOS 11 named the index of an attribute after table and column.
    @Test func anIndexByAnotherNameServes() throws {
        let library = try SQLiteLibrary(Self.model())
        try library.context.performAndWait {
            library.context.insert("Book", ["title": "7", "pages": 7])
            try library.context.save()
        }
        _ = try Self.sql(library.url, "CREATE INDEX ZBOOK_ZTITLE_INDEX ON ZBOOK (ZTITLE)")
        _ = try Self.sql(library.url, "CREATE INDEX ZBOOK_ZPAGES_INDEX ON ZBOOK (ZPAGES) WHERE ZPAGES > 10")
        try open(library.url, Self.model("title", "pages"))
        #expect(try Self.indexes(of: library.url) == ["Z_Book_bypages"])
    }
}
