import CCoreDataSQLite
import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// Recordings count statements as SQLite does.
@Suite("Statement counts of recordings", .slow)
struct StatementCountTests {
    /// Work of every kind on one store.
    private static func work(_ library: Library) throws {
        let context = library.context
        for number in 0..<40 {
            let author = context.insert("Author", ["name": "Author \(number)"])
            for volume in 0..<3 {
                let book = context.insert("Book", ["title": "Book \(number).\(volume)", "pages": 100 + volume])
                book.setValue(author, forKey: "author")
                book.setValue(Set([context.insert("Tag", ["word": "tag"])]), forKey: "tags")
            }
        }
        try context.save()
        context.reset()
        let authors = try context.fetchAll("Author")
        for author in authors { _ = (author.value(forKey: "books") as? Set<NSManagedObject>)?.count }
        for author in authors.prefix(10) { context.delete(author) }
        for book in try context.fetchAll("Book").prefix(10) { book.setValue(1, forKey: "pages") }
        try context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.fetchBatchSize = 7
        request.relationshipKeyPathsForPrefetching = ["author", "tags"]
        for book in try context.fetch(request) { _ = book.value(forKey: "title") }
        _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag"))
        context.reset()
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Book")
        dictionaries.resultType = .dictionaryResultType
        dictionaries.propertiesToFetch = ["title"]
        _ = try context.fetch(dictionaries)
        let faults = NSFetchRequest<NSManagedObject>(entityName: "Book")
        faults.includesPropertyValues = false
        for book in try context.fetch(faults).prefix(20) { _ = book.value(forKey: "title") }
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.propertiesToUpdate = ["pages": 2]
        try context.execute(update)
        try context.execute(
            NSBatchInsertRequest(entityName: "Tag", objects: (0..<50).map { ["word": "new \($0)"] }))
        try context.execute(
            NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")))
        context.refreshAllObjects()
        for store in library.coordinator.persistentStores { try library.coordinator.remove(store) }
    }

    /// SQLite calls the function for each statement. Programs of triggers call it as well, with comments.
    @Test func equalThoseOfSQLite() async {
        await #expect(processExitsWith: .success) {
            let opening:
                @convention(c) (
                    OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
                ) -> Int32 = { database, _, _ in
                    sqlite3_trace_v2(
                        database, UInt32(SQLITE_TRACE_STMT),
                        { _, _, _, text in
                            guard let text = text?.assumingMemoryBound(to: CChar.self) else { return 0 }
                            if !(text[0] == 45 && text[1] == 45) { StatementCounter.count += 1 }
                            return 0
                        }, nil)
                }
            let result = sqlite3_auto_extension(
                unsafeBitCast(opening, to: (@convention(c) () -> Void).self))
            precondition(result == SQLITE_OK)
            let recording = try Instruments.record {
                let library = try Library(store: .sqlite)
                try library.context.performAndWait { try Self.work(library) }
            }
            precondition(StatementCounter.count > 200)
            precondition(
                recording.totals.statements == StatementCounter.count,
                "recorded \(recording.totals.statements), run \(StatementCounter.count)")
        }
    }
}

private enum StatementCounter {
    nonisolated(unsafe) static var count = 0
}
