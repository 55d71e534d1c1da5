import MagicalRecord
import Testing

/// Walks through many objects, a batch at a time. Contexts on the store walk by key off Apple, all others by ID: what
/// they do alike is tested on both, and what only walking by key does not on Apple's platforms.
@Suite("Batches")
struct BatchWalkTests {
    private static let count: Int64 = 12

    /// Users 0 to 11, saved in that order and so with rising keys; every third is a friend. Each has two messages.
    private static func makeContext(
        _ shape: MagicalRecord.Shape = .server, _ store: MagicalRecord.Store? = nil
    ) throws -> NSManagedObjectContext {
        let stack = try AddressBook.stack(store, shape: shape)
        try stack.saveAndWait { context in
            for number in 0..<count {
                let user = try User.create(in: context) {
                    $0.userID = number
                    $0.isFriend = number % 3 == 0
                }
                for _ in 0..<2 { try Message.create(in: context) { $0.sender = user } }
                // One at a time, since a save does not promise an order.
                try context.save(to: .store)
            }
        }
        return stack.newContext()
    }

    /// The numbers of the users in each batch; `body` runs after they were noted.
    private func batches(
        _ query: MagicalRecord.Query<User> = User.all, of size: Int, in context: NSManagedObjectContext,
        _ body: ([User]) throws -> Void = { _ in }
    ) throws -> [[Int64]] {
        var seen: [[Int64]] = []
        try query.forEachBatch(of: size, in: context) { users in
            seen.append(users.map(\.userID))
            try body(users)
        }
        return seen
    }

    private func save(_ context: NSManagedObjectContext) throws { try context.save(to: .store) }

    // MARK: What is visited

    @Test(arguments: [1, 2, 5, 6, 12, 13, 100])
    func everyObjectOnce(_ size: Int) throws {
        for shape in [MagicalRecord.Shape.server, .rootSaving] {
            let seen = try batches(of: size, in: try Self.makeContext(shape))
            #expect(seen.flatMap { $0 }.sorted() == Array(0..<Self.count))
            #expect(seen.dropLast().allSatisfy { $0.count == size } && seen.last?.isEmpty == false)
        }
    }

    #if !canImport(Darwin)
    @Test func objectsComeByKey() throws {
        #expect(try batches(of: 5, in: try Self.makeContext()) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11]])
    }
    #endif

    /// Conditions whose batches would not be found quickly by key.
    @Test func alternativesAndLists() throws {
        let context = try Self.makeContext()
        for (query, numbers) in [
            (User.all.where(\.userID < 3 || \.userID > 9), [0, 1, 2, 10, 11]),
            (User.all.where({ $0.userID.in([1, 5, 7]) }), [1, 5, 7]),
            (User.all.where(!(\.userID > 2 && \.isFriend == false)), [0, 1, 2, 3, 6, 9]),
            (User.all.where(!(\.userID > 2)), [0, 1, 2]),
        ] as [(MagicalRecord.Query<User>, [Int64])] {
            #expect(try batches(query, of: 2, in: context).flatMap { $0 }.sorted() == numbers)
        }
    }

    #if !canImport(Darwin)
    /// Of the SQL, only what tells the two ways apart.
    @Test func theWayIsChosenByTheCondition() throws {
        let context = try Self.makeContext()
        func isWalkedByKey(_ query: MagicalRecord.Query<User>) throws -> Bool {
            var seen = 0
            // What no longer fulfils the condition is left out where batches are looked for by key.
            try query.forEachBatch(of: 6, in: context) { users in
                seen += users.count
                for user in try User.findAll(in: context) { user.balance = -1 }
                try save(context)
            }
            for user in try User.findAll(in: context) { user.balance = 1 }
            try save(context)
            return seen == 6
        }
        for user in try User.findAll(in: context) { user.balance = 1 }
        try save(context)
        #expect(try isWalkedByKey(User.all.where(\.balance > 0)))
        #expect(try isWalkedByKey(User.all.where(\.balance > 0).where(\.userID < 50).where(!(\.userID == 77))))
        #expect(try !isWalkedByKey(User.all.where(\.balance > 0 || \.userID == 77)))
        #expect(try !isWalkedByKey(User.all.where(\.balance > 0).where(!(\.userID == 77 && \.userID == 78))))
        #expect(try !isWalkedByKey(User.all.where({ $0.balance.in([1, 2]) })))
        #expect(try !isWalkedByKey(User.all.where(\.balance > 0).sorted(by: \.userID)))
    }
    #endif

