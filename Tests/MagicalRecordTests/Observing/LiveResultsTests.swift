import MagicalRecord
import Testing

/// `results(where:)`: lists that follow a main-queue context.
@MainActor
@Suite("Live results", .addressBook, .timeLimit(.minutes(5)))
struct LiveResultsTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        try AddressBook.fill(stack)
        context = stack.newMainQueueContext()
    }

    private func names(_ list: MagicalRecord.ResultList<User>?) -> [String] {
        (list?.objects ?? []).map { $0.displayName ?? "" }
    }

    /// Changes one user, found by its number.
    private func change(_ id: Int64, _ body: @escaping @Sendable (User) -> Void) async throws {
        try await edit { context in
            if let user = try User.findFirst(where: \.userID == id, in: context) { body(user) }
        }
    }

    /// Works in the context in one block of its queue.
    private nonisolated func edit(_ body: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws {
        try await context.perform { [context] in try body(context) }
    }

    private func friends() -> MagicalRecord.LiveResults<User> {
        User.where(\.isFriend == true).sorted(by: \.displayName).observeObjects(in: context)
    }

    @Test("The first list is what there is, the next ones follow changes")
    func following() async throws {
        var lists = friends().makeAsyncIterator()
        #expect(names(try await lists.next()) == ["Ann", "Cid", "Dora"])
        try await change(2) { $0.isFriend = true }
        #expect(names(try await lists.next()) == ["Ann", "Bob", "Cid", "Dora"])
        try await change(1) { $0.displayName = "Zoe" }
        #expect(names(try await lists.next()) == ["Bob", "Cid", "Dora", "Zoe"])
        try await edit { context in
            let user = try User.create(in: context)
            user.displayName = "Abe"
            user.isFriend = true
            try User.findFirst(where: \.userID == 3, in: context).map(context.delete)
        }
        #expect(names(try await lists.next()) == ["Abe", "Bob", "Dora", "Zoe"])
        try await edit { context in context.rollback() }
        #expect(names(try await lists.next()) == ["Ann", "Cid", "Dora"])
    }

    @Test("Differences say what came, went, moved and changed")
    func differences() async throws {
        var lists = friends().makeAsyncIterator()
        let first = try #require(try await lists.next()).difference
        #expect(first.insertions.map(\.position) == (0..<3).map { MagicalRecord.ResultPosition(section: 0, item: $0) })
        #expect(first.insertedSections == [0])
        try await change(3) { $0.balance = 99 }
        let update = try #require(try await lists.next()).difference
        #expect(update.updates.map(\.new.item) == [1])
        #expect(update.insertions.isEmpty && update.deletions.isEmpty && update.moves.isEmpty)
        try await change(1) { $0.displayName = "Zoe" }
        let move = try #require(try await lists.next()).difference
        #expect(move.moves.map { [$0.old.item, $0.new.item] } == [[0, 2]])
        try await change(4) { $0.isFriend = false }
        let list = try #require(try await lists.next())
        let deletion = list.difference
        #expect(deletion.deletions.map(\.position.item) == [1])
        #expect(deletion.collectionDifference.removals.count == 1)
        #expect(list.sections.map(\.count) == [2])
    }

    @Test("Changes that come faster than lists are taken become one list")
    func coalescing() async throws {
        var lists = friends().makeAsyncIterator()
        _ = try await lists.next()
        for round in 0..<50 {
            try await change(1) { $0.displayName = "Ann \(round)" }
            try await change(2) { $0.isFriend = round % 2 == 0 }
        }
        try await change(2) { $0.isFriend = true }
        await context.settle()
        let list = try #require(try await lists.next())
        #expect(names(list) == ["Ann 49", "Bob", "Cid", "Dora"])
        #expect(list.difference.insertions.count == 1)
        #expect(list.difference.updates.count == 1)
        // Nothing is left over: the next list is about the next change.
        try await change(4) { $0.displayName = "Eve" }
        #expect(names(try await lists.next()) == ["Ann 49", "Bob", "Cid", "Eve"])
    }

    @Test("Many changes in one block are one list")
    func oneBlock() async throws {
        var lists = friends().makeAsyncIterator()
        _ = try await lists.next()
        try await edit { context in
            for number in 0..<20 {
                let user = try User.create(in: context)
                user.displayName = "N\(number)"
                user.isFriend = true
                context.processPendingChanges()
            }
        }
        #expect(try await lists.next()?.count == 23)
    }

    @Test("Objects reached through relationships count")
    func relationships() async throws {
        let reds = User.where(\.team?.name == "Red").sorted(by: \.displayName).observeObjects(in: context)
        var lists = reds.makeAsyncIterator()
        #expect(names(try await lists.next()) == ["Ann", "Bob"])
        try await edit { context in
            try Team.findFirst(where: \.name == "Red", in: context)?.name = "Crimson"
            try context.save()
        }
        #expect(names(try await lists.next()) == [])
        try await edit { context in
            try Team.findFirst(where: \.name == "Blue", in: context)?.name = "Red"
            try context.save()
        }
        #expect(names(try await lists.next()) == ["Cid", "Émile"])
        var talkative = try User.where("messages.@count > %d", 4).sorted(by: \.userID).observeObjects(in: context)
            .makeAsyncIterator()
        #expect(names(try await talkative.next()) == ["Émile"])
        try await change(4) { user in
            let message = Message(context: user.managedObjectContext!)
            message.sender = user
            try? user.managedObjectContext?.save()
        }
        #expect(names(try await talkative.next()) == ["Dora", "Émile"])
    }

    @Test("An order through a relationship follows that relationship's objects")
    func orderThroughRelationship() async throws {
        let byTeam = User.where(\.team != nil).sorted(by: [.key("team.name"), .ascending(\.userID)]).observeObjects(
            in: context)
        var lists = byTeam.makeAsyncIterator()
        #expect(names(try await lists.next()) == ["Cid", "Émile", "Ann", "Bob"])
        try await edit { context in
            try Team.findFirst(where: \.name == "Red", in: context)?.name = "Amber"
            try context.save()
        }
        #expect(names(try await lists.next()) == ["Ann", "Bob", "Cid", "Émile"])
    }

    @Test("Sections come first in the order, and come and go")
    func sections() async throws {
        let grouped = User.sorted(by: \.displayName).observeObjects(sectionedBy: \.countryCode, in: context)
        var lists = grouped.makeAsyncIterator()
        let first = try #require(try await lists.next())
        #expect(first.sections.map(\.name) == ["33", "49", "84"])
        #expect(first.sections.map(\.count) == [1, 2, 2])
        try await change(5) { $0.countryCode = 84 }
        let second = try #require(try await lists.next())
        #expect(second.sections.map(\.name) == ["49", "84"])
        #expect(names(second) == ["Ann", "Bob", "Cid", "Dora", "Émile"])
        let difference = second.difference
        #expect(difference.deletedSections == [0])
        #expect(difference.insertedSections.isEmpty)
        #expect(difference.moves.map(\.old) == [MagicalRecord.ResultPosition(section: 0, item: 0)])
        #expect(difference.moves.map(\.new) == [MagicalRecord.ResultPosition(section: 1, item: 2)])
    }

    @Test("A limit is kept, and refilled")
    func limit() async throws {
        let richest = User.sorted(by: \.balance, .descending).limited(to: 2).observeObjects(in: context)
        var lists = richest.makeAsyncIterator()
        #expect(names(try await lists.next()) == ["Émile", "Dora"])
        try await change(1) { $0.balance = 45 }
        #expect(names(try await lists.next()) == ["Émile", "Ann"])
        try await change(5) { $0.balance = 0 }
        #expect(names(try await lists.next()) == ["Ann", "Dora"])
    }

    @Test("What other contexts save arrives through merging")
    func merging() async throws {
        context.runAndWait { context.automaticallyMergesChangesFromParent = true }
        var lists = friends().makeAsyncIterator()
        _ = try await lists.next()
        let other = stack.newContext()
        try await other.perform { @Sendable in
            try User.findFirst(where: \.userID == 2, in: other)?.isFriend = true
            try other.save()
        }
        #expect(names(try await lists.next()) == ["Ann", "Bob", "Cid", "Dora"])
    }

    @Test("A reset is followed by a list of new objects")
    func reset() async throws {
        var lists = friends().makeAsyncIterator()
        let first = try #require(try await lists.next())
        try await edit { context in context.reset() }
        let second = try #require(try await lists.next())
        #expect(names(second) == ["Ann", "Cid", "Dora"])
        #expect(first[0] !== second[0])
    }

    @Test("Only saved changes, if that was asked for")
    func savedOnly() async throws {
        let query = MagicalRecord.Query<User>().where(\.isFriend == true).sorted(by: \.userID).savedOnly()
        var lists = query.observeObjects(in: context).makeAsyncIterator()
        #expect(names(try await lists.next()) == ["Ann", "Cid", "Dora"])
        try await change(2) { user in
            user.isFriend = true
            try? user.managedObjectContext?.save()
        }
        #expect(names(try await lists.next()) == ["Ann", "Bob", "Cid", "Dora"])
    }

    @Test("The sequence ends with its task")
    func cancellation() async throws {
        let task = Task { [sequence = friends()] in
            var count = 0
            for try await _ in sequence { count += 1 }
            return count
        }
        try await Task.sleep(nanoseconds: 50_000_000)
        task.cancel()
        #expect(try await task.value <= 1)
    }

    @Test("Mistakes are thrown by the iteration")
    func mistakes() async throws {
        var lists = User.where(\.kind == "user").observeObjects(in: context).makeAsyncIterator()
        do {
            _ = try await lists.next()
            Issue.record("A condition on a computed property cannot be used.")
        } catch let error as MagicalRecordError {
            #expect(error.code == .unnamedKeyPath)
        }
        #expect(try await lists.next() == nil)
        let unknown = try User.where("nothing == 1").observeObjects(in: context)
        await #expect(throws: (any Error).self) {
            for try await _ in unknown {}
        }
    }

    @Test("Differences alone")
    func differenceSequence() async throws {
        var counts: [[Int]] = []
        for try await difference in friends().differences {
            counts.append([difference.insertions.count, difference.deletions.count])
            if counts.count == 2 { break }
            try await change(1) { $0.isFriend = false }
        }
        #expect(counts == [[3, 0], [0, 1]])
    }

    /// A main-queue context made for the loop goes with it, as ``WatchedContextTests`` shows of others.
    @Test("The loop keeps its context, and releases it")
    func contextOfItsOwn() async throws {
        weak var watched: NSManagedObjectContext?
        do {
            let results = User.sorted(by: \.userID).observeObjects(in: stack.newMainQueueContext())
            var counts: [Int] = []
            for try await list in results {
                counts.append(list.count)
                if counts.count == 2 { break }
                watched = list.first?.managedObjectContext
                try watched.map { _ = try User.create(in: $0) }
            }
            #expect(counts == [5, 6])
        }
        for _ in 0..<400 where watched != nil { try await Task.sleep(nanoseconds: 5_000_000) }
        #expect(watched == nil)
    }

    @Test("Tearing the stack down ends the loop")
    func tearDown() async throws {
        let sequence = friends()
        var lists = sequence.makeAsyncIterator()
        #expect(names(try await lists.next()).count == 3)
        try await stack.tearDown()
        let end = try await lists.next()
        #expect(end == nil)
        var late = sequence.makeAsyncIterator()
        let none = try await late.next()
        #expect(none == nil)
    }

    /// Their objects would be the private queue's; values are for that.
    @Test("Objects of private-queue contexts are refused")
    func privateQueues() async throws {
        do {
            for try await _ in User.sorted(by: \.userID).observeObjects(in: stack.newContext()) {
                Issue.record("Objects of a private-queue context came to the main actor.")
            }
        } catch let error as MagicalRecordError {
            #expect(error.code == .invalidArgument)
            #expect(error.description.contains("values"))
        }
    }
}
