import Foundation
import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// Stacks that have the same store open, as several programs have it: each shows what the others save.
@Suite("Saves of other programs", .timeLimit(.minutes(5)))
struct RemoteMergingTests {
    private static let isOnServer = ProcessInfo.processInfo.environment["COREDATA_TEST_STORE"] == "postgreSQL"
    private static let shapes: [MagicalRecord.Shape] = [.rootSaving, .siblings, .server]

    /// Returns two stacks over one store.
    private static func stacks(
        _ shape: MagicalRecord.Shape = .server, interval: Double = 0.05
    ) throws -> (MagicalRecord.Stack, MagicalRecord.Stack) {
        var store = try ScratchStores.new("Shared.sqlite").mergingRemoteChanges()
        if isOnServer { store.options["NSPersistentStoreRemoteChangeInterval"] = interval }
        return (try AddressBook.stack(store, shape: shape), try AddressBook.stack(store, shape: shape))
    }

    @Test("Counts, objects and results follow what another stack saves", arguments: 0..<shapes.count)
    func follows(shape: Int) async throws {
        let (one, other) = try Self.stacks(Self.shapes[shape])
        try await one.save { context in
            let user = try User.create(in: context)
            (user.userID, user.displayName) = (7, "Ada")
        }
        let watched = one.newFollowingContext(named: "watched")
        var names = User.all.sorted(by: \.userID)
            .observe(in: watched) { $0.map { $0.displayName ?? "" } }.makeAsyncIterator()
        #expect(try await names.next() == ["Ada"])
        let known = try #require(
            try await watched.perform { try User.findFirst(where: \.userID == 7, in: watched)?.objectID })

        try await other.save { try User.create(in: $0).displayName = "Bob" }
        #expect(try await names.next() == ["Bob", "Ada"])
        try await other.save { context in
            try User.findFirst(where: \.userID == 7, in: context)?.displayName = "Ada Lovelace"
        }
        #expect(try await names.next() == ["Bob", "Ada Lovelace"])
        let seen = try await watched.perform {
            (try watched.existingObject(with: known) as? User)?.displayName
        }
        #expect(seen == "Ada Lovelace")
        try await other.save { context in
            if let user = try User.findFirst(where: \.displayName == "Bob", in: context) { context.delete(user) }
        }
        #expect(try await names.next() == ["Ada Lovelace"])
        try await one.tearDown()
        try await other.tearDown()
    }

    @Test("Batch requests of another stack are followed")
    func batches() async throws {
        let (one, other) = try Self.stacks()
        try await other.save { context in
            for number in 0..<3 { try User.create(in: context).userID = Int64(number) }
        }
        let watched = one.newFollowingContext(named: "watched")
        var counts = User.where(\.isFriend == true).observeCount(in: watched).makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try await other.save { context in
            _ = try User.where(\.userID > 0).batchUpdate(.set(\.isFriend, to: true), in: context)
        }
        #expect(try await counts.next() == 2)
        try await one.tearDown()
        try await other.tearDown()
    }

    @Test("A stack's own saves are not merged a second time")
    func ownSaves() async throws {
        let (one, other) = try Self.stacks()
        let watched = one.newFollowingContext(named: "watched")
        let refreshes = RefreshCount()
        try await one.save { context in
            let user = try User.create(in: context)
            (user.userID, user.displayName) = (1, "a")
        }
        let first = try await watched.perform { try User.findFirst(where: \.userID == 1, in: watched)?.displayName }
        #expect(first == "a")
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: watched, queue: nil
        ) { _ in refreshes.add() }
        defer { NotificationCenter.default.removeObserver(observer) }
        try await one.save { context in
            try User.findFirst(where: \.userID == 1, in: context)?.displayName = "b"
        }
        // The save of another stack is seen after it.
        let counts = User.where(\.userID == 2).observeCount(in: watched)
        var iterator = counts.makeAsyncIterator()
        #expect(try await iterator.next() == 0)
        try await other.save { try User.create(in: $0).userID = 2 }
        #expect(try await iterator.next() == 1)
        // One for the stack's own save, one for that of the other.
        #expect(refreshes.count == 2)
        try await one.tearDown()
        try await other.tearDown()
    }

    /// A SQLite store reads its history as soon as the file changes.
    @Test("After a purge of what was not read, objects show the present state", .enabled(if: isOnServer))
    func purged() async throws {
        let (one, other) = try Self.stacks(interval: 1)
        try await other.save { context in
            let user = try User.create(in: context)
            (user.userID, user.displayName) = (1, "a")
        }
        let watched = one.newFollowingContext(named: "watched")
        @Sendable func name() async throws -> String? {
            try await watched.perform { try User.findFirst(where: \.userID == 1, in: watched)?.displayName }
        }
        #expect(try await name() == "a")
        try await other.save { context in
            try User.findFirst(where: \.userID == 1, in: context)?.displayName = "b"
        }
        _ = try await other.save { context in
            let purge = NSPersistentHistoryChangeRequest.deleteHistory(before: Date(timeIntervalSinceNow: 60))
            _ = try context.execute(purge)
        }
        for _ in 0..<400 where try await name() != "b" { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try await name() == "b")
        try await one.tearDown()
        try await other.tearDown()
    }
}

/// The number of notifications of a context, on any thread.
private final class RefreshCount: @unchecked Sendable {
    private let lock = NSLock()
    private var number = 0

    var count: Int { lock.withLock { number } }
    func add() { lock.withLock { number += 1 } }
}
