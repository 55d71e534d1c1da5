import CoreData
import CoreDataTestSupport
import Testing

@Suite("Stores in memory under several contexts")
struct MemoryConcurrencyTests {
    @Test func aRowChangedByTwoContextsIsAConflict() throws {
        let library = try Library()
        let other = library.makeContext()
        try library.perform { context in
            context.insert("Tag", ["word": "first"])
            try context.save()
        }
        try other.performAndWait {
            try #require(try other.fetchAll("Tag").first).setValue("theirs", forKey: "word")
        }
        try library.perform { context in
            try #require(try context.fetchAll("Tag").first).setValue("ours", forKey: "word")
            try context.save()
        }
        other.performAndWait {
            let error = #expect(throws: (any Error).self) { try other.save() }
            #expect((error as NSError?)?.code == NSManagedObjectMergeError)
        }
    }

    @Test func readersAndWritersDoNotDisturbEachOther() async throws {
        let library = try Library()
        let coordinator = library.coordinator
        @Sendable func makeContext() -> NSManagedObjectContext {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            return context
        }
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let context = makeContext()
                    for round in 0..<25 {
                        try? await context.perform {
                            let author = context.insert("Author", ["name": "\(writer).\(round)"])
                            for number in 0..<4 { context.insert("Book", ["title": "\(number)", "author": author]) }
                            try context.save()
                        }
                    }
                }
                group.addTask {
                    let context = makeContext()
                    for _ in 0..<50 {
                        try? await context.perform {
                            // A save is seen as a whole: every author has all books.
                            for author in try context.fetchAll("Author") {
                                #expect((author.value(forKey: "books") as? Set<NSManagedObject>)?.count == 4)
                            }
                            context.reset()
                        }
                    }
                }
            }
        }
        try library.perform { context in
            try #expect(context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == 100)
            try #expect(context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 400)
            context.reset()
        }
    }
}
