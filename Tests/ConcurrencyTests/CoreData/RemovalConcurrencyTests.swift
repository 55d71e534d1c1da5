import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// Stores leave their coordinator while contexts on other threads fetch, save and merge. What throws may throw, and what a
/// removed store held reads as deleted; nothing else comes of it, and what was saved before is in the file.
@Suite("Concurrency of removing stores")
struct RemovalConcurrencyTests {
    private static let types = [NSSQLiteStoreType, NSBinaryStoreType, NSInMemoryStoreType]
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What a thread does over and over while the store goes; its errors are of the domain of Cocoa and say something.
    private enum Work: String, CaseIterable {
        case fetching, counting, saving, faulting, merging, relating, refreshing, inChild

        /// - Returns: the errors that are not as they should be.
        func run(_ context: NSManagedObjectContext, _ ids: [NSManagedObjectID], until isDone: () -> Bool) -> [String] {
            var odd: [String] = []
            var afterwards = 0
            while afterwards < 3 {
                if isDone() { afterwards += 1 }
                context.performAndWait {
                    do {
                        try step(context, ids)
                    } catch {
                        let error = error as NSError
                        if error.domain != NSCocoaErrorDomain || error.localizedDescription.isEmpty {
                            odd.append("\(self): \(error)")
                        }
                        context.rollback()
                    }
                }
            }
            return odd
        }

        private func step(_ context: NSManagedObjectContext, _ ids: [NSManagedObjectID]) throws {
            switch self {
            case .fetching:
                for book in try context.fetchAll("Book") { _ = book.value(forKey: "title") }
            case .counting:
                _ = try context.count(for: NSFetchRequest<any NSFetchRequestResult>(entityName: "Book"))
                _ = try context.existingObject(with: ids[0])
            case .saving:
                context.insert("Book", ["title": "new"])
                try context.save()
            case .faulting:
                for id in ids { _ = try context.existingObject(with: id).value(forKeyPath: "author.name") }
            case .merging:
                NSManagedObjectContext.mergeChanges(
                    fromRemoteContextSave: [
                        NSInsertedObjectsKey: ids, NSUpdatedObjectsKey: ids.map { $0.uriRepresentation() },
                    ], into: [context])
            case .relating:
                for book in try context.fetchAll("Book") {
                    _ = (book.value(forKey: "tags") as? Set<NSManagedObject>)?.map { $0.value(forKey: "word") as Any }
                    book.setValue(context.insert("Author", ["name": "A"]), forKey: "author")
                }
                try context.save()
            case .refreshing:
                for book in try context.fetchAll("Book") { context.refresh(book, mergeChanges: true) }
                context.refreshAllObjects()
            case .inChild:
                let child = NSManagedObjectContext(.privateQueue)
                child.parent = context
                try child.performAndWait {
                    child.insert("Book", ["title": "of a child"])
                    _ = try child.fetchAll("Book").map { $0.value(forKey: "title") as Any }
                    try child.save()
                }
                try context.save()
            }
        }
    }

    @Test(
        "One of two stores, or the only one, at any moment", .slow, .timeLimit(.minutes(2)), arguments: types, [1, 2])
    func anyMoment(type: String, stores: Int) throws {
        for round in 0..<LongForm.choose(8, long: type == NSSQLiteStoreType ? 40 : 10) {
            let library = try Library(type: type, at: folder.file("\(round) a"))
            let first = library.coordinator.persistentStores[0]
            if stores == 2 {
                _ = try library.coordinator.addPersistentStore(
                    ofType: type, configurationName: nil, at: folder.file("\(round) b"), options: nil)
            }
            let context = library.context
            let ids = try context.performAndWait {
                let author = context.insert("Author", ["name": "Austen"])
                let books = (0..<20).map { context.insert("Book", ["title": "book \($0)", "author": author]) }
                context.insert("Tag", ["word": "novel", "books": Set(books)])
                for object in context.insertedObjects { context.assign(object, to: first) }
                try context.save()
                return books.map(\.objectID)
            }
            let (group, done, odd) = (DispatchGroup(), Flag(), Collected())
            let works = Work.allCases
            for number in 0..<3 {
                let work = works[(round * 3 + number) % works.count]
                let context = library.makeContext()
                context.automaticallyMergesChangesFromParent = number == 0
                DispatchQueue.global().async(group: group) {
                    odd.add(work.run(context, ids) { done.isSet })
                }
            }
            usleep(UInt32(round % 8) * 400)
            try library.coordinator.remove(first)
            done.set()
            group.wait()
            #expect(odd.all.isEmpty)
            guard type != NSInMemoryStoreType else { continue }
            let again = try Library(type: type, at: folder.file("\(round) a"))
            let count = try again.context.performAndWait { try again.context.fetchAll("Book").count }
            #expect(count >= 20)
        }
    }

    @Test("Merging the IDs of a removed store changes nothing", arguments: types)
    func mergingLater(type: String) throws {
        let library = try Library(type: type, at: folder.file("a"))
        let context = library.context
        let store = library.coordinator.persistentStores[0]
        let id = try context.performAndWait {
            let book = context.insert("Book", ["title": "Emma"])
            try context.save()
            return book.objectID
        }
        try library.coordinator.remove(store)
        let keys = [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSRefreshedObjectsKey, NSDeletedObjectsKey]
        for key in keys {
            NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [key: [id]], into: [context])
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [key: [id.uriRepresentation()]], into: [context, library.makeChild()])
        }
        context.performAndWait {
            #expect(context.registeredObjects.isEmpty && context.registeredObject(for: id) == nil)
            #expect { try context.existingObject(with: id) } throws: {
                ($0 as NSError).code == NSManagedObjectReferentialIntegrityError
            }
        }
    }
}

private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false
    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}

private final class Collected: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []
    var all: [String] { lock.withLock { lines } }
    func add(_ more: [String]) { lock.withLock { lines += more } }
}
