import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A change of one object among very many must not cost what a fetch costs.
@Suite("Many fetched results", .serialized)
struct ManyResultsTests {
    private final class Counter: NSObject, NSFetchedResultsControllerDelegate {
        var changes: [NSFetchedResultsChangeType] = []

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
            at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
        ) {
            changes.append(type)
        }
    }

    @Test("Edits among 20,000 objects in sections cost a fraction of a fetch")
    func singleEdits() throws {
        let library = try SQLiteLibrary()
        let context = library.context
        let count = Int(ProcessInfo.processInfo.environment["RESULTS_COUNT"] ?? "") ?? 20_000
        try context.performAndWait {
            for number in 0..<count {
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue("title \(number)", forKey: "title")
                book.setValue(number % 50, forKey: "pages")
            }
            try context.save()
            context.reset()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = ["pages", "title"].map { NSSortDescriptor(key: $0, ascending: true) }
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "pages", cacheName: nil)
            let counter = Counter()
            controller.delegate = counter
            let clock = ContinuousClock()
            let fetching = try clock.measure { try controller.performFetch() }
            let objects = try #require(controller.fetchedObjects)
            // The first change notes where everything is.
            objects[0].setValue("first", forKey: "title")
            context.processPendingChanges()
            let rounds = 50
            let editing = clock.measure {
                for round in 0..<rounds {
                    let object = objects[(round * 7919) % count]
                    object.setValue((round * 13) % 50, forKey: "pages")
                    object.setValue("moved \(round)", forKey: "title")
                    context.processPendingChanges()
                }
            }
            #expect(counter.changes.count == rounds + 1)
            #expect((controller.fetchedObjects == (try context.fetch(request))) as Bool)
            let one = editing / rounds
            print("Fetched results: \(count) objects fetched in \(fetching), one edit in \(one)")
            #expect(one < fetching / 10)
        }
    }
}
