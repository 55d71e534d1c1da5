import MagicalRecord
import Testing

/// `changes(of:)`: the values of one object's property over time.
@Suite("Changes of a property", .addressBook, .timeLimit(.minutes(5)))
struct PropertyChangesTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        try AddressBook.fill(stack)
        context = stack.newFollowingContext(named: "watched")
    }

    /// Returns an iterator over values of Ann's, made on the context's queue.
    private func iterator<Value>(
        in other: NSManagedObjectContext? = nil,
        _ changes: @escaping @Sendable (User) -> MagicalRecord.LiveValues<Value>
    ) async throws -> MagicalRecord.LiveValues<Value>.Iterator {
        let context = other ?? context
        return try await context.perform {
            let user = try User.findFirst(where: \.userID == 1, in: context)
            return changes(try #require(user)).makeAsyncIterator()
        }
    }

    private func change(
        in other: NSManagedObjectContext? = nil,
        _ body: @escaping @Sendable (User, NSManagedObjectContext) throws -> Void
    ) async throws {
        let context = other ?? context
        try await context.perform {
            if let user = try User.findFirst(where: \.userID == 1, in: context) { try body(user, context) }
        }
    }

    @Test("The present value comes first, and others when they differ")
    func values() async throws {
        var names = try await iterator { $0.changes(of: \.displayName) }
        #expect(try await names.next() == "Ann")
        try await change { user, _ in user.displayName = "Anna" }
        #expect(try await names.next() == "Anna")
        // Another property, the same value, and a value that is gone before the queue comes to it.
        try await change { user, _ in user.balance = 7 }
        await context.settle()
        try await change { user, _ in
            user.displayName = "Hannah"
            user.displayName = "Anna"
        }
        await context.settle()
        try await change { user, _ in user.displayName = nil }
        let absent = try await names.next()
        #expect(absent == .some(nil))
    }

    @Test("A rollback delivers the value it restores")
    func rollback() async throws {
        var names = try await iterator { $0.changes(of: \.displayName) }
        #expect(try await names.next() == "Ann")
        try await change { user, _ in user.displayName = "Anna" }
        #expect(try await names.next() == "Anna")
        await context.perform { [context] in context.rollback() }
        #expect(try await names.next() == "Ann")
    }

    // Apple's undo managers belong to the main actor.
    #if !canImport(ObjectiveC)
    @Test("Undo and redo deliver the values they restore")
    func undo() async throws {
        var names = try await iterator { $0.changes(of: \.displayName) }
        #expect(try await names.next() == "Ann")
        try await change { user, context in
            context.undoManager = UndoManager()
            user.displayName = "Hannah"
        }
        #expect(try await names.next() == "Hannah")
        await context.perform { [context] in context.undo() }
        #expect(try await names.next() == "Ann")
        await context.perform { [context] in context.redo() }
        #expect(try await names.next() == "Hannah")
    }
    #endif

    @Test("Saves of other contexts count when they are merged")
    func merges() async throws {
        var balances = try await iterator { $0.changes(of: \.balance) }
        #expect(try await balances.next() == 10)
        try await stack.save { context in
            try User.findFirst(where: \.userID == 1, in: context)?.balance = 11
        }
        #expect(try await balances.next() == 11)
    }

    @Test("A refresh delivers what others saved", arguments: [true, false])
    func refreshes(_ mergesChanges: Bool) async throws {
        let context = stack.newContext()
        context.automaticallyMergesChangesFromParent = false
        var balances = try await iterator(in: context) { $0.changes(of: \.balance) }
        #expect(try await balances.next() == 10)
        try await stack.save { context in
            try User.findFirst(where: \.userID == 1, in: context)?.balance = 11
        }
        try await change(in: context) { user, context in context.refresh(user, mergeChanges: mergesChanges) }
        #expect(try await balances.next() == 11)
    }

    @Test("A loop that takes its time gets the newest value")
    func newest() async throws {
        var balances = try await iterator { $0.changes(of: \.balance) }
        #expect(try await balances.next() == 10)
        for number in 1...5 {
            try await change { user, _ in user.balance = Double(number) }
            await context.settle()
        }
        #expect(try await balances.next() == 5)
    }

    // MARK: Relationships

    @Test("A to-one relationship gives IDs, and is compared by them")
    func toOne() async throws {
        let ids = try await context.perform { [context] in
            try Team.findAll(sortedBy: \.teamID, in: context).map(\.objectID)
        }
        var teams = try await iterator { $0.changes(of: \.team) }
        #expect(try await teams.next() == ids[0])
        // A change inside of the team is none of the relationship.
        try await change { user, _ in user.team?.name = "Crimson" }
        await context.settle()
        try await change { user, context in
            user.team = try Team.findFirst(where: \.teamID == 2, in: context)
        }
        #expect(try await teams.next() == ids[1])
        try await change { user, _ in user.team = nil }
        let absent = try await teams.next()
        #expect(absent == .some(nil))
    }

    @Test("A to-many relationship gives sets of IDs, changed from either end")
    func toMany() async throws {
        var messages = try await iterator { $0.changes(of: \.messages) }
        let first = try #require(try await messages.next())
        #expect(first.count == 1)
        try await change { user, context in
            try Message.create(in: context) { $0.sender = user }
        }
        let second = try #require(try await messages.next())
        #expect(second.count == 2)
        #expect(second.isSuperset(of: first))
        #expect(second.contains { $0.isTemporaryID })
        // The save replaces the temporary ID.
        try await change { _, context in try context.save() }
        let third = try #require(try await messages.next())
        #expect(third.count == 2)
        #expect(!third.contains { $0.isTemporaryID })
    }

    @Test("A path through a relationship follows both of its parts")
    func paths() async throws {
        var names = try await iterator { $0.changes(of: \.team?.name) }
        #expect(try await names.next() == "Red")
        try await change { user, _ in user.team?.name = "Crimson" }
        #expect(try await names.next() == "Crimson")
        try await change { user, context in user.team = try Team.findFirst(where: \.teamID == 2, in: context) }
        #expect(try await names.next() == "Blue")
        try await change { _, context in try Team.findFirst(where: \.teamID == 1, in: context)?.name = "Scarlet" }
        await context.settle()
        try await change { user, _ in user.team?.name = "Azure" }
        #expect(try await names.next() == "Azure")
    }

    // MARK: The end

    @Test("A deletion ends it once it is saved, and delivers nothing before")
    func deletion() async throws {
        var names = try await iterator { $0.changes(of: \.displayName) }
        #expect(try await names.next() == "Ann")
        try await change { user, context in context.delete(user) }
        await context.settle()
        await context.perform { [context] in context.rollback() }
        try await change { user, _ in user.displayName = "Anna" }
        #expect(try await names.next() == "Anna")
        try await change { user, context in
            context.delete(user)
            try context.save()
        }
        let end = try await names.next()
        #expect(end == nil)
    }

    @Test("A deletion by another context ends it")
    func deletionElsewhere() async throws {
        var names = try await iterator { $0.changes(of: \.displayName) }
        #expect(try await names.next() == "Ann")
        try await stack.save { context in
            try User.findFirst(where: \.userID == 1, in: context).map(context.delete)
        }
        let end = try await names.next()
        #expect(end == nil)
    }

    @Test("A reset ends it, and so does tearing the stack down", arguments: [true, false])
    func reset(_ isReset: Bool) async throws {
        var names = try await iterator { $0.changes(of: \.displayName) }
        #expect(try await names.next() == "Ann")
        if isReset {
            await context.perform { [context] in context.reset() }
        } else {
            try await stack.tearDown()
        }
        let end = try await names.next()
        #expect(end == nil)
    }

    @Test("Cancelling its task ends a loop")
    func cancellation() async throws {
        let first = try await iterator { $0.changes(of: \.displayName) }
        let task = Task {
            var names = first
            var count = 0
            while try await names.next() != nil { count += 1 }
            return count
        }
        try await Task.sleep(nanoseconds: 20_000_000)
        task.cancel()
        #expect(try await task.value <= 1)
    }

    // MARK: Mistakes

    @Test("A computed property, and one the model lacks, are errors that name it")
    func mistakes() async throws {
        var computed = try await iterator { $0.changes(of: \.shortName) }
        await #expect { _ = try await computed.next() } throws: {
            ($0 as? MagicalRecordError)?.code == .unnamedKeyPath
        }
        var unknown = try await iterator { $0.changes(of: \.objectID) }
        await #expect { _ = try await unknown.next() } throws: {
            let error = $0 as? MagicalRecordError
            return error?.code == .unknownKey && error?.entity == "User" && error?.key == "objectID"
        }
    }

    @Test("An object without a context cannot be observed")
    func noContext() async throws {
        var names = await context.perform { [context] in
            let entity = NSEntityDescription.entity(forEntityName: "User", in: context)!
            return User(entity: entity, insertInto: nil).changes(of: \.displayName).makeAsyncIterator()
        }
        await #expect { _ = try await names.next() } throws: {
            ($0 as? MagicalRecordError)?.code == .missingContext
        }
    }
}
