import Foundation
import MagicalRecord
import Testing

/// `save(isolation: .exclusive)`: no other save comes between its first read and its own. A second stack on the file stands for
/// another process (`ExclusiveWriteTests` has real ones); what is expected is what the documentation promises, which SQLite's
/// `BEGIN IMMEDIATE` gives.
@Suite struct ExclusiveSavingTests {
    private struct Refusal: Error {}

    private struct Held: @unchecked Sendable {
        let user: User
        init(_ user: User) { self.user = user }
    }

    private static func stacks(_ shape: MagicalRecord.Shape = .rootSaving) async throws -> (
        URL, MagicalRecord.Stack, MagicalRecord.Stack
    ) {
        let file = ScratchFiles.new("Users.sqlite")
        let stack = try SaveConflictTests.stack(file, shape)
        try await stack.save { try SaveConflictTests.create(1, "Ann", in: $0) }
        return (file, stack, try SaveConflictTests.stack(file, shape))
    }

    private static func increment(_ context: NSManagedObjectContext) throws {
        try #require(try User.findFirst(where: \.userID == 1, in: context)).balance += 1
    }

    private static func balance(in file: URL) async throws -> Double? {
        let stack = try SaveConflictTests.stack(file)
        let balance = try await stack.read { try User.findFirst(where: \.userID == 1, in: $0)?.balance }
        try await stack.tearDown()
        return balance
    }

    @Test(arguments: SavingTests.shapes) func everyIncrementArrives(_ shape: MagicalRecord.Shape) async throws {
        let (file, stack, other) = try await Self.stacks(shape)
        // A context that holds old values of the row.
        let main = stack.mainContext
        let held = try await main.perform { Held(try #require(try User.findFirst(in: main))) }
        defer { withExtendedLifetime(held) {} }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                let writer = number % 2 == 0 ? stack : other
                group.addTask { try await writer.save(isolation: .exclusive) { try Self.increment($0) } }
            }
            try await group.waitForAll()
        }
        #expect(try await Self.balance(in: file) == 60)
        await stack.mergesHaveEnded()
    }

