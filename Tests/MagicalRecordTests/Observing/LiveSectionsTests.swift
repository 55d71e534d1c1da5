import MagicalRecord
import Testing

/// Sections that follow a context. The users are those of ``AddressBook``, described at ``SectionTests``.
@MainActor
@Suite("Live sections", .addressBook, .timeLimit(.minutes(5)))
struct LiveSectionsTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        try AddressBook.fill(stack)
        context = stack.newMainQueueContext()
    }

    /// The users of each section, by their numbers.
    private func ids(_ sections: [MagicalRecord.Section<some Hashable, User>]?) -> [[Int64]] {
        (sections ?? []).map { $0.map(\.userID) }
    }

    /// Changes one user, found by its number.
    private nonisolated func change(
        _ id: Int64, in other: NSManagedObjectContext? = nil, _ body: @escaping @Sendable (User) -> Void
    ) async throws {
        try await edit(in: other) { context in
            if let user = try User.findFirst(where: \.userID == id, in: context) { body(user) }
        }
    }

    /// Works in the context in one block of its queue.
    private nonisolated func edit(
        in other: NSManagedObjectContext? = nil, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Void
    ) async throws {
        let context = other ?? context
        try await context.perform { try body(context) }
    }

    private func rename(_ old: String, _ new: String, in other: NSManagedObjectContext? = nil) async throws {
        try await edit(in: other) { context in
            try Team.findFirst(where: \.name == old, in: context)?.name = new
        }
    }

    private func byCountry() -> MagicalRecord.LiveSections<Int32, User> {
        User.sorted(by: \.userID).observeSections(by: \.countryCode, in: context)
    }

    @Test("Objects move to other sections, and sections come and go")
    func following() async throws {
        var lists = byCountry().makeAsyncIterator()
        let first = try #require(try await lists.next())
        #expect(first.map(\.key) == [33, 49, 84])
        #expect(ids(first) == [[5], [1, 2], [3, 4]])
        try await change(1) { $0.countryCode = 84 }
        #expect(ids(try await lists.next()) == [[5], [2], [1, 3, 4]])
        try await edit { context in try User.findFirst(where: \.userID == 5, in: context).map(context.delete) }
        let third = try #require(try await lists.next())
        #expect(third.map(\.key) == [49, 84])
        #expect(ids(third) == [[2], [1, 3, 4]])
        try await edit { context in context.rollback() }
        #expect(ids(try await lists.next()) == [[5], [1, 2], [3, 4]])
    }

    @Test("A value of an object that stays in its section counts")
    func updates() async throws {
        var lists = byCountry().makeAsyncIterator()
        _ = try await lists.next()
        try await change(3) { $0.balance = 99 }
        let second = try #require(try await lists.next())
        #expect(ids(second) == [[5], [1, 2], [3, 4]])
        #expect(second[2][0].balance == 99)
    }

    @Test("Keys of related objects are followed")
    func relatedKeys() async throws {
        var lists = User.sorted(by: \.userID).observeSections(by: \.team?.name, in: context).makeAsyncIterator()
        let first = try #require(try await lists.next())
        #expect(first.map(\.key) == [nil, "Blue", "Red"])
        #expect(ids(first) == [[4], [3, 5], [1, 2]])
        try await rename("Red", "Amber")
        #expect(try await lists.next()?.map(\.key) == [nil, "Amber", "Blue"])
        // The order stays, and the text of a missing key would be the same.
        try await rename("Amber", "")
        #expect(try await lists.next()?.map(\.key) == [nil, "", "Blue"])
    }

    /// The property reads the name of the team, which the query does not.
    @Test("Computed keys follow every object they read")
    func computedKeys() async throws {
        var lists = User.sorted(by: \.userID).observeSections(by: \.teamName, in: context).makeAsyncIterator()
        let first = try #require(try await lists.next())
        #expect(first.map(\.key) == ["Red", "Blue", nil])
        #expect(ids(first) == [[1, 2], [3, 5], [4]])
        try await rename("Red", "Crimson")
        #expect(try await lists.next()?.map(\.key) == ["Crimson", "Blue", nil])
        try await rename("Crimson", "Blue")
        #expect(ids(try await lists.next()) == [[1, 2, 3, 5], [4]])
    }

    /// Sections without news would come at once, before the team is renamed.
    @Test("Objects that change no computed key do not count")
    func unrelatedObjects() async throws {
        var seen: [[String?]] = []
        for try await sections in User.sorted(by: \.userID).observeSections(by: \.teamName, in: context) {
            seen.append(sections.map(\.key))
            if seen.count == 2 { break }
            try await edit { context in try Message.findFirst(in: context)?.length = 1234 }
            await context.settle()
            Task {
                try await Task.sleep(nanoseconds: 100_000_000)
                try await rename("Red", "Crimson")
            }
        }
        #expect(seen == [["Red", "Blue", nil], ["Crimson", "Blue", nil]])
    }

    /// By country and number, the users are 5, 1, 2, 3, 4.
    @Test("A limit is kept, and refilled")
    func limit() async throws {
        let query = User.sorted(by: \.userID).limited(to: 2)
        var lists = query.observeSections(by: \.countryCode, in: context).makeAsyncIterator()
        #expect(ids(try await lists.next()) == [[5], [1]])
        try await change(5) { $0.countryCode = 99 }
        #expect(ids(try await lists.next()) == [[1, 2]])
    }

    @Test("No objects are no sections, until there is one")
    func empty() async throws {
        let query = User.where(\.userID > 99).sorted(by: \.userID)
        var lists = query.observeSections(by: \.countryCode, in: context).makeAsyncIterator()
        #expect(try await lists.next()?.isEmpty == true)
        try await edit { context in try User.create(in: context).userID = 100 }
        #expect(ids(try await lists.next()) == [[100]])
    }

    @Test("Values are made of the sections of a private context, for any task")
    func values() async throws {
        let other = stack.newContext()
        let sizes = User.all.sorted(by: \.userID).observeSections(by: \.countryCode, in: other) {
            $0.map { [$0.key: $0.count] }
        }
        var iterator = sizes.makeAsyncIterator()
        #expect(try await iterator.next() == [[33: 1], [49: 2], [84: 2]])
        try await change(5, in: other) { $0.countryCode = 49 }
        #expect(try await iterator.next() == [[49: 3], [84: 2]])
    }

    private struct Unfit: Error {}

    @Test("What the mapping throws ends the sequence")
    func errorsOfTheMapping() async throws {
        let other = stack.newContext()
        var counts = User.all.observeSections(by: \.countryCode, in: other) { sections in
            guard sections.count < 4 else { throw Unfit() }
            return sections.count
        }.makeAsyncIterator()
        #expect(try await counts.next() == 3)
        try await change(1, in: other) { $0.countryCode = 1 }
        await #expect(throws: Unfit.self) { _ = try await counts.next() }
        #expect(try await counts.next() == nil)
    }

    @Test("Mistakes are thrown by the iteration")
    func mistakes() async throws {
        let query = User.where(\.kind == "user")
        let error = await #expect(throws: MagicalRecordError.self) {
            for try await _ in query.observeSections(by: \.countryCode, in: context) {}
        }
        #expect(error?.code == .unnamedKeyPath)
    }

    /// Their objects would be the private queue's.
    @Test("Sections of private-queue contexts are refused")
    func privateQueues() async throws {
        let other = stack.newContext()
        let error = await #expect(throws: MagicalRecordError.self) {
            for try await _ in User.all.observeSections(by: \.countryCode, in: other) {}
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.description.contains("observeSections(") == true)
    }

    @Test("The sequence ends with its task")
    func cancellation() async throws {
        let task = Task { [sequence = byCountry()] in
            var count = 0
            for try await _ in sequence { count += 1 }
            return count
        }
        try await Task.sleep(nanoseconds: 50_000_000)
        task.cancel()
        #expect(try await task.value <= 1)
    }

    @Test("Tearing the stack down ends the loop")
    func tearDown() async throws {
        var lists = byCountry().makeAsyncIterator()
        #expect(try await lists.next()?.count == 3)
        try await stack.tearDown()
        let end = try await lists.next()
        #expect(end == nil)
    }
}
