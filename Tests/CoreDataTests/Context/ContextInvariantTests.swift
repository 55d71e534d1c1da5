#if DEBUG
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// What a context finds when it checks itself. Each test breaks one thing by hand.
@Suite("Contexts check themselves")
struct ContextInvariantTests {
    /// An author with two books, one saved, one new.
    private func makeLibrary() throws -> (Library, author: NSManagedObject, book: NSManagedObject) {
        let library = try Library(store: .memory)
        let author = library.context.insert("Author", ["name": "Ann"])
        let book = library.context.insert("Book", ["title": "One"])
        book.setValue(author, forKey: "author")
        try library.context.save()
        _ = library.context.insert("Book", ["title": "Two"])
        library.context.processPendingChanges()
        try library.context.checkInvariants()
        return (library, author, book)
    }

    private func complaint(_ context: NSManagedObjectContext) -> String {
        do {
            try context.checkInvariants()
            return "nothing"
        } catch {
            return (error as NSError).localizedFailureReason ?? ""
        }
    }

    @Test func aChangedObjectThatIsNotListed() throws {
        let (library, author, _) = try makeLibrary()
        author.move(to: .updated)
        #expect(complaint(library.context).contains("is changed, and not listed"))
    }

    @Test func anObjectThatBelievesToBeListed() throws {
        let (library, author, _) = try makeLibrary()
        author._state.insert(.inEvent)
        #expect(complaint(library.context).contains("believes to be listed for this event"))
    }

    @Test func anObjectUnderAnotherKey() throws {
        let (library, author, _) = try makeLibrary()
        let key = author._key
        author._key = 77
        #expect(complaint(library.context).contains("is not found by its key"))
        author._key = key
        try library.context.checkInvariants()
    }

    @Test func aRelationshipThatDoesNotLeadBack() throws {
        let (library, author, book) = try makeLibrary()
        let index = try #require(book.layout.relationshipIndex(named: "author"))
        _ = author.value(forKey: "books")
        book.materialise(library.context.insert("Author"), at: index)
        #expect(complaint(library.context).contains("books leads to Book"))
    }

    @Test func valuesThatAreLost() throws {
        let (library, author, _) = try makeLibrary()
        let (row, slab) = (author._row, author._slab)
        author._row = nil
        author._slab = nil
        #expect(complaint(library.context).contains("has lost its values"))
        author._row = row
        author._slab = slab
    }

    /// A program that is started with the setting stops as soon as something is wrong.
    @Test func aProgramMayAskForTheChecks() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            setenv("COREDATA_CHECK_INVARIANTS", "1", 1)
            let library = try Library(store: .memory)
            let author = library.context.insert("Author", ["name": "Ann"])
            try library.context.save()
            author.setValue("Bob", forKey: "name")
            author._state.remove(.enlisted)
            library.context.processPendingChanges()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("A context contradicts itself."))
        #expect(text.contains("believes to be listed as changed"))
    }
}
#endif
