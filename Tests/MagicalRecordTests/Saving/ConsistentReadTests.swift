import CoreData
import Foundation
import MagicalRecord
import Testing

/// `read` shows one state of the stores, whatever is written meanwhile: what the documentation promises, which SQLite's read
/// transactions and Apple's query generations give.
@Suite("Reads of one state") struct ConsistentReadTests {
    private static func stack(_ shape: MagicalRecord.Shape) async throws -> MagicalRecord.Stack {
        let stack = try SaveConflictTests.stack(ScratchFiles.new("Users.sqlite"), shape)
        try await stack.save { context in
            for (id, name) in [(1, "Ann"), (2, "Bob")] { try SaveConflictTests.create(Int64(id), name, in: context) }
        }
        return stack
    }

    /// Writes as another part of the program does.
    private static func write(
        _ stack: MagicalRecord.Stack, _ body: @Sendable (NSManagedObjectContext) throws -> Void
    ) throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = stack.coordinator
        try context.performAndWait { () throws in
            try body(context)
            try context.save()
        }
    }

    private static func addUser(_ id: Int64, to stack: MagicalRecord.Stack) throws {
        try write(stack) { try SaveConflictTests.create(id, "New", in: $0) }
    }

    private static func names(_ context: NSManagedObjectContext) throws -> [String] {
        try User.findAll(in: context).compactMap(\.displayName).sorted()
    }

    @Test(arguments: SavingTests.shapes) func fetchesShowTheStateOfTheFirst(_ shape: MagicalRecord.Shape) async throws {
        let stack = try await Self.stack(shape)
        let seen = try await stack.read { context in
            var seen: [[String]] = []
            for id in 3..<6 {
                seen.append(try Self.names(context) + ["\(try User.count(in: context))"])
                try Self.addUser(Int64(id), to: stack)
            }
            return seen
        }
        #expect(seen == Array(repeating: ["Ann", "Bob", "2"], count: 3))
        #expect(try await stack.read { try User.count(in: $0) } == 5)
    }

    @Test func theStateIsChosenByTheFirstRead() async throws {
        let stack = try await Self.stack(.server)
        let count = try await stack.read { context in
            try Self.addUser(3, to: stack)
            return try User.count(in: context)
        }
        #expect(count == 3)
    }

    @Test(arguments: SavingTests.shapes) func faultsAndRelationshipsAreOfTheSameState(
        _ shape: MagicalRecord.Shape
    ) async throws {
        let stack = try await Self.stack(shape)
        let id = try #require(try await stack.read { try User.findFirst(where: \.userID == 1, in: $0)?.objectID })
        let seen = try await stack.read { context in
            _ = try User.count(in: context)
            try Self.write(stack) { other in
                let user = try #require(try User.find(id: id, in: other))
                user.displayName = "Changed"
                _ = try Message.create(in: other) { ($0.messageID, $0.sender) = (1, user) }
            }
            let user = try #require(try User.find(id: id, in: context))
            return [user.displayName ?? "nil", "\(user.messages.count)", "\(try Message.count(in: context))"]
        }
        #expect(seen == ["Ann", "0", "0"])
        let after = try await stack.read { context in
            let user = try #require(try User.find(id: id, in: context))
            return [user.displayName ?? "nil", "\(user.messages.count)"]
        }
        #expect(after == ["Changed", "1"])
    }

    @Test func aRowThatIsDeletedMeanwhileIsThere() async throws {
        let stack = try await Self.stack(.rootSaving)
        let name = try await stack.read { context in
            let user = try #require(try User.findFirst(where: \.userID == 2, in: context))
            context.refresh(user, mergeChanges: false)
            try Self.write(stack) { try User.deleteAll(in: $0) }
            return user.displayName
        }
        #expect(name == "Bob")
        #expect(try await stack.read { try User.count(in: $0) } == 0)
    }

    @Test func childrenReadTheSameState() async throws {
        let stack = try await Self.stack(.rootSaving)
        let counts = try await stack.read { context in
            let before = try User.count(in: context)
            try Self.addUser(3, to: stack)
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = context
            return [before, try child.performAndWait { try User.count(in: child) }]
        }
        #expect(counts == [2, 2])
    }

    /// A context that outlives the closure keeps no log from being emptied.
    @Test func theStateIsLetGoOfAfterwards() async throws {
        let stack = try await Self.stack(.rootSaving)
        let context = try await stack.read { context in
            _ = try User.count(in: context)
            return context
        }
        try Self.addUser(3, to: stack)
        #expect(try await context.perform { try User.count(in: context) } == 3)
        #expect(await context.perform { context.queryGenerationToken } == nil)
        struct Refusal: Error {}
        let failed = Place()
        await #expect(throws: Refusal.self) {
            try await stack.read { context in
                _ = try User.count(in: context)
                failed.context = context
                throw Refusal()
            }
        }
        let left = try #require(failed.context)
        #expect(await left.perform { left.queryGenerationToken } == nil)
    }

    @Test func whatContextsHaveNotSavedIsNotInIt() async throws {
        let stack = try await Self.stack(.rootSaving)
        let main = stack.mainContext
        try await main.perform { () throws in
            try SaveConflictTests.create(3, "Unsaved", in: main)
            // In the root, and not in the store.
            try main.save()
        }
        #expect(try await stack.read { try Self.names($0) } == ["Ann", "Bob"])
    }

    // MARK: Databases

    @Test func databasesReadOneState() async throws {
        let stack = try await Self.stack(.rootSaving)
        let database = MagicalRecord.Database(stack: stack)
        let seen = try await database.read("names") { context in
            let before = try Self.names(context)
            try Self.addUser(3, to: stack)
            return [before, try Self.names(context)]
        }
        #expect(seen == [["Ann", "Bob"], ["Ann", "Bob"]])
        #expect(try await database.read("names") { try Self.names($0) } == ["Ann", "Bob", "New"])
        let blocking = try database.readAndWait("names") { context in
            let before = try User.count(in: context)
            try Self.addUser(4, to: stack)
            return [before, try User.count(in: context)]
        }
        #expect(blocking == [3, 3])
        #expect(try database.readAndWait("names") { try User.count(in: $0) } == 4)
    }

    /// What is in memory from before, and was changed by another process that nothing tells of, is of the same state.
    @Test func databasesReadHeldObjectsAgain() async throws {
        let file = ScratchFiles.new("Users.sqlite")
        let stack = try SaveConflictTests.stack(file)
        try await stack.save { try SaveConflictTests.create(1, "Ann", in: $0) }
        let other = try SaveConflictTests.stack(file)
        let database = MagicalRecord.Database(stack: stack)
        let context = try database.context(named: "names")
        let held = try await context.perform {
            let user = try #require(try User.findFirst(in: context))
            _ = user.displayName
            return Held(user)
        }
        try await other.save { try User.findFirst(in: $0)?.displayName = "There" }
        #expect(try await database.read("names") { try Self.names($0) } == ["There"])
        #expect(await context.perform { held.user.displayName } == "There")
    }

    private final class Place: @unchecked Sendable {
        var context: NSManagedObjectContext?
    }

    private struct Held: @unchecked Sendable {
        let user: User
        init(_ user: User) { self.user = user }
    }

    @Test func databasesKeepToTheGenerationOfTheirContext() async throws {
        let stack = try await Self.stack(.rootSaving)
        let database = MagicalRecord.Database(stack: stack)
        let context = try database.context(named: "names")
        try await context.perform { () throws in
            try context.setQueryGenerationFrom(.current)
            _ = try User.count(in: context)
        }
        let token = await context.perform { context.queryGenerationToken }
        #expect(try await database.read("names") { try User.count(in: $0) } == 2)
        #expect(await context.perform { context.queryGenerationToken } == token)
        try await context.perform { try context.setQueryGenerationFrom(nil) }
    }

    /// Readers that go on with each other all the time, and a writer: every answer is one of a moment.
    @Test(arguments: SavingTests.shapes) func totalsStayTheSameBesideAWriter(_ shape: MagicalRecord.Shape) async throws
    {
        let stack = try await Self.stack(shape)
        try await stack.save { context in
            for user in try User.findAll(in: context) { user.balance = 50 }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for amount in 1...20 {
                    try await stack.save { context in
                        for user in try User.findAll(in: context) {
                            user.balance += user.userID == 1 ? Double(amount) : -Double(amount)
                        }
                    }
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<20 {
                        let total = try await stack.read { context in
                            // One after the other: a save between would be seen.
                            var total = 0.0
                            for id in [1, 2] {
                                total += try User.findFirst(where: \.userID == Int64(id), in: context)?.balance ?? 0
                            }
                            return total
                        }
                        #expect(total == 100)
                    }
                }
            }
            try await group.waitForAll()
        }
        await stack.mergesHaveEnded()
    }
}
