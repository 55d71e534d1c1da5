import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Sections kept on disk from one fetch to the next.
@Suite("Caches of fetched results", .serialized)
final class ResultsCacheTests {
    private let library: SQLiteLibrary
    private let name = "test \(UUID().uuidString)/cache"

    init() throws {
        library = try SQLiteLibrary()
        try library.context.performAndWait {
            for index in 0..<6 { library.context.insert("Book", ["title": "\(index)", "pages": index / 2]) }
            try library.context.save()
            library.context.reset()
        }
    }

    deinit { NSFetchedResultsController<NSManagedObject>.deleteCache(withName: name) }

    private func controller(
        _ context: NSManagedObjectContext, sections: String = "pages", predicate: NSPredicate? = nil
    ) -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = ["pages", "title"].map { NSSortDescriptor(key: $0, ascending: true) }
        request.predicate = predicate
        request.fetchBatchSize = 2
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections, cacheName: name)
    }

    /// File times advance in steps, and a cache is not trusted before the last one is over.
    private func letFilesSettle() { Thread.sleep(forTimeInterval: 0.15) }

    private func fetch(_ controller: NSFetchedResultsController<NSManagedObject>) throws -> [String] {
        try controller.managedObjectContext.performAndWait {
            try controller.performFetch()
            return (controller.sections ?? []).map { "\($0.name): \($0.numberOfObjects)" }
        }
    }

    private var hasFaults: Bool {
        library.context.performAndWait { library.context.registeredObjects.contains(where: \.isFault) }
    }

    @Test("A second fetch takes the sections from the cache and leaves the objects alone")
    func reuse() throws {
        letFilesSettle()
        #expect(try fetch(controller(library.context)) == ["0: 2", "1: 2", "2: 2"])
        #expect(!hasFaults)
        library.context.performAndWait { library.context.reset() }
        let again = controller(library.context)
        #expect(try fetch(again) == ["0: 2", "1: 2", "2: 2"])
        #expect(hasFaults)
        library.context.performAndWait {
            #expect(again.object(at: IndexPath(item: 1, section: 2)).value(forKey: "title") as? String == "5")
        }
    }

    @Test("A write makes the cache worthless, be it of this process or another")
    func invalidation() throws {
        letFilesSettle()
        _ = try fetch(controller(library.context))
        let other = try library.makeSecondContext()
        try other.performAndWait {
            for book in try other.fetchAll("Book") where book.value(forKey: "title") as? String == "5" {
                book.setValue(9, forKey: "pages")
            }
            try other.save()
        }
        library.context.performAndWait { library.context.reset() }
        #expect(try fetch(controller(library.context)) == ["0: 2", "1: 2", "2: 1", "9: 1"])
        letFilesSettle()
        #expect(try fetch(controller(library.context)) == ["0: 2", "1: 2", "2: 1", "9: 1"])
    }

    @Test("Unsaved changes are not cached")
    func unsavedChanges() throws {
        letFilesSettle()
        library.context.performAndWait { _ = library.context.insert("Book", ["title": "x", "pages": 7]) }
        #expect(try fetch(controller(library.context)) == ["0: 2", "1: 2", "2: 2", "7: 1"])
        library.context.performAndWait { library.context.rollback() }
        #expect(try fetch(controller(library.context)) == ["0: 2", "1: 2", "2: 2"])
    }

    @Test("A name belongs to one request until its cache is deleted")
    func mismatch() throws {
        letFilesSettle()
        _ = try fetch(controller(library.context))
        let other = { self.controller(self.library.context, predicate: NSPredicate(format: "pages > 0")) }
        let error = #expect(throws: CocoaError.self) { try fetch(other()) }
        #expect(error?.code == .coreData)
        NSFetchedResultsController<NSManagedObject>.deleteCache(withName: name)
        #expect(try fetch(other()) == ["1: 2", "2: 2"])
    }
}
