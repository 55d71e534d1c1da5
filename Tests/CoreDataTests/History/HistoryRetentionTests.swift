import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Readers of history that are registered in the store, and purges beside them.
@Suite("Retention of history")
struct HistoryRetentionTests {
    private let library: StoredLibrary
    private var retention: HistoryRetention { HistoryRetention(of: library.store) }

    init() throws { library = try StoredLibrary(options: [NSPersistentHistoryTrackingKey: true]) }

    /// Saves tags, and returns the token after each.
    private func save(_ words: String...) throws -> [NSPersistentHistoryToken] {
        try words.map { word in
            try library.context.performAndWait {
                library.context.insert("Tag", ["word": word])
                library.context.transactionAuthor = word
                try library.context.save()
            }
            return try #require(library.coordinator.currentPersistentHistoryToken(fromStores: nil))
        }
    }

    private func authors(after token: NSPersistentHistoryToken?) throws -> [String?] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try library.context.execute(request) as? NSPersistentHistoryResult
        return (result?.result as? [NSPersistentHistoryTransaction] ?? []).map(\.author)
    }

    @Test func `A reader goes on where it left off`() throws {
        #expect(try retention.register("index") == nil)
        let tokens = try save("a", "b", "c")
        try retention.advance("index", to: tokens[1])
        // As another program sees it, or this one after a crash.
        let second = try library.makeSecondContext(options: [NSPersistentHistoryTrackingKey: true])
        let store = try #require(second.persistentStoreCoordinator?.persistentStores.first)
        let token = try HistoryRetention(of: store).register("index")
        #expect(try authors(after: token) == ["c"])
        #expect(try retention.readers.map(\.name) == ["index"])
        let advanced = try #require(try retention.readers.first?.advanced)
        #expect(abs(advanced.timeIntervalSinceNow) < 60)
    }

    @Test func `A purge keeps what the slowest reader has not read`() throws {
        let tokens = try save("a", "b", "c", "d")
        try retention.advance("slow", to: tokens[1])
        try retention.advance("quick", to: tokens[3])
        #expect(try retention.purge() == 2)
        #expect(try authors(after: nil) == ["c", "d"])
        // Apple's request keeps it too.
        _ = try library.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
        #expect(try authors(after: tokens[1]) == ["c", "d"])
        try retention.remove("slow")
        #expect(try retention.purge() == 2)
        #expect(try authors(after: nil) == [])
    }

    @Test func `An earlier token does not move a reader back`() throws {
        let tokens = try save("a", "b")
        try retention.advance("index", to: tokens[1])
        try retention.advance("index", to: tokens[0])
        #expect(try authors(after: retention.register("index")) == [])
    }

    @Test func `A reader cannot begin where history was deleted`() throws {
        let tokens = try save("a", "b", "c")
        try retention.purge()
        let error = #expect(throws: NSError.self) { try retention.register("late", at: tokens[0]) }
        #expect(error?.code == NSPersistentHistoryTokenExpiredError)
        #expect(try retention.readers.isEmpty)
        #expect(try retention.register("late", at: tokens[2]) == tokens[2])
    }

    @Test func `Nothing is unreported where nothing is being saved`() throws {
        _ = try save("a")
        #expect(try (retention.unreportedAge ?? 0) < 10)
    }

    @Test func `A store without history says so`() throws {
        let plain = try StoredLibrary()
        let retention = HistoryRetention(of: plain.store)
        let error = #expect(throws: NSError.self) { try retention.register("index") }
        #expect(error?.code == NSPersistentStoreOperationError)
        #expect(error?.localizedRecoverySuggestion?.contains("NSPersistentHistoryTrackingKey") == true)
        let memory = try Library(store: .memory)
        let store = try #require(memory.coordinator.persistentStores.first)
        let unsupported = #expect(throws: NSError.self) { try HistoryRetention(of: store).readers }
        #expect(unsupported?.code == NSPersistentStoreUnsupportedRequestTypeError)
    }
}
