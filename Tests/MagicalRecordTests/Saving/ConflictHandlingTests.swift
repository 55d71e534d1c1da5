import Foundation
import MagicalRecord
import Testing

/// What `onConflict:` says. A second stack on the file stands for another process; expectations are what the documentation
/// of `MagicalRecord.ConflictHandling` promises, over Core Data's merge policies.
@Suite struct ConflictHandlingTests {
    private final class Tries: @unchecked Sendable {
        private let lock = NSLock()
        private var made = 0

        /// Counts a try, and says its number, from 1.
        func next() -> Int {
            lock.withLock {
                made += 1
                return made
            }
        }

        var count: Int { lock.withLock { made } }
    }

    private struct Place: Sendable {
        let file = ScratchFiles.new("Users.sqlite")
        let stack: MagicalRecord.Stack
        let other: MagicalRecord.Stack

        /// One user, Ann, whom the main context holds.
        init(_ shape: MagicalRecord.Shape = .rootSaving, _ policy: NSMergePolicy = .error) async throws {
            stack = try SaveConflictTests.stack(file, shape, mergePolicy: policy)
            other = try SaveConflictTests.stack(file)
            try await stack.save { try SaveConflictTests.create(1, "Ann", in: $0) }
            let main = stack.mainContext
            held = try await main.perform { Held(try User.findAll(in: main).map { ($0, $0.balance) }) }
        }

        private struct Held: @unchecked Sendable {
            let objects: [(User, Double)]
            init(_ objects: [(User, Double)]) { self.objects = objects }
        }
        private let held: Held

        /// What another process does meanwhile.
        func addElsewhere(_ amount: Double) throws { try other.saveAndWait { try Place.add(amount, in: $0) } }

        static func add(_ amount: Double, in context: NSManagedObjectContext) throws {
            try #require(try User.findFirst(where: \.userID == 1, in: context)).balance += amount
        }

        /// What the file has.
        func balances() async throws -> [Double] {
            let fresh = try SaveConflictTests.stack(file)
            let balances = try await fresh.read { try User.findAll(in: $0).map(\.balance) }
            try await fresh.tearDown()
            return balances
        }
    }

    @Test(arguments: SavingTests.shapes) func aRetryReadsWhatOthersHaveWritten(_ shape: MagicalRecord.Shape)
        async throws
    {
        let place = try await Place(shape)
        let tries = Tries()
        let (balance, outcome) = try await place.stack.saveReportingOutcome(onConflict: .retry(times: 3)) { context in
            let user = try #require(try User.findFirst(where: \.userID == 1, in: context))
            user.balance += 1
            if tries.next() <= 2 { try place.addElsewhere(10) }
            return user.balance
        }
        #expect(tries.count == 3)
        #expect(balance == 21 && outcome == .store)
        #expect(try await place.balances() == [21])
    }

    @Test(arguments: SavingTests.shapes) func aBlockingRetry(_ shape: MagicalRecord.Shape) async throws {
        let place = try await Place(shape)
        // Off the main thread, as everything that blocks.
        try await Task.detached {
            let tries = Tries()
            try place.stack.saveAndWait(onConflict: .retry(times: 1)) { context in
                try Place.add(1, in: context)
                if tries.next() == 1 { try place.addElsewhere(10) }
            }
            #expect(tries.count == 2)
        }.value
        #expect(try await place.balances() == [11])
    }

    @Test func aRetryOfLookUpOrCreateFindsWhatIsThere() async throws {
        let place = try await Place()
        let tries = Tries()
        try await place.stack.save(onConflict: .retry(times: 1)) { context in
            let user = try User.findFirst(where: \.userID == 2, in: context) ?? User.create(in: context)
            user.userID = 2
            user.displayName = (user.displayName ?? "") + "Bob"
            if tries.next() == 1 { try place.other.saveAndWait { try SaveConflictTests.create(2, "Cid", in: $0) } }
        }
        #expect(try await SaveConflictTests.names(in: place.file) == ["Ann", "CidBob"])
    }

