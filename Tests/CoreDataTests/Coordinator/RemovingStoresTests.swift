import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// What becomes of objects when their store is removed. Posting the IDs under `NSInvalidatedAllObjectsKey` is Apple's.
@Suite("Removing stores")
struct RemovingStoresTests {
    private let invalidated = NSManagedObjectContext.NotificationKey.invalidatedAllObjects.rawValue

    @Test("Objects become faults that read as deleted", arguments: StoreKind.allCases)
    func faults(kind: StoreKind) throws {
        let library = try Library(store: kind)
        let context = library.context
        let log = ChangeLog(context)
        let store = library.coordinator.persistentStores[0]
        let (saved, new): (NSManagedObject, NSManagedObject) = try context.performAndWait {
            let saved = context.insert("Book", ["title": "Emma"])
            try context.save()
            saved.setValue("Persuasion", forKey: "title")
            return (saved, context.insert("Book"))
        }
        log.clear()
        try library.coordinator.remove(store)
        try context.performAndWait {
            #expect(saved.isFault && !saved.hasChanges && new.managedObjectContext == nil)
            #expect(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty && !context.hasChanges)
            let told = log.userInfos.compactMap { $0[invalidated] as? [NSManagedObjectID] }
            #expect(told.count == 1 && told[0].count == 2 && told[0].contains(saved.objectID))
            #expect(saved.value(forKey: "title") == nil && saved.isDeleted)
            #expect { try context.existingObject(with: saved.objectID) } throws: {
                ($0 as NSError).code == NSManagedObjectReferentialIntegrityError
            }
            // Nothing is left to save, so a save needs no store.
            try context.save()
        }
    }

    @Test("Touching such a fault ends the program where inaccessible faults are not to be deleted")
    func trap() async {
        await #expect(processExitsWith: .failure) {
            let library = try Library(store: .sqlite)
            let context = library.context
            try context.performAndWait {
                context.shouldDeleteInaccessibleFaults = false
                let book = context.insert("Book")
                try context.save()
                try library.coordinator.remove(library.coordinator.persistentStores[0])
                _ = book.value(forKey: "title")
            }
        }
    }

    @Test("Objects of other stores stay, changes included, and fetches go on")
    func otherStores() throws {
        let library = try Library(store: .memory)
        let context = library.context
        let first = library.coordinator.persistentStores[0]
        let second = try library.coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        try context.performAndWait {
            let gone = context.insert("Book", ["title": "gone"]), stays = context.insert("Book", ["title": "stays"])
            context.assign(stays, to: second)
            try context.save()
            stays.setValue(7, forKey: "pages")
            let bound = context.insert("Book", ["title": "bound"]), free = context.insert("Book", ["title": "free"])
            context.assign(bound, to: first)
            let author = context.insert("Author", ["name": "Jane"])
            author.setValue(Set([gone, free]), forKey: "books")
            try library.coordinator.remove(first)
            #expect(gone.isFault && !stays.isFault && stays.value(forKey: "pages") as? Int == 7)
            #expect(bound.managedObjectContext == nil && free.isInserted)
            #expect(author.value(forKey: "books") as? Set<NSManagedObject> == [free])
            let titles = try context.fetchAll("Book").compactMap { $0.value(forKey: "title") as? String }
            #expect(Set(titles) == ["stays", "free"])
            try context.save()
            context.reset()
            #expect(try context.fetchAll("Book").count == 2)
        }
    }

    @Test("Child contexts are told as well")
    func children() throws {
        let library = try Library(store: .sqlite)
        let child = library.makeChild()
        let book: NSManagedObject = try child.performAndWait {
            let book = child.insert("Book", ["title": "Emma"])
            try child.save()
            try library.context.performAndWait { try library.context.save() }
            book.setValue("Persuasion", forKey: "title")
            return book
        }
        try library.coordinator.remove(library.coordinator.persistentStores[0])
        child.performAndWait { #expect(book.isFault && !child.hasChanges && book.value(forKey: "title") == nil) }
    }

    /// The remover must not wait for a context that is busy, nor for one that waits for the remover.
    /// Not Apple's to promise: such a program breaks the rule of queues, and goes well because nothing else touches the context.
    @Test("A context that is used on the program's own thread is not touched on its queue")
    func contextsUsedOffTheirQueues() throws {
        let library = try Library(store: .memory)
        let context = library.context
        let book = context.insert("Book", ["title": "Emma"])
        try context.save()
        let log = ChangeLog(context)
        try library.coordinator.remove(library.coordinator.persistentStores[0])
        usleep(50_000)
        #expect(log.userInfos.isEmpty && !book.isFault)
        _ = try library.coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        #expect(try context.fetchAll("Book").isEmpty)
        #expect(log.userInfos.compactMap { $0[invalidated] as? [NSManagedObjectID] } == [[book.objectID]])
        #expect(book.isFault && book.value(forKey: "title") == nil)
    }

    @Test("Taking an undo manager away off the queue takes effect at once")
    func undoManagersOffTheirQueues() throws {
        let library = try Library(store: .memory)
        let (context, manager) = (library.context, UndoManager())
        context.undoManager = manager
        context.insert("Book")
        context.processPendingChanges()
        #expect(manager.canUndo)
        context.undoManager = nil
        #expect(!manager.canUndo)
    }

    @Test("Removal waits for no context", .timeLimit(.minutes(5)))
    func noWaiting() throws {
        let library = try Library(store: .sqlite)
        let context = library.context
        let (started, removed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let book: NSManagedObject = try context.performAndWait {
            let book = context.insert("Book", ["title": "Emma"])
            try context.save()
            return book
        }
        context.perform {
            started.signal()
            removed.wait()
        }
        started.wait()
        try library.coordinator.remove(library.coordinator.persistentStores[0])
        removed.signal()
        context.performAndWait { #expect(book.isFault && book.value(forKey: "title") == nil) }
    }
}

/// Collects what a context says of its changes.
private final class ChangeLog: @unchecked Sendable {
    private let lock = NSLock()
    private var collected: [[AnyHashable: Any]] = []
    private var token: (any NSObjectProtocol)?

    init(_ context: NSManagedObjectContext) {
        token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { [unowned self] notification in
            lock.withLock { collected.append(notification.userInfo ?? [:]) }
        }
    }

    deinit { token.map(NotificationCenter.default.removeObserver) }

    var userInfos: [[AnyHashable: Any]] { lock.withLock { collected } }
    func clear() { lock.withLock { collected = [] } }
}