    @Test func othersWaitUntilItIsSaved() async throws {
        let (file, stack, other) = try await Self.stacks(.server)
        let saved = DispatchSemaphore(value: 0)
        let outcome = try await stack.save(isolation: .exclusive) { context in
            let before = try #require(try User.findFirst(where: \.userID == 1, in: context)).balance
            DispatchQueue.global().async {
                try? other.saveAndWait { try User.findFirst(where: \.userID == 1, in: $0)?.displayName = "there" }
                saved.signal()
            }
            let waits = saved.wait(timeout: .now() + 0.3) == .timedOut
            // Reads do not.
            let reader = other.newContext()
            let count = try reader.runAndWait { try User.count(in: reader) }
            #expect(count == 1)
            try #require(try User.findFirst(where: \.userID == 1, in: context)).balance = before + 1
            return waits
        }
        #expect(outcome)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                saved.wait()
                continuation.resume()
            }
        }
        #expect(try await Self.balance(in: file) == 1)
    }

    @Test func anErrorWritesNothingAndGivesTheFileBack() async throws {
        let (file, stack, other) = try await Self.stacks()
        await #expect(throws: Refusal.self) {
            try await stack.save(isolation: .exclusive) { context in
                try Self.increment(context)
                throw Refusal()
            }
        }
        let error = await #expect(throws: NSError.self) {
            try await stack.save(isolation: .exclusive) { context in
                try Self.increment(context)
                try SaveConflictTests.create(1, "Bob", in: context)
            }
        }
        #expect(error?.code == NSManagedObjectConstraintMergeError)
        try await other.save { try Self.increment($0) }
        try await stack.save { try Self.increment($0) }
        #expect(try await SaveConflictTests.names(in: file) == ["Ann"])
        #expect(try await Self.balance(in: file) == 2)
    }

    @Test func permanentIDsInside() async throws {
        let (_, stack, _) = try await Self.stacks()
        let id = try await stack.save(isolation: .exclusive) { context in
            try SaveConflictTests.create(2, "Bob", in: context)
            return try #require(try User.findFirst(where: \.userID == 2, in: context)).permanentID()
        }
        #expect(try await stack.read { try User.find(id: id, in: $0)?.displayName } == "Bob")
        // IDs set aside are not given to others when nothing is saved.
        let box = Ids()
        await #expect(throws: Refusal.self) {
            try await stack.save(isolation: .exclusive) { context in
                box.add(try User.create(in: context).permanentID())
                throw Refusal()
            }
        }
        let next = try await stack.save { context in
            try SaveConflictTests.create(4, "Cid", in: context)
            return try #require(try User.findFirst(where: \.userID == 4, in: context)).permanentID()
        }
        #expect(!box.all.contains(next) && box.all.count == 1)
    }

    private final class Ids: @unchecked Sendable {
        private let lock = NSLock()
        private var ids: [NSManagedObjectID] = []
        func add(_ id: NSManagedObjectID) { lock.withLock { ids.append(id) } }
        var all: [NSManagedObjectID] { lock.withLock { ids } }
    }

    /// The store writes such a save in a second attempt, which must not lose the transaction.
    @Test func uniqueValuesThatChangePlaces() async throws {
        let (_, stack, _) = try await Self.stacks()
        try await stack.save { try SaveConflictTests.create(2, "Bob", in: $0) }
        try await stack.save(isolation: .exclusive) { context in
            _ = try User.create(in: context) { $0.userID = 3 }.permanentID()
            let users = try User.findAll(where: \.userID < 3, sortedBy: .ascending(\.userID), in: context)
            (users[0].userID, users[1].userID) = (2, 1)
        }
        let names = try await stack.read { context in
            try User.findAll(sortedBy: .ascending(\.userID), in: context).map(\.displayName)
        }
        #expect(names == ["Bob", "Ann", nil])
    }

    @Test func insideOthers() async throws {
        let (file, stack, _) = try await Self.stacks()
        try await Task.detached {
            try stack.saveAndWait(isolation: .exclusive) { outer in
                try stack.saveAndWait(isolation: .exclusive) { inner in
                    #expect(inner === outer)
                    try Self.increment(inner)
                }
                try stack.saveAndWait { inner in
                    #expect(inner === outer)
                    try Self.increment(inner)
                }
            }
            try stack.saveAndWait { outer in
                try stack.saveAndWait(isolation: .exclusive) { inner in
                    #expect(inner !== outer)
                    try Self.increment(inner)
                }
            }
            try stack.saveAndWait(isolation: .serial) { try Self.increment($0) }
        }.value
        #expect(try await Self.balance(in: file) == 4)
    }

    @Test func savesAndBatchRequestsInside() async throws {
        let (file, stack, other) = try await Self.stacks()
        try await stack.save(isolation: .exclusive) { context in
            try Self.increment(context)
            try context.save(to: .store)
            // The transaction has ended.
            try other.saveAndWait { try Self.increment($0) }
        }
        try await stack.save(isolation: .exclusive) { context in
            let count = try User.all.batchUpdate(.add(10, to: \.balance), in: context)
            #expect(count == 1)
        }
        #expect(try await Self.balance(in: file) == 12)
    }

    @Test func storesInMemory() async throws {
        let stack = try AddressBook.stack(.inMemory)
        try await stack.save(isolation: .exclusive) { try User.create(in: $0).displayName = "Ann" }
        #expect(try await stack.read { try User.count(in: $0) } == 1)
        try await stack.tearDown()
        await #expect(throws: MagicalRecordError.self) { try await stack.save(isolation: .exclusive) { _ in } }
    }

    @Test func theMainContextFollows() async throws {
        let (_, stack, _) = try await Self.stacks()
        let main = stack.mainContext
        let id = try await main.perform { try #require(try User.findFirst(in: main)).objectID }
        try await stack.save(isolation: .exclusive) { try Self.increment($0) }
        await stack.mergesHaveEnded()
        #expect(try await main.perform { try (main.existingObject(with: id) as? User)?.balance } == 1)
    }
}