    @Test(arguments: SavingTests.shapes) func aRetriedDeletion(_ shape: MagicalRecord.Shape) async throws {
        let place = try await Place(shape)
        let tries = Tries()
        try await place.stack.save(onConflict: .retry(times: 1)) { context in
            try User.findFirst(where: \.userID == 1, in: context)?.delete()
            if tries.next() == 1 { try place.addElsewhere(10) }
        }
        #expect(tries.count == 2)
        #expect(try await place.balances() == [])
    }

    @Test func theLastConflictIsThrownWhenTriesAreUsedUp() async throws {
        let place = try await Place()
        let tries = Tries()
        let error = await #expect(throws: NSError.self) {
            try await place.stack.save(onConflict: .retry(times: 2)) { context in
                try Place.add(1, in: context)
                _ = tries.next()
                try place.addElsewhere(10)
            }
        }
        #expect(error?.code == NSManagedObjectMergeError)
        #expect(tries.count == 3)
        #expect(try await place.balances() == [30])
    }

    @Test func otherErrorsAreNotTriedAgain() async throws {
        struct Refusal: Error {}
        let place = try await Place()
        let tries = Tries()
        await #expect(throws: Refusal.self) {
            try await place.stack.save(onConflict: .retry(times: 2)) { _ in
                _ = tries.next()
                throw Refusal()
            }
        }
        // A team needs a name.
        let error = await #expect(throws: NSError.self) {
            try await place.stack.save(onConflict: .retry(times: 2)) { context in
                _ = tries.next()
                try Team.create(in: context)
            }
        }
        #expect(
            error?.code == NSManagedObjectValidationError || error?.code == NSValidationMissingMandatoryPropertyError)
        #expect(tries.count == 2)
    }

    @Test func aCancelledTaskMakesNoFurtherTry() async throws {
        let place = try await Place()
        let (tries, begun) = (Tries(), DispatchSemaphore(value: 0))
        let task = Task {
            try await place.stack.save(onConflict: .retry(times: 5)) { context in
                try Place.add(1, in: context)
                _ = tries.next()
                try place.addElsewhere(10)
                begun.signal()
                for _ in 0..<5_000 where !Task.isCancelled { Thread.sleep(forTimeInterval: 0.001) }
                return 0
            }
        }
        await onAThread { begun.wait() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(tries.count == 1)
        #expect(try await place.balances() == [10])
    }

    @Test(arguments: SavingTests.shapes) func aPolicyForOneSave(_ shape: MagicalRecord.Shape) async throws {
        let place = try await Place(shape)
        try await place.stack.save(onConflict: .merge(.mergeByPropertyObjectTrump)) { context in
            try Place.add(1, in: context)
            try place.addElsewhere(10)
        }
        #expect(try await place.balances() == [1])
        try await place.stack.save(onConflict: .merge(.mergeByPropertyStoreTrump)) { context in
            try Place.add(1, in: context)
            try place.addElsewhere(10)
        }
        #expect(try await place.balances().count == 1)
        // The next one has the stack's own.
        let error = await #expect(throws: NSError.self) {
            try await place.stack.save { try SaveConflictTests.create(1, "Bob", in: $0) }
        }
        #expect(error?.code == NSManagedObjectConstraintMergeError)
    }

    @Test func throwingOnAStackThatOverwrites() async throws {
        let place = try await Place(.rootSaving, .mergeByPropertyObjectTrump)
        let error = await #expect(throws: NSError.self) {
            try await place.stack.save(onConflict: .throw) { try SaveConflictTests.create(1, "Bob", in: $0) }
        }
        #expect(error?.code == NSManagedObjectConstraintMergeError)
        try await place.stack.save { try SaveConflictTests.create(1, "Bob", in: $0) }
        #expect(try await SaveConflictTests.names(in: place.file) == ["Bob"])
    }
}
