import CoreData
import class CoreDataRowStorage.StoreChanges
import CoreDataTestSupport
import Foundation
import Testing

/// A save whose store is removed meanwhile must not succeed, since what it saved is nowhere.
@Suite("Stores that are removed within a save")
struct StoresRemovedInSavesTests {
    enum Change: CaseIterable { case insert, update, delete }

    private static let types = [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType]
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func library(_ type: String) throws -> Library {
        try type == NSInMemoryStoreType ? Library(store: .memory) : Library(type: type, at: folder.file("Store"))
    }

    /// Removes a store when a context announces its save.
    private func removing(_ store: NSPersistentStore, from library: Library, in context: NSManagedObjectContext)
        -> any NSObjectProtocol
    {
        let (coordinator, store) = (library.coordinator, Uncheckedly(store))
        return NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextWillSave, object: context, queue: nil
        ) { _ in #expect(throws: Never.self) { try coordinator.remove(store.value) } }
    }

    private func expectRefusal(_ error: NSError?, of entity: String) {
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSPersistentStoreOperationError)
        #expect(
            error?.localizedDescription
                == "The changes could not be saved, because their store was removed from its coordinator.")
        #expect(error?.localizedFailureReason?.contains("was removed before they were written") == true)
        #expect(error?.localizedRecoverySuggestion?.contains("Add the store again") == true)
        #expect(error?.userInfo["entity"] as? String == entity)
    }

    @Test(arguments: types, Change.allCases) func aSaveFails(_ type: String, _ change: Change) throws {
        for isOnly in [true, false] {
            let library = try library(type)
            let (context, store) = (library.context, library.coordinator.persistentStores[0])
            if !isOnly {
                try library.coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
            }
            try context.performAndWait {
                let author = context.insert("Author", ["name": "Ann"])
                context.assign(author, to: store)
                if change != .insert { try context.save() }
                if change == .update { author.setValue("Bob", forKey: "name") }
                if change == .delete { context.delete(author) }
                let token = removing(store, from: library, in: context)
                defer { NotificationCenter.default.removeObserver(token) }
                expectRefusal(#expect(throws: NSError.self) { try context.save() }, of: "Author")
            }
            // What was lost is not saved later either.
            try context.performAndWait {
                #expect(!context.hasChanges)
                try context.save()
            }
        }
    }

    @Test func newObjectsGoToTheStoreThatIsLeft() throws {
        let library = try library(NSInMemoryStoreType)
        let context = library.context
        let first = library.coordinator.persistentStores[0]
        let second = try library.coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        try context.performAndWait {
            let free = context.insert("Author", ["name": "Ann"])
            let token = removing(first, from: library, in: context)
            defer { NotificationCenter.default.removeObserver(token) }
            try context.save()
            #expect(free.objectID.persistentStore === second)
        }
    }

    @Test(arguments: types) func theSaveOfAChildFails(_ type: String) throws {
        let library = try library(type)
        let child = library.makeChild()
        child.performAndWait {
            child.insert("Book", ["title": "Emma"])
            let token = removing(library.coordinator.persistentStores[0], from: library, in: child)
            defer { NotificationCenter.default.removeObserver(token) }
            expectRefusal(#expect(throws: NSError.self) { try child.save() }, of: "Book")
        }
    }

    /// A context that is not used in blocks hears of the removal only now.
    @Test(arguments: types) func aSaveThatFirstHearsOfItFails(_ type: String) throws {
        let library = try library(type)
        let context = library.context
        context.insert("Book", ["title": "Emma"])
        try library.coordinator.remove(library.coordinator.persistentStores[0])
        expectRefusal(#expect(throws: NSError.self) { try context.save() }, of: "Book")
        try context.save()
    }

    /// What another thread does between the start of a save and its writing.
    @Test(arguments: types) func aRemovedStoreIsNotWritten(_ type: String) throws {
        let library = try library(type)
        let rows = try #require(library.coordinator.persistentStores[0].rowStore)
        try library.coordinator.remove(library.coordinator.persistentStores[0])
        try? FileManager.default.removeItem(at: folder.file("Store"))
        let session = try rows.session()
        let error = #expect(throws: NSError.self) { try rows.save(StoreChanges(), in: session) }
        #expect(error?.localizedDescription == "The store is not open.")
        #expect(!FileManager.default.fileExists(atPath: folder.file("Store").path))
    }

    @Test(arguments: [true, false]) func anExclusiveWriteFails(savesFirst: Bool) throws {
        let library = try library(NSSQLiteStoreType)
        let context = library.context
        let error = #expect(throws: NSError.self) {
            try context.performAndWait {
                try library.coordinator.writingExclusively {
                    context.insert("Author", ["name": "Ann"])
                    if savesFirst { try context.save() }
                    try library.coordinator.remove(library.coordinator.persistentStores[0])
                    try context.save()
                }
            }
        }
        #expect(error?.code == NSPersistentStoreOperationError)
        #expect(error?.localizedDescription.hasSuffix("was removed within an exclusive write to it.") == true)
        #expect(error?.localizedRecoverySuggestion == "Remove the store when the exclusive write has returned.")
        // The file is free again, and has what was saved.
        let again = try self.library(NSSQLiteStoreType)
        try again.context.performAndWait {
            #expect(try again.context.fetchAll("Author").count == (savesFirst ? 1 : 0))
            again.context.insert("Author", ["name": "Bob"])
            try again.context.save()
        }
    }
}

private struct Uncheckedly<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