    @Test func onlyWhatFulfilsTheCondition() throws {
        let context = try Self.makeContext()
        let friends = User.all.where(\.isFriend == true)
        for size in 1...5 { #expect(try batches(friends, of: size, in: context).flatMap { $0 } == [0, 3, 6, 9]) }
        #expect(try batches(friends.where(\.userID > 3), of: 1, in: context) == [[6], [9]])
        #expect(try batches(User.all.where(\.userID > 50), of: 2, in: context).isEmpty)
        try User.deleteAll(in: context)
        try save(context)
        #expect(try batches(of: 2, in: context).isEmpty)
    }

    @Test func orderLimitAndOffset() throws {
        let context = try Self.makeContext()
        let sorted = User.all.sorted(by: \.userID, .descending)
        #expect(try batches(sorted, of: 5, in: context) == [[11, 10, 9, 8, 7], [6, 5, 4, 3, 2], [1, 0]])
        #expect(try batches(sorted.limited(to: 3, offset: 2), of: 2, in: context) == [[9, 8], [7]])
        #expect(try batches(User.all.limited(to: 5), of: 2, in: context).map(\.count) == [2, 2, 1])
    }

    @Test func prefetching() throws {
        let context = try Self.makeContext()
        let query = User.all.prefetching(.relationship(\.messages))
        var messages = 0
        let seen = try batches(query, of: 5, in: context) { users in
            #expect(users.allSatisfy { !$0.hasFault(forRelationshipNamed: "messages") })
            for user in users { messages += user.messages.count }
        }
        #expect(seen.map(\.count) == [5, 5, 2])
        #expect(messages == 24)
    }

    @Test func storesInMemory() throws {
        let context = try Self.makeContext(.server, .inMemory)
        #expect(try batches(of: 5, in: context).flatMap { $0 }.sorted() == Array(0..<Self.count))
    }

    // MARK: What the body does

    @Test func deleting() throws {
        let context = try Self.makeContext()
        let seen = try batches(of: 3, in: context) { users in
            // The batch itself, and from the later ones 10.
            users.forEach(context.delete)
            try User.findAll(where: \.userID == 10, in: context).forEach(context.delete)
            try save(context)
        }
        #expect(seen.flatMap { $0 }.sorted() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11])
        #expect(try User.count(in: context) == 0)
    }

    @Test func deletingWithoutSaving() throws {
        let context = try Self.makeContext()
        let seen = try batches(of: 2, in: context) { users in
            guard users[0].userID == 0 else { return }
            // A whole batch among them: it is not handed over empty.
            try User.findAll(where: { $0.userID.in([2, 3, 5]) }, in: context).forEach(context.delete)
        }
        #expect(seen.allSatisfy { !$0.isEmpty })
        #expect(seen.flatMap { $0 } == [0, 1, 4, 6, 7, 8, 9, 10, 11])
    }

    /// With a whole batch before it, and with less.
    @Test(arguments: [11, 4]) func deletingTheLastOne(_ size: Int) throws {
        let context = try Self.makeContext()
        let seen = try batches(of: size, in: context) { users in
            guard users[0].userID == 0 else { return }
            try User.deleteAll(where: \.userID == 11, in: context)
            try save(context)
        }
        #expect(seen.flatMap { $0 } == Array(0...10))
    }

    @Test func deletingWhatTakesOthersAlong() throws {
        for shape in [MagicalRecord.Shape.server, .rootSaving] {
            let context = try Self.makeContext(shape)
            var first = 0
            try Message.all.forEachBatch(of: 1, in: context) { messages in
                first += 1
                // Both messages go with their sender: that is the rule.
                messages[0].sender.map(context.delete)
            }
            #expect(first == Int(Self.count))
        }
    }

    /// What the context does to its objects between batches is nothing to the walk.
    @Test func forgettingObjects() throws {
        let context = try Self.makeContext()
        typealias Forgetting = (NSManagedObjectContext) -> Void
        for forget in [{ $0.reset() }, { $0.rollback() }, { $0.refreshAllObjects() }] as [Forgetting] {
            let seen = try batches(of: 5, in: context) { users in
                users[0].balance += 1
                forget(context)
            }
            #expect(seen.flatMap { $0 } == Array(0..<Self.count))
            context.runAndWait { context.rollback() }
        }
    }

    @Test func inserting() throws {
        let context = try Self.makeContext()
        let seen = try batches(of: 2, in: context) { users in
            for user in users { try User.create(in: context) { $0.userID = user.userID + 100 } }
            try save(context)
        }
        #expect(seen.flatMap { $0 } == Array(0..<Self.count))
        #expect(try User.count(in: context) == 2 * Int(Self.count))
    }

    @Test func changingWhatTheConditionIsAbout() throws {
        let context = try Self.makeContext()
        let seen = try batches(User.all.where(\.isFriend == false), of: 3, in: context) { users in
            for user in users { user.isFriend = true }
            try save(context)
        }
        #expect(seen.flatMap { $0 } == [1, 2, 4, 5, 7, 8, 10, 11])
        #expect(try User.count(where: \.isFriend == false, in: context) == 0)
    }

    #if !canImport(Darwin)
    @Test func whatNoLongerFulfilsTheConditionIsLeftOut() throws {
        let context = try Self.makeContext()
        let seen = try batches(User.all.where(\.isFriend == false), of: 3, in: context) { _ in
            try User.findAll(where: \.userID == 10, in: context).forEach { $0.isFriend = true }
            try save(context)
        }
        #expect(seen == [[1, 2, 4], [5, 7, 8], [11]])
    }
    #endif

    @Test func throwingEndsTheWalk() throws {
        struct Enough: Error {}
        for shape in [MagicalRecord.Shape.server, .rootSaving] {
            var calls = 0
            #expect(throws: Enough.self) {
                _ = try batches(of: 2, in: try Self.makeContext(shape)) { _ in
                    calls += 1
                    if calls == 3 { throw Enough() }
                }
            }
            #expect(calls == 3)
        }
    }

