import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Text and data of every length, in fetches small and large: where a value lies depends on its length and on the room left.
@Suite("Memory of fetched rows")
struct RowMemoryTests {
    let library: SQLiteLibrary
    private static let lengths = Array(0...40) + [100, 1_023, 1_024, 5_000, 65_534, 65_535, 65_536, 200_000]

    private static let prepared = Result {
        try PreparedStore(LibraryModel.make()) { context in
            for number in 0..<2_000 {
                context.insert("Book", ["pages": number, "title": title(number), "cover": cover(number)])
            }
        }
    }

    init() throws { library = try SQLiteLibrary(prepared: Self.prepared.get()) }

    private static func length(_ number: Int) -> Int {
        // Long values are few, and come after short ones.
        number % 40 == 7 ? lengths[number / 40 % lengths.count] : number % 41
    }

    private static func title(_ number: Int) -> String {
        String(String(repeating: "\(number) è ", count: length(number) / 3 + 1).prefix(length(number)))
    }

    private static func cover(_ number: Int) -> Data {
        Data((0..<length(number + 3)).lazy.map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) })
    }

    private func books(limit: Int = 0, from first: Int = 0) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "pages >= %ld", first)
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        request.fetchLimit = limit
        return try library.context.fetch(request)
    }

    private static func expectValues(_ books: [NSManagedObject]) {
        let wrong = books.compactMap { book -> String? in
            guard let number = book.value(forKey: "pages") as? Int else { return "a book without a number" }
            let isRight =
                book.value(forKey: "title") as? String == Self.title(number)
                && book.value(forKey: "cover") as? Data == Self.cover(number)
            return isRight ? nil : "book \(number)"
        }
        #expect(wrong.isEmpty, "\(wrong.count) of \(books.count), \(wrong.prefix(5))")
    }

    @Test func valuesAreReadAsTheyWereWritten() throws {
        let books = try books()
        #expect(books.count == 2_000)
        Self.expectValues(books)
    }

    @Test(arguments: [1, 2, 31, 32, 33, 129, 500]) func soAreThoseOfPages(size: Int) throws {
        for first in stride(from: 0, to: 2_000, by: max(size, 77)) {
            Self.expectValues(try books(limit: size, from: first))
        }
    }

    @Test func objectsOutliveTheRestOfTheirFetch() throws {
        var kept: [NSManagedObject] = []
        for _ in 0..<5 {
            kept += try books().enumerated().filter { $0.offset % 97 == kept.count % 97 }.map(\.element)
            library.context.processPendingChanges()
        }
        _ = try books(limit: 700)
        Self.expectValues(kept)
    }

    @Test func changedObjectsKeepTheirOtherValues() throws {
        var changed: [NSManagedObject] = []
        for (index, book) in try books().enumerated() where index % 10 == 3 {
            book.setValue(index % 20 == 3, forKey: "inPrint")
            changed.append(book)
        }
        Self.expectValues(changed)
        try library.context.save()
        // What they were fetched with is gone by now, and its memory used for something else.
        _ = try library.makeContext().fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
        Self.expectValues(changed)
        for book in changed { book.setValue(7.5 as NSDecimalNumber, forKey: "price") }
        Self.expectValues(changed)
        library.context.rollback()
        Self.expectValues(changed)
        for book in changed { book.setValue(8.5 as NSDecimalNumber, forKey: "price") }
        try library.context.save()
        library.context.reset()
        Self.expectValues(try books())
    }

    @Test func textMayBeSetOverAndOver() throws {
        let found = try books(limit: 50)
        for round in 0..<200 {
            for book in found {
                book.setValue(String(repeating: "\(round)", count: round % 30 == 0 ? 3_000 : 12), forKey: "title")
            }
            if round % 50 == 0 { library.context.processPendingChanges() }
        }
        for (number, book) in found.enumerated() {
            #expect(book.value(forKey: "title") as? String == String(repeating: "199", count: 12))
            #expect(book.value(forKey: "cover") as? Data == Self.cover(number))
        }
        try library.context.save()
        library.context.rollback()
        library.context.reset()
        #expect(try books(limit: 50).allSatisfy { ($0.value(forKey: "title") as? String)?.hasPrefix("199199") == true })
    }

    @Test func rowsAreFreedOnOtherThreads() async throws {
        let coordinator = library.coordinator
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<5 {
                        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                        context.persistentStoreCoordinator = coordinator
                        context.performAndWait {
                            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                            request.fetchLimit = 900
                            let books = (try? context.fetch(request)) ?? []
                            #expect(books.count == 900)
                            Self.expectValues(
                                books.filter { $0.objectID.uriRepresentation().absoluteString.hasSuffix("7") })
                        }
                    }
                }
            }
        }
    }
}
