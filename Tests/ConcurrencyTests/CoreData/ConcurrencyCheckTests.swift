import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// With the checks on, touching objects or contexts off their queue ends the program, saying which rule was broken.
///
/// The checks are switched on once per process, so each test is a process of its own.
@Suite("Concurrency checks")
struct ConcurrencyCheckTests {
    private static func text(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test func readingAnObjectOffItsQueueTraps() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            setenv("COREDATA_CONCURRENCY_DEBUG", "1", 1)
            let library = try Library()
            library.context.name = "editor"
            let book = library.context.performAndWait { library.context.insert("Book", ["title": "Emma"]) }
            _ = book.value(forKey: "title")
        }
        let text = Self.text(result)
        #expect(text.contains("Core Data multithreading violation"))
        #expect(text.contains("/Book/t") && text.contains("\"editor\"") && text.contains("no context's queue"))
        #expect(text.contains("perform(_:)"))
    }

    @Test func usingAContextFromAnothersQueueTraps() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            setenv("COREDATA_CONCURRENCY_DEBUG", "1", 1)
            let library = try Library()
            library.context.name = "editor"
            let other = library.makeContext()
            other.name = "reader"
            try other.performAndWait { _ = try library.context.fetchAll("Book") }
        }
        let text = Self.text(result)
        #expect(text.contains("\"editor\"") && text.contains("\"reader\""))
    }

    @Test func properUsePasses() async throws {
        await #expect(processExitsWith: .success) {
            setenv("COREDATA_CONCURRENCY_DEBUG", "1", 1)
            let library = try Library()
            let child = library.makeChild()
            try child.performAndWait {
                let book = child.insert("Book", ["title": "Emma"])
                book.setValue("Persuasion", forKey: "title")
                try child.save()
            }
            let context = library.context
            try await context.perform {
                try context.save()
                #expect(try context.fetchAll("Book").first?.value(forKey: "title") as? String == "Persuasion")
            }
            try child.performAndWait {
                let book = try child.fetchAll("Book").first
                book?.setValue("Emma", forKey: "title")
                try child.save()
                child.rollback()
            }
            exit(EXIT_SUCCESS)
        }
    }
}
