import Foundation
import MagicalRecord
import Testing

/// Writes of a `Database` that say what becomes of conflicts. What is expected is what the documentation of
/// `MagicalRecord.ConflictHandling` and of exclusive saves promises; a second stack on the file stands for another process.
@Suite struct DatabaseConflictTests {
    private struct Place: @unchecked Sendable {
        let file = ScratchFiles.new("Users.sqlite")
        let database: MagicalRecord.Database
        let other: MagicalRecord.Stack
        private let held: [User]

        /// One user, whom the named context holds with its values.
        init(_ policy: NSMergePolicy = .error) async throws {
            let stack = try SaveConflictTests.stack(file, .rootSaving, mergePolicy: policy)
            try await stack.save { try SaveConflictTests.create(1, "Ann", in: $0) }
            database = MagicalRecord.Database(stack: stack)
            other = try SaveConflictTests.stack(file)
            let context = try database.context(named: "users")
            held = try context.performAndWait {
                let users = try User.findAll(in: context)
                #expect(users.map(\.balance) == [0])
                return users
            }
        }

        func addElsewhere(_ amount: Double) throws { try other.saveAndWait { try Place.add(amount, in: $0) } }

        static func add(_ amount: Double, in context: NSManagedObjectContext) throws {
            try #require(try User.findFirst(where: \.userID == 1, in: context)).balance += amount
        }

        func balance() async throws -> Double? {
            let fresh = try SaveConflictTests.stack(file)
            return try await fresh.read { try User.findFirst(in: $0)?.balance }
        }
    }

    private final class Tries: @unchecked Sendable {
        private let lock = NSLock()
        private var made = 0
        func next() -> Int {
            lock.withLock {
                made += 1
                return made
            }
        }
        var count: Int { lock.withLock { made } }
    }

    @Test func aRetryReadsWhatOthersHaveWritten() async throws {
        let place = try await Place()
        let tries = Tries()
        try place.addElsewhere(10)
        try await place.database.save("users", onConflict: .retry(times: 3), waitingForMerges: true) { context in
            try Place.add(1, in: context)
            if tries.next() == 2 { try place.addElsewhere(100) }
        }
        #expect(tries.count == 3)
        #expect(try await place.balance() == 111)
        let stack = try place.database.stack()
        let main = stack.mainContext
        #expect(try await main.perform { try User.findFirst(in: main)?.balance } == 111)
    }

    @Test func aBlockingRetry() async throws {
        let place = try await Place()
        try place.addElsewhere(10)
        try await Task.detached {
            try place.database.saveAndWait("users", onConflict: .retry(times: 1)) { try Place.add(1, in: $0) }
        }.value
        #expect(try await place.balance() == 11)
    }

    @Test func othersAreRefusedOrDecided() async throws {
        let place = try await Place(.mergeByPropertyObjectTrump)
        try place.addElsewhere(10)
        let error = await #expect(throws: NSError.self) {
            try await place.database.save("users", onConflict: .throw) { try Place.add(1, in: $0) }
        }
        #expect(error?.code == NSManagedObjectMergeError)
        #expect(try await place.balance() == 10)
        try await place.database.save("users", onConflict: .merge(.mergeByPropertyStoreTrump)) { context in
            let user = try #require(try User.findFirst(where: \.userID == 1, in: context))
            user.balance += 1
            try place.addElsewhere(10)
            user.displayName = "here"
        }
        #expect(try await place.balance() == 20)
        #expect(try await SaveConflictTests.names(in: place.file) == ["here"])
        // The context's own policy is back.
        let context = try place.database.context(named: "users")
        let policy = await context.perform { (context.mergePolicy as? NSMergePolicy)?.mergeType }
        #expect(policy == .mergeByPropertyObjectTrumpMergePolicyType)
    }

    @Test func theLastConflictIsThrown() async throws {
        let place = try await Place()
        let tries = Tries()
        let error = await #expect(throws: NSError.self) {
            try await place.database.save("users", onConflict: .retry(times: 2)) { context in
                try Place.add(1, in: context)
                _ = tries.next()
                try place.addElsewhere(10)
            }
        }
        #expect(error?.code == NSManagedObjectMergeError)
        #expect(tries.count == 3)
        #expect(try await place.balance() == 30)
    }

    @Test func anExclusiveWriteReadsAndKeepsOthersOut() async throws {
        let place = try await Place()
        try place.addElsewhere(10)
        let tries = Tries()
        try await place.database.save("users", isolation: .exclusive, waitingForMerges: true) { context in
            _ = tries.next()
            try Place.add(1, in: context)
        }
        #expect(tries.count == 1)
        #expect(try await place.balance() == 11)
        try place.addElsewhere(10)
        try await Task.detached {
            try place.database.saveAndWait("users", isolation: .exclusive) { try Place.add(1, in: $0) }
            try place.database.saveAndWait("users") { try Place.add(1, in: $0) }
            try place.database.saveAndWait("others", isolation: .exclusive) { try Place.add(1, in: $0) }
        }.value
        #expect(try await place.balance() == 24)
        // What fails leaves nothing behind, and ends the transaction.
        await #expect(throws: CancellationError.self) {
            try await place.database.save("users", isolation: .exclusive) { context in
                try Place.add(1, in: context)
                throw CancellationError()
            }
        }
        try place.addElsewhere(10)
        #expect(try await place.balance() == 34)
    }

    @Test func everyIncrementArrives() async throws {
        let place = try await Place()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    switch number % 4 {
                    case 0: try await place.other.save(isolation: .exclusive) { try Place.add(1, in: $0) }
                    case 1:
                        try await place.database.save("users", onConflict: .retry(times: 1000)) {
                            try Place.add(1, in: $0)
                        }
                    default:
                        try await place.database.save("users", isolation: .exclusive) { try Place.add(1, in: $0) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await place.balance() == 40)
    }
}
