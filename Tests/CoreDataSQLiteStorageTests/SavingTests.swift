import CoreData
import Foundation
import Testing

import class CoreDataSQLiteStorage.SQLiteConnection
import CoreDataTestSupport

/// What saves write, read back through a second stack or with plain SQL on the file.
@Suite
struct SavingTests {
    private func sql(_ library: SQLiteLibrary, _ text: String) throws -> [String] {
        let connection = try SQLiteConnection(path: library.url.path, access: .readOnly, busyTimeout: 5)
        let statement = try connection.prepare(text)
        var rows: [String] = []
        while try statement.step() {
            rows.append((0..<statement.columnCount).map { statement.text($0) ?? "NULL" }.joined(separator: "|"))
        }
        return rows
    }

    @Test func everyTypeOfAttributeSurvives() throws {
        let library = try SQLiteLibrary()
        let id = UUID()
        let values: [String: Any] = [
            "title": "Zürich \u{0} ends", "pages": Int32.max, "isbn": id, "cover": Data([0, 1, 2, 255]),
            "price": NSDecimalNumber(string: "12.34"), "inPrint": false,
            "site": URL(string: "https://example.org/?a=b")!,
            "published": Date(timeIntervalSinceReferenceDate: 123.5),
        ]
        library.context.insert("Book", values)
        library.context.insert("Book", ["title": "", "cover": Data()])
        library.context.insert("Author", ["name": "A", "rating": -0.5])
        try library.context.save()
        let other = try library.makeSecondContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "objectID", ascending: true)]
        let books = try other.fetch(request)
        try #require(books.count == 2)
        #expect(books[0].value(forKey: "title") as? String == values["title"] as? String)
        #expect(books[0].value(forKey: "pages") as? Int32 == Int32.max)
        #expect(books[0].value(forKey: "isbn") as? UUID == id)
        #expect(books[0].value(forKey: "cover") as? Data == Data([0, 1, 2, 255]))
        #expect((books[0].value(forKey: "price") as? NSDecimalNumber)?.decimalValue == Decimal(string: "12.34"))
        #expect(books[0].value(forKey: "inPrint") as? Bool == false)
        #expect(books[0].value(forKey: "site") as? URL == URL(string: "https://example.org/?a=b"))
        #expect(books[0].value(forKey: "published") as? Date == Date(timeIntervalSinceReferenceDate: 123.5))
        #expect(books[1].value(forKey: "title") as? String == "")
        #expect(books[1].value(forKey: "cover") as? Data == Data())
        #expect(books[1].value(forKey: "pages") as? Int == 100)
        #expect(books[1].value(forKey: "isbn") == nil)
        #expect(
            try sql(library, "SELECT typeof(ZPUBLISHED), typeof(ZISBN), length(ZISBN), typeof(ZPRICE) FROM ZBOOK") == [
                "real|blob|16|real", "null|null|NULL|null",
            ])
    }

    @Test func keysAndVersions() throws {
        let library = try SQLiteLibrary()
        let context = library.context
        let books = (0..<3).map { context.insert("Book", ["pages": $0]) }
        try context.save()
        #expect(try sql(library, "SELECT Z_PK, Z_ENT, Z_OPT FROM ZBOOK") == ["1|3|1", "2|3|1", "3|3|1"])
        books[1].setValue("new", forKey: "title")
        context.delete(books[2])
        try context.save()
        #expect(try sql(library, "SELECT Z_PK, Z_OPT FROM ZBOOK") == ["1|1", "2|2"])
        context.insert("Book")
        try context.save()
        // Keys are never used again.
        #expect(try sql(library, "SELECT MAX(Z_PK) FROM ZBOOK") == ["4"])
        #expect(try sql(library, "SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_MAX > 0") == ["Book|4"])
    }

    @Test func twoProcessesTakeTurns() throws {
        let library = try SQLiteLibrary()
        let other = try library.makeSecondContext()
        for round in 0..<5 {
            library.context.insert("Book", ["pages": round])
            try library.context.save()
            other.insert("Book", ["pages": 100 + round])
            try other.save()
        }
        #expect(try sql(library, "SELECT COUNT(*), COUNT(DISTINCT Z_PK), MAX(Z_PK) FROM ZBOOK") == ["10|10|10"])
        #expect(try library.fetch("Book", "pages >= 100").count == 5)
    }

    @Test func conflictsAreNoticed() throws {
        let library = try SQLiteLibrary()
        let book = library.context.insert("Book", ["title": "one"])
        try library.context.save()
        let other = try library.makeSecondContext()
        let same = try #require(try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first)
        same.setValue("two", forKey: "title")
        try other.save()
        book.setValue("three", forKey: "title")
        do {
            try library.context.save()
            Issue.record("The conflict went unnoticed.")
        } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == NSManagedObjectMergeError)
        }
        #expect(try sql(library, "SELECT ZTITLE, Z_OPT FROM ZBOOK") == ["two|2"])
        library.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try library.context.save()
        #expect(try sql(library, "SELECT ZTITLE, Z_OPT FROM ZBOOK") == ["three|3"])
    }

    @Test func orderIsKept() throws {
        let library = try SQLiteLibrary()
        let context = library.context
        let shelf = context.insert("Shelf", ["label": "s"])
        let books = (0..<4).map { context.insert("Book", ["pages": $0]) }
        shelf.setValue(NSOrderedSet(array: [books[2], books[0], books[1]]), forKey: "books")
        try context.save()
        let query = "SELECT ZPAGES, Z_FOK_SHELF FROM ZBOOK WHERE ZSHELF NOT NULL ORDER BY Z_FOK_SHELF"
        #expect(try sql(library, query) == ["2|2048", "0|3072", "1|4096"])
        // Between two neighbours the middle, before the first 1024, as Apple's files show.
        shelf.setValue(NSOrderedSet(array: [books[2], books[3], books[0], books[1]]), forKey: "books")
        try context.save()
        #expect(try sql(library, query) == ["2|2048", "3|2560", "0|3072", "1|4096"])
        shelf.setValue(NSOrderedSet(array: [books[1], books[2], books[3]]), forKey: "books")
        try context.save()
        #expect(try sql(library, query) == ["1|1024", "2|2048", "3|2560"])
        let other = try library.makeSecondContext()
        let again = try #require(try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf")).first)
        let pages = (again.value(forKey: "books") as? NSOrderedSet)?.array.map {
            ($0 as? NSManagedObject)?.value(forKey: "pages") as? Int
        }
        #expect(pages == [1, 2, 3])
    }

    @Test func manyToMany() throws {
        let library = try SQLiteLibrary()
        let context = library.context
        let (a, b) = (context.insert("Book"), context.insert("Book"))
        let (x, y) = (context.insert("Tag", ["word": "x"]), context.insert("Tag", ["word": "y"]))
        a.setValue(NSSet(array: [x, y]), forKey: "tags")
        x.mutableSetValue(forKey: "books").add(b)
        try context.save()
        #expect(try sql(library, "SELECT * FROM Z_3TAGS ORDER BY 1, 2").count == 3)
        x.mutableSetValue(forKey: "books").remove(a)
        try context.save()
        #expect(try sql(library, "SELECT COUNT(*) FROM Z_3TAGS") == ["2"])
        context.delete(a)
        try context.save()
        #expect(try sql(library, "SELECT COUNT(*) FROM Z_3TAGS") == ["1"])
        #expect(try library.fetch("Tag", "ANY books == nil OR books.@count == 0").count == 1)
    }

    @Test func uniqueValuesMayMoveBetweenRows() throws {
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.uniquenessConstraints = [["word"]]
        let library = try SQLiteLibrary(model)
        let context = library.context
        let (x, y) = (context.insert("Tag", ["word": "x"]), context.insert("Tag", ["word": "y"]))
        try context.save()
        x.setValue("y", forKey: "word")
        y.setValue("x", forKey: "word")
        try context.save()
        #expect(try sql(library, "SELECT ZWORD FROM ZTAG ORDER BY Z_PK") == ["y", "x"])
        context.insert("Tag", ["word": "x"])
        #expect(throws: (any Error).self) { try context.save() }
        #expect(try sql(library, "SELECT COUNT(*) FROM ZTAG") == ["2"])
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.save()
        #expect(try sql(library, "SELECT COUNT(*) FROM ZTAG") == ["2"])
    }

    @Test func metadataIsKept() throws {
        let library = try SQLiteLibrary()
        var metadata = library.coordinator.metadata(for: library.store)
        metadata["mine"] = "kept"
        library.coordinator.setMetadata(metadata, for: library.store)
        library.context.insert("Book")
        try library.context.save()
        let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: library.url)
        #expect(read["mine"] as? String == "kept")
        #expect(read[NSStoreUUIDKey] as? String == library.store.identifier)
        #expect(read["_NSAutoVacuumLevel"] as? String == "2")
    }

    @Test func readOnlyStoresRefuseToSave() throws {
        let library = try SQLiteLibrary()
        library.context.insert("Book")
        try library.context.save()
        let context = try library.makeSecondContext(options: [NSReadOnlyPersistentStoreOption: true])
        #expect(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).count == 1)
        context.insert("Book")
        #expect(throws: (any Error).self) { try context.save() }
    }

    @Test func aBusyFileGivesAClearError() throws {
        let library = try SQLiteLibrary()
        let context = try library.makeSecondContext(options: [NSPersistentStoreTimeoutOption: 0.05])
        let holder = try SQLiteConnection(path: library.url.path, access: .readWrite, busyTimeout: 1)
        try holder.execute("BEGIN IMMEDIATE")
        context.insert("Book")
        do {
            try context.save()
            Issue.record("The save went through.")
        } catch let error as NSError {
            #expect(error.code == NSPersistentStoreTimeoutError)
            #expect(error.userInfo[NSSQLiteErrorDomain] as? Int == 5)
        }
        try holder.execute("ROLLBACK")
        try context.save()
        #expect(try sql(library, "SELECT COUNT(*) FROM ZBOOK") == ["1"])
    }
}
