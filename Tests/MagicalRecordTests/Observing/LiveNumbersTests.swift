import MagicalRecord
import Testing

/// `observeCount()` and `observeSum(of:)`: numbers over time, each once.
@Suite("Live numbers", .addressBook, .timeLimit(.minutes(5)))
struct LiveNumbersTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        try AddressBook.fill(stack)
        context = stack.newFollowingContext(named: "watched")
    }

    private func change(
        _ id: Int64, in other: NSManagedObjectContext? = nil, _ body: @escaping @Sendable (User) throws -> Void
    ) async throws {
        let context = other ?? context
        try await context.perform {
            if let user = try User.findFirst(where: \.userID == id, in: context) { try body(user) }
        }
    }

    @Test("A count follows unsaved changes, and is told when it has changed")
    func counts() async throws {
        var counts = User.where(\.isFriend == true).observeCount(in: context).makeAsyncIterator()
        #expect(try await counts.next() == 3)
        // Changes nothing of the number, nor does what cancels out.
        try await change(1) { $0.balance = 7 }
        try await change(1) { $0.isFriend = false }
        await context.settle()
        try await change(1) { $0.isFriend = true }
        await context.settle()
        try await change(2) { $0.isFriend = true }
        #expect(try await counts.next() == 4)
        await context.perform { [context] in context.rollback() }
        #expect(try await counts.next() == 3)
    }

    @Test("Only saved objects count, if that was asked for")
    func savedOnly() async throws {
        var counts = User.where { $0.isFriend }.savedOnly().observeCount(in: context).makeAsyncIterator()
        #expect(try await counts.next() == 3)
        try await change(2) { $0.isFriend = true }
        await context.settle()
        try await change(5) { user in
            user.isFriend = true
            try user.managedObjectContext?.save()
        }
        #expect(try await counts.next() == 5)
    }

    @Test("A limit holds, and relationships count")
    func limitsAndRelationships() async throws {
        var limited = User.all.sorted(by: \.userID).limited(to: 4).observeCount(in: context).makeAsyncIterator()
        #expect(try await limited.next() == 4)
        var reds = User.where { $0.team.name == "Red" }.observeCount(in: context).makeAsyncIterator()
        #expect(try await reds.next() == 2)
        try await context.perform { [context] in
            try Team.findFirst(where: \.name == "Red", in: context)?.name = "Crimson"
            try context.save()
        }
        #expect(try await reds.next() == 0)
    }

    /// Rows that the watching context has never read: nothing but the saves themselves tell of them.
    @Test("What others save counts, and what batch requests change")
    func others() async throws {
        var counts = User.where(\.isFriend == true).observeCount(in: context).makeAsyncIterator()
        var sums = User.where(\.isFriend == true).observeSum(of: \.balance, in: context).makeAsyncIterator()
        #expect(try await counts.next() == 3)
        #expect(try await sums.next() == 80)
        try await stack.save { context in
            try User.findFirst(where: \.userID == 2, in: context)?.isFriend = true
        }
        #expect(try await counts.next() == 4)
        #expect(try await sums.next() == 100)
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = stack.coordinator
        try await other.perform {
            try User.findFirst(where: \.userID == 1, in: other).map(other.delete)
            try other.save()
        }
        #expect(try await counts.next() == 3)
        #expect(try await sums.next() == 90)
        let worker = stack.newContext()
        try await worker.perform {
            _ = try User.where { $0.userID == 2 }.batchDelete(in: worker)
        }
        #expect(try await counts.next() == 2)
        #expect(try await sums.next() == 70)
        try await worker.perform {
            _ = try User.where { $0.userID == 5 }.batchUpdate(.set(\.isFriend, to: true), in: worker)
        }
        #expect(try await counts.next() == 3)
        #expect(try await sums.next() == 120)
    }

    @Test("Sums have the attribute's type, and see what is saved")
    func sums() async throws {
        let codes: MagicalRecord.LiveValues<Int32> = User.all.observeSum(of: \.countryCode, in: context)
        var sums = codes.makeAsyncIterator()
        let before: Int32 = 49 * 2 + 84 * 2 + 33
        #expect(try await sums.next() == before)
        try await change(5) { $0.countryCode = 0 }
        await context.settle()
        try await change(4) { user in
            user.countryCode = 1
            try user.managedObjectContext?.save()
        }
        let after: Int32 = 49 * 2 + 84 + 1
        #expect(try await sums.next() == after)
        var nothing = User.where(\.userID == -1).observeSum(of: \.balance, in: context).makeAsyncIterator()
        #expect(try await nothing.next() == 0)
    }

    /// In a chain of contexts the sum is the store's: a save into the parent does not change it, one of the parent does.
    @Test("Sums in a child context follow the store")
    func chains() async throws {
        let child = stack.newContext()
        var sums = User.all.observeSum(of: \.balance, in: child).makeAsyncIterator()
        #expect(try await sums.next() == 150)
        try await change(1, in: child) { user in
            user.balance = 20
            try user.managedObjectContext?.save(to: .store)
        }
        #expect(try await sums.next() == 160)
    }

    @Test("Mistakes are thrown by the iteration")
    func mistakes() async throws {
        var sums = User.all.limited(to: 2).observeSum(of: \.balance, in: context).makeAsyncIterator()
        await #expect { _ = try await sums.next() } throws: { ($0 as? MagicalRecordError)?.code == .invalidArgument }
        #expect(try await sums.next() == nil)
        var counts = User.where(.format("nothing == 1")).observeCount(in: context).makeAsyncIterator()
        await #expect(throws: (any Error).self) { _ = try await counts.next() }
    }
}
