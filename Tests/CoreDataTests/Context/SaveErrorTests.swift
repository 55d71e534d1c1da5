import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// What Apple's framework raises exceptions for in a save, where errors are thrown.
@Suite("Saves that cannot begin or end")
struct SaveErrorTests {
    private func error(of body: () throws -> Void) -> NSError? {
        do {
            try body()
            return nil
        } catch {
            return error as NSError
        }
    }

    /// Public logs of Apple's framework quote this code and wording.
    private func expectRecursiveSave(_ error: NSError?, _ place: SourceLocation = #_sourceLocation) {
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == 132_001, sourceLocation: place)
        let message = error?.userInfo["message"] as? String
        #expect(message == "attempt to recursively call -save: on the context aborted", sourceLocation: place)
    }

    @Test func aSaveByAnObserverOfTheSaveIsAnError() throws {
        let library = try Library(store: .sqlite)
        let context = library.context
        nonisolated(unsafe) var inner: [NSError?] = []
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextWillSave, object: context, queue: nil
        ) { _ in
            context.insert("Book", ["title": "added by the observer"])
            inner.append(error { try context.save() })
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try context.performAndWait {
            context.insert("Book", ["title": "Emma"])
            try context.save()
            #expect(inner.count == 1)
            expectRecursiveSave(inner[0])
            #expect(!context.hasChanges)
            #expect(try library.makeContext().fetchAll("Book").count == 2)
            // The context is as good as before.
            context.insert("Book")
            try context.save()
        }
    }

    @Test func aSaveInWillSaveOrValidationIsAnError() throws {
        let zoo = try Zoo()
        nonisolated(unsafe) var inner: [NSError?] = []
        zoo.journal.onWillSave = { creature in
            inner.append(error { try creature.managedObjectContext?.save() })
        }
        zoo.context.insert("Creature", ["name": "cat"])
        try zoo.context.save()
        #expect(inner.count == 1)
        expectRecursiveSave(inner[0])
        #expect(!zoo.context.hasChanges)
    }

    /// A child's save reaches the parent, which may be saved from a hook of the child's only when the child is done.
    @Test func aSaveOfAnotherContextIsNotMeant() throws {
        let library = try Library(store: .sqlite)
        let context = library.context, other = library.makeContext()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextWillSave, object: context, queue: nil
        ) { _ in
            other.performAndWait {
                other.insert("Book")
                #expect(error { try other.save() } == nil)
            }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        context.insert("Book")
        try context.save()
        #expect(try library.makeContext().fetchAll("Book").count == 2)
    }

    @Test func endlessChangesInWillSaveAreAnError() throws {
        let zoo = try Zoo()
        let cat = zoo.context.insert("Creature", ["name": "cat"])
        var turn: Int32 = 0
        zoo.journal.onWillSave = {
            turn += 1
            $0.setValue(turn, forKey: "age")
        }
        let thrown = try #require(error { try zoo.context.save() })
        #expect(thrown.domain == NSCocoaErrorDomain && thrown.code == NSCoreDataError)
        #expect(thrown.localizedFailureReason?.contains("The context is still dirty after 1000 attempts") == true)
        #expect(thrown.userInfo["entity"] as? String == "Creature")
        #expect((thrown.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject])?.contains(cat) == true)
        // Nothing is written, and nothing is lost.
        #expect(zoo.context.hasChanges && cat.isInserted)
        zoo.journal.onWillSave = nil
        try zoo.context.save()
        #expect(!zoo.context.hasChanges)
    }

    @Test func aSaveWithoutStoresIsAnError() throws {
        let library = try Library(store: .sqlite)
        let context = library.context
        try library.coordinator.remove(library.coordinator.persistentStores[0])
        context.insert("Book")
        let thrown = try #require(error { try context.save() })
        #expect(thrown.domain == NSCocoaErrorDomain && thrown.code == NSPersistentStoreOperationError)
        #expect(thrown.localizedFailureReason?.contains("has no persistent stores") == true)
        #expect(context.hasChanges)
        _ = try library.coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        try context.save()
        #expect(try library.makeContext().fetchAll("Book").count == 1)
    }
}
