import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Predicates of hundreds of terms, as programs build them in loops.
@Suite struct ManyTermsTests {
    private static func term(_ number: Int) -> NSPredicate {
        NSPredicate(format: "ANY tags.word == %@ OR pages == %d", "word \(number)", number)
    }

    private static func makeLibrary(books: Int) throws -> SQLiteLibrary {
        let library = try SQLiteLibrary()
        let tags = (0..<10).map { library.context.insert("Tag", ["word": "word \($0 * 7)"]) }
        for number in 0..<books {
            let book = library.context.insert("Book", ["pages": number])
            if number % 50 == 0 { book.mutableSetValue(forKey: "tags").add(tags[number / 50 % 10]) }
        }
        try library.context.save()
        library.context.reset()
        return library
    }

    /// The time of an OR of conditions on a to-many relationship and on attributes grows with the number of its terms.
    @Test func takesTimeProportionalToTheirNumber() throws {
        let library = try Self.makeLibrary(books: 2000)
        var times: [Double] = []
        for count in [100, 400] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSCompoundPredicate(orPredicateWithSubpredicates: (0..<count).map(Self.term))
            let best = try (0..<3).map { _ in
                let start = Date()
                _ = try library.context.count(for: request)
                return Date().timeIntervalSince(start)
            }
            times.append(try #require(best.min()))
        }
        // Sixty-four times as long before the terms shared a sub-select.
        #expect(times[1] < 12 * times[0], "\(times)")
    }

    @Test func findsWhatTheTermsFindOneByOne() throws {
        let library = try Self.makeLibrary(books: 500)
        let terms = (0..<130).map(Self.term)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSCompoundPredicate(orPredicateWithSubpredicates: terms)
        let found = Set(try library.context.fetch(request))
        let wanted = try terms.reduce(into: Set<NSManagedObject>()) { found, term in
            request.predicate = term
            found.formUnion(try library.context.fetch(request))
        }
        #expect(found == wanted)
        #expect(found.count > 130)
    }

    /// 100,000 compounds in each other, as a loop that wraps its result makes them, on a stack of the size that secondary
    /// threads have on Apple's platforms.
    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType]) func nestingWithoutEndIsAnError(_ type: String) throws {
        let library = try SQLiteLibrary()
        if type == NSInMemoryStoreType {
            try library.coordinator.remove(library.store)
            _ = try library.coordinator.addPersistentStore(ofType: type, configurationName: nil, at: nil)
        }
        library.context.insert("Book", ["pages": 3])
        try library.context.save()
        let context = library.context
        nonisolated(unsafe) var failure: NSError?
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let deep = (0..<100_000).reduce(NSPredicate(format: "pages == 1")) { result, index in
                NSCompoundPredicate(
                    type: index.isMultiple(of: 2) ? .or : .and,
                    subpredicates: [result, NSPredicate(format: "pages == %d", index % 5)])
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = deep
            do { _ = try context.fetch(request) } catch { failure = error as NSError }
            done.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
        done.wait()
        let error = try #require(failure)
        #expect(error.domain == NSCocoaErrorDomain && error.localizedDescription.contains("100 levels"))
    }

    /// Within the limits of SQLite's parser, less than 100 levels, such predicates mean what they say; beyond, they are an error.
    @Test func severalLevelsAreFetched() throws {
        let library = try SQLiteLibrary()
        for pages in 0..<10 { library.context.insert("Book", ["pages": pages]) }
        try library.context.save()
        for levels in [10, 25, 60, 99] {
            let predicate = (0..<levels).reduce(NSPredicate(format: "pages == 1")) { result, index in
                NSCompoundPredicate(
                    type: index.isMultiple(of: 2) ? .or : .and,
                    subpredicates: [result, NSPredicate(format: "pages > %d", index % 5)])
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            let books = try library.context.fetch(request)
            request.predicate = predicate
            if levels > 60 {
                #expect(throws: NSError.self) { try library.context.count(for: request) }
            } else {
                #expect(try library.context.count(for: request) == books.count { predicate.evaluate(with: $0) })
            }
        }
    }
}
