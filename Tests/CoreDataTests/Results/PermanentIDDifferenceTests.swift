import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Keeps a list of IDs by differences alone, as a diffable data source does.
private final class IDList: NSObject, NSFetchedResultsControllerDelegate {
    var ids: [NSManagedObjectID] = []
    var differences = 0

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
        differences += 1
        for case .remove(let offset, let id, _) in diff.removals { #expect(ids[offset] == id) }
        ids = ids.applying(diff) ?? []
    }
}

/// After a save, the delegate's IDs would find nothing if they were those from before: a further difference follows.
@Suite("Differences when temporary IDs become permanent")
struct PermanentIDDifferenceTests {
    private func watch(
        _ context: NSManagedObjectContext, _ list: IDList
    ) throws -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        controller.delegate = list
        try controller.performFetch()
        list.ids = controller.fetchedObjects?.map(\.objectID) ?? []
        return controller
    }

    private func expectSame(_ list: IDList, _ controller: NSFetchedResultsController<NSManagedObject>) {
        #expect(list.ids == controller.fetchedObjects?.map(\.objectID))
        #expect(!list.ids.contains { $0.isTemporaryID })
    }

    @Test func aSaveIsFollowedByADifference() throws {
        let library = try Library()
        let list = IDList()
        try library.context.performAndWait {
            library.context.insert("Book", ["title": "B"])
            let controller = try watch(library.context, list)
            for title in ["A", "C"] { library.context.insert("Book", ["title": title]) }
            library.context.processPendingChanges()
            #expect(list.ids.allSatisfy { $0.isTemporaryID })
            try library.context.save()
            expectSame(list, controller)
            #expect(list.differences == 2)
            library.context.insert("Book", ["title": "D"])
            try library.context.save()
            expectSame(list, controller)
            try library.context.save()
            #expect(list.differences == 4)
        }
    }

    @Test func objectsThatAreDeletedUnsavedAreForgotten() throws {
        let library = try Library()
        let list = IDList()
        try library.context.performAndWait {
            let controller = try watch(library.context, list)
            let gone = library.context.insert("Book", ["title": "A"])
            library.context.insert("Book", ["title": "B"])
            library.context.processPendingChanges()
            library.context.delete(gone)
            library.context.processPendingChanges()
            try library.context.save()
            expectSame(list, controller)
            #expect(list.ids.count == 1)
        }
    }

    @Test func obtainedIDsComeWithTheNextChangesAtTheLatest() throws {
        let library = try Library()
        let list = IDList()
        try library.context.performAndWait {
            let controller = try watch(library.context, list)
            let book = library.context.insert("Book", ["title": "A"])
            library.context.processPendingChanges()
            try library.context.obtainPermanentIDs(for: [book])
            library.context.processPendingChanges()
            expectSame(list, controller)
            #expect(list.differences == 2)
        }
    }

    /// The child learns its objects' IDs when its parent saves, on its queue.
    @Test func aChildHearsOfItsParentsSave() async throws {
        let library = try Library()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = library.context
        nonisolated(unsafe) let list = IDList()
        nonisolated(unsafe) let controller = try await child.perform {
            nonisolated(unsafe) let controller = try watch(child, list)
            child.insert("Book", ["title": "A"])
            try child.save()
            #expect(list.ids.allSatisfy { $0.isTemporaryID })
            return controller
        }
        try await library.context.perform { try library.context.save() }
        for _ in 0..<200 where await child.perform({ list.ids.contains { $0.isTemporaryID } }) {
            try await Task.sleep(for: .milliseconds(5))
        }
        await child.perform { expectSame(list, controller) }
    }

    @Test func aMoveBeforeTheSaveIsToldOfTheOldID() throws {
        let library = try Library()
        let list = IDList()
        try library.context.performAndWait {
            let controller = try watch(library.context, list)
            let book = library.context.insert("Book", ["title": "A"])
            library.context.insert("Book", ["title": "B"])
            library.context.processPendingChanges()
            book.setValue("C", forKey: "title")
            try library.context.save()
            expectSame(list, controller)
        }
    }
}