    // MARK: Unsaved objects

    /// Their IDs change when the body saves them.
    @Test func unsavedObjectsAreVisited() throws {
        for saves in [false, true] {
            let context = try Self.makeContext()
            for number in 100..<105 { try User.create(in: context) { $0.userID = Int64(number) } }
            let seen = try batches(of: 2, in: context) { _ in if saves { try save(context) } }
            #expect(seen.flatMap { $0 }.sorted() == Array(0..<Self.count) + Array(100..<105))
        }
    }

    @Test func unsavedObjectsThatGo() throws {
        let context = try Self.makeContext()
        for number in 100..<105 { try User.create(in: context) { $0.userID = Int64(number) } }
        let seen = try batches(User.all.sorted(by: \.userID), of: 13, in: context) { _ in
            try User.deleteAll(where: \.userID == 102, in: context)
            try save(context)
            try User.deleteAll(where: \.userID == 103, in: context)
        }
        #expect(seen == [Array(0..<Self.count) + [100], [101, 104]])
    }

    @Test func savedOnly() throws {
        let context = try Self.makeContext()
        try User.create(in: context)
        try User.deleteAll(where: \.userID == 5, in: context)
        let seen = try batches(User.all.savedOnly(), of: 3, in: context)
        #expect(seen.flatMap { $0 } == [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11])
    }

    @Test func childrenSeeWhatTheirParentsHaveNotSaved() throws {
        let parent = try Self.makeContext()
        try User.create(in: parent) { $0.userID = 100 }
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        let seen = try batches(of: 5, in: child).flatMap { $0 }
        #expect(seen.sorted() == Array(0..<Self.count) + [100])
    }

    /// Their IDs change when the body saves them along with its own changes.
    @Test func whatParentsHaveNotSavedIsVisitedWhenItIsSavedMeanwhile() throws {
        let parent = try Self.makeContext()
        for number in 100..<105 { try User.create(in: parent) { $0.userID = Int64(number) } }
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        let seen = try batches(User.all.sorted(by: \.userID, .descending), of: 2, in: child) { users in
            for user in users { user.balance += 1 }
            try save(child)
        }
        #expect(seen.flatMap { $0 } == Array(100..<105).reversed() + Array(0..<Self.count).reversed())
    }

    // MARK: Memory

    @Test(arguments: [MagicalRecord.Shape.server, .siblings])
    func onlyOneBatchIsInMemory(_ shape: MagicalRecord.Shape) throws {
        let context = try Self.makeContext(shape)
        var most = 0
        for query in [User.all, User.all.prefetching(.relationship(\.team))] {
            _ = try batches(query, of: 2, in: context) { users in
                for user in users { user.balance += 1 }
                try save(context)
                most = max(most, context.registeredObjects.count)
            }
        }
        #expect(most <= 4)
        #expect(context.runAndWait { context.registeredObjects.count } <= 2)
    }
}
