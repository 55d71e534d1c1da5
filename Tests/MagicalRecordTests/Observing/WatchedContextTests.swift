import MagicalRecord
import Testing

/// Who keeps the context of live results alive, how long, and what ends the watching. That the sequence does, for as long as
/// it or its iterator lives, and that tearing the stack down ends it, is what ``MagicalRecord/LiveResults`` promises.
@Suite("Contexts of live results", .addressBook, .timeLimit(.minutes(5)))
struct WatchedContextTests {
    let stack: MagicalRecord.Stack

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        try AddressBook.fill(stack)
    }

    /// Tells whether a context is still there.
    private final class WeakBox: @unchecked Sendable {
        private(set) weak var context: NSManagedObjectContext?

        init(_ context: NSManagedObjectContext) {
            self.context = context
        }

        /// Whether it goes; what its queue still has in line may keep it for a moment.
        func isGone() async throws -> Bool {
            for _ in 0..<400 where context != nil { try await Task.sleep(nanoseconds: 5_000_000) }
            return context == nil
        }
    }

    /// Results in a context that nothing else holds.
    private func orphans(where format: String = "TRUEPREDICATE") -> (MagicalRecord.LiveValues<Int>, WeakBox) {
        let context = stack.newContext()
        let condition = MagicalRecord.Condition<User>.format(format)
        return (User.where(condition).sorted(by: \.userID).observe(in: context) { $0.count }, WeakBox(context))
    }

    private func insertUser(in box: WeakBox) async throws {
        let context = try #require(box.context)
        try await context.perform { _ = try User.create(in: context) }
    }

    @Test("A loop over a context of its own goes on until it is left")
    func leavingTheLoop() async throws {
        let watched: WeakBox
        do {
            let (results, box) = orphans()
            watched = box
            var counts: [Int] = []
            for try await count in results {
                counts.append(count)
                if counts.count == 3 { break }
                try await insertUser(in: box)
            }
            #expect(counts == [5, 6, 7])
            #expect(box.context != nil)
            withExtendedLifetime(results) {}
        }
        #expect(try await watched.isGone())
    }

    @Test("An iterator keeps the context without the sequence")
    func iteratorAlone() async throws {
        func iterator() -> (MagicalRecord.LiveValues<Int>.Iterator, WeakBox) {
            let (results, box) = orphans()
            return (results.makeAsyncIterator(), box)
        }
        let watched: WeakBox
        do {
            var (lists, box) = iterator()
            watched = box
            #expect(try await lists.next() == 5)
            try await insertUser(in: box)
            #expect(try await lists.next() == 6)
        }
        #expect(try await watched.isGone())
    }

    @Test("A sequence never iterated, or iterated twice, releases it")
    func sequenceAlone() async throws {
        let watched: WeakBox
        do {
            let (results, box) = orphans()
            watched = box
            for _ in 0..<2 {
                var lists = results.makeAsyncIterator()
                #expect(try await lists.next() == 5)
            }
            #expect(box.context != nil)
            withExtendedLifetime(results) {}
        }
        #expect(try await watched.isGone())
        let unused = orphans().1
        #expect(try await unused.isGone())
    }

    @Test("A cancelled task releases it")
    func cancellation() async throws {
        func start() -> (Task<Int, any Error>, WeakBox) {
            let (results, box) = orphans()
            let task = Task {
                var count = 0
                for try await _ in results { count += 1 }
                return count
            }
            return (task, box)
        }
        let (task, watched) = start()
        try await Task.sleep(nanoseconds: 50_000_000)
        #expect(watched.context != nil)
        task.cancel()
        #expect(try await task.value <= 1)
        #expect(try await watched.isGone())
    }

    @Test("An iterator that has failed has let go of it")
    func failure() async throws {
        func iterator() -> (MagicalRecord.LiveValues<Int>.Iterator, WeakBox) {
            let (results, box) = orphans(where: "nothing == 1")
            return (results.makeAsyncIterator(), box)
        }
        var (lists, watched) = iterator()
        await #expect(throws: (any Error).self) { _ = try await lists.next() }
        #expect(try await watched.isGone())
        #expect(try await lists.next() == nil)
    }

    @Test("Tearing the stack down ends the watching, and begins none", arguments: [true, false])
    func tearDown(_ isBlocking: Bool) async throws {
        let (results, _) = orphans()
        let task = Task {
            var count = 0
            for try await _ in results { count += 1 }
            return count
        }
        var lists = results.makeAsyncIterator()
        #expect(try await lists.next() == 5)
        if isBlocking {
            let stack = stack
            try await Self.onThread { try stack.tearDownAndWait() }
        } else {
            try await stack.tearDown()
        }
        #expect(try await lists.next() == nil)
        #expect(try await task.value <= 1)
        var late = results.makeAsyncIterator()
        #expect(try await late.next() == nil)
    }

    private static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
        }
    }
}

/// What the article on watching says of programs without a main queue that runs: the stack's own context, and following
/// ones, are watched from any task across the saves of others, as values.
@Suite("Live results on a server", .addressBook(.server), .timeLimit(.minutes(5)))
struct ServerResultsTests {
    let stack: MagicalRecord.Stack

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        try AddressBook.fill(stack)
    }

    private func save(_ id: Int64, _ isFriend: Bool, _ round: Int) async throws {
        // By a modern save, by a context for work, and by one made by hand.
        switch round % 3 {
        case 0:
            try await stack.save { context in
                try User.findFirst(where: \.userID == id, in: context)?.isFriend = isFriend
            }
        case 1:
            let context = stack.newContext()
            try await context.perform {
                try User.findFirst(where: \.userID == id, in: context)?.isFriend = isFriend
                try context.save()
            }
        default:
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = stack.coordinator
            try await context.perform {
                try User.findFirst(where: \.userID == id, in: context)?.isFriend = isFriend
                try context.save()
            }
        }
    }

    /// Watches the names of friends, their number and the sum of what they have.
    private func check(in context: NSManagedObjectContext?) async throws {
        let friends = User.where(\.isFriend == true).sorted(by: \.displayName).observe(in: context) {
            $0.map { $0.displayName ?? "" }
        }
        var names = friends.makeAsyncIterator()
        var counts = User.where(\.isFriend == true).observeCount(in: context).makeAsyncIterator()
        var sums = User.where(\.isFriend == true).observeSum(of: \.balance, in: context).makeAsyncIterator()
        #expect(try await names.next() == ["Ann", "Cid", "Dora"])
        #expect(try await counts.next() == 3)
        let sum = try #require(try await sums.next())
        for round in 0..<6 {
            try await save(2, round % 2 == 0, round)
            #expect(try await counts.next() == (round % 2 == 0 ? 4 : 3))
            #expect(try await sums.next() == (round % 2 == 0 ? sum + 20 : sum))
            #expect(
                try await names.next() == (round % 2 == 0 ? ["Ann", "Bob", "Cid", "Dora"] : ["Ann", "Cid", "Dora"]))
        }
    }

    @Test("A following context, which only the loop holds")
    func followingContext() async throws {
        try await check(in: stack.newFollowingContext(named: "feed"))
    }

    @Test("The stack's main context")
    func mainContext() async throws {
        let context = stack.mainContext
        #expect(context.concurrencyType == .privateQueueConcurrencyType)
        try await check(in: context)
    }
}
