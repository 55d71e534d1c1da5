import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// What a program keeps of a user elsewhere than on the queue of its context.
private struct Friend: Sendable, Equatable {
    var name: String
    var balance: Double

    init(_ user: User) {
        (name, balance) = (user.displayName ?? "", user.balance)
    }
}

/// `results { … }`: values made of lists, for tasks of any actor and contexts of any kind.
@Suite("Live values", .addressBook, .timeLimit(.minutes(5)))
struct LiveValuesTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        try AddressBook.fill(stack)
        context = stack.newContext()
    }

    /// Changes one user, found by its number.
    private func change(
        _ id: Int64, in other: NSManagedObjectContext? = nil, _ body: @escaping @Sendable (User) -> Void
    ) async throws {
        let context = other ?? context
        try await context.perform {
            if let user = try User.findFirst(where: \.userID == id, in: context) { body(user) }
        }
    }

    /// An actor with nothing but values.
    private actor Reader {
        private(set) var names: [[String]] = []

        func read(_ times: Int, in context: NSManagedObjectContext, _ then: @Sendable (Int) async throws -> Void)
            async throws
        {
            let friends = User.where({ $0.isFriend }).sorted(by: \.displayName).observe(in: context) {
                $0.map(Friend.init)
            }
            for try await friends in friends {
                names.append(friends.map(\.name))
                if names.count == times { break }
                try await then(names.count)
            }
        }
    }

    @Test("Any actor iterates, and follows changes of a private context")
    func anyActor() async throws {
        let reader = Reader()
        try await reader.read(3, in: context) { round in
            try await change(round == 1 ? 2 : 1) { $0.isFriend.toggle() }
        }
        #expect(
            await reader.names == [["Ann", "Cid", "Dora"], ["Ann", "Bob", "Cid", "Dora"], ["Bob", "Cid", "Dora"]])
    }

    @Test("Values are made on the queue of the context")
    func queue() async throws {
        let main = stack.newMainQueueContext()
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        #expect(DispatchQueue.getSpecific(key: key) == nil)
        var values = User.sorted(by: \.userID).observe(in: main) { list in
            (DispatchQueue.getSpecific(key: key) == true, list.map(Friend.init))
        }.makeAsyncIterator()
        for balance in [10, 11.0] {
            let value = try #require(try await values.next())
            #expect(value.0)
            #expect(value.1.first == value.1.first { $0.name == "Ann" && $0.balance == balance })
            try await change(1, in: main) { $0.balance += 1 }
        }
    }

    @Test("The mapping sees sections and differences")
    func lists() async throws {
        var values = User.where { $0.userID < 5 }.sorted(by: \.userID).observe(sectionedBy: \.countryCode, in: context)
        {
            ($0.sections.map(\.name), $0.difference.moves.map(\.new), $0.difference.updates.map(\.new.item))
        }.makeAsyncIterator()
        let first = try #require(try await values.next())
        #expect(first.0 == ["49", "84"])
        try await change(1) { $0.countryCode = 84 }
        let second = try #require(try await values.next())
        #expect(second.1 == [MagicalRecord.ResultPosition(section: 1, item: 0)])
        try await change(2) { $0.balance = 0 }
        let third = try #require(try await values.next())
        #expect(third.2 == [0])
        var byKey = User.all.sorted(by: \.userID).observe(sectionedBy: \.team?.name, in: context) {
            $0.sections.map(\.count)
        }.makeAsyncIterator()
        #expect(try await byKey.next() == [1, 2, 2])
    }

    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var count = 0

        func increment() -> Int {
            lock.withLock {
                count += 1
                return count
            }
        }
    }

    @Test("Changes that come faster than values are taken cost one value")
    func coalescing() async throws {
        let counter = Counter()
        let values = User.where(\.isFriend == true).sorted(by: \.displayName).observe(in: context) {
            (counter.increment(), $0.map(Friend.init), $0.difference.updates.count)
        }
        var iterator = values.makeAsyncIterator()
        #expect(try await iterator.next()?.0 == 1)
        for round in 1...50 { try await change(1) { $0.balance = Double(round) } }
        await context.settle()
        let value = try #require(try await iterator.next())
        #expect(value.0 == 2)
        #expect(value.1.first?.balance == 50)
        // The difference is from the value before, not from the state before.
        #expect(value.2 == 1)
    }

    private struct Unfit: Error {}

    @Test("What the mapping throws ends the sequence")
    func errors() async throws {
        var values = User.where(\.isFriend == true).sorted(by: \.userID).observe(in: context) { list in
            guard list.count < 4 else { throw Unfit() }
            return list.count
        }.makeAsyncIterator()
        #expect(try await values.next() == 3)
        try await change(2) { $0.isFriend = true }
        await #expect(throws: Unfit.self) { _ = try await values.next() }
        #expect(try await values.next() == nil)
    }

    /// Nothing says where the loop runs, so the context is the default stack's main one, not that of the thread.
    @Test("Without a context the default stack's main context is watched, from every thread", .defaultStack)
    func defaultContext() async throws {
        try await MagicalRecord.tearDown()
        try MagicalRecord.setUp(.inMemory, model: .model(AddressBook.model()))
        let stack = try #require(MagicalRecord.defaultStack)
        try AddressBook.fill(stack)
        let saved = try await MagicalRecord.save { _ in User.all.observe { $0.compactMap(\.displayName).sorted() } }
        for values in [User.where({ !$0.isFriend }).observe { $0.compactMap(\.displayName).sorted() }, saved] {
            var names: [String] = []
            for try await value in values {
                names = value
                break
            }
            #expect(names.contains("Bob") && names.contains("Émile"))
        }
        var count = try await MagicalRecord.save { _ in User.all.observeCount() }.makeAsyncIterator()
        #expect(try await count.next() == 5)
        try await MagicalRecord.save { context in try User.create(in: context) }
        #expect(try await count.next() == 6)
        try await MagicalRecord.tearDown()
        #expect(try await count.next() == nil)
        let error = await #expect(throws: MagicalRecordError.self) {
            for try await _ in User.all.observeCount() {}
        }
        #expect(error?.code == .notSetUp)
    }
}
