import MagicalRecord
import Testing

/// Looking up or creating, from many callers at once and on every way to save, where saves take turns.
@Suite struct ConcurrentCallerTests {
    @Test(arguments: SavingTests.shapes) func upsertsDoNotRace(_ shape: MagicalRecord.Shape) async throws {
        let stack = try AddressBook.stack(ScratchStores.oneWriter(), shape: shape)
        let database = MagicalRecord.Database(stack: stack)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                group.addTask {
                    let work: @Sendable (NSManagedObjectContext) throws -> Void = { context in
                        try Team.upsert(by: \.teamID, Int64(number % 3), in: context) { team in
                            team.name = "Team \(number % 3)"
                        }
                    }
                    switch number % 3 {
                    case 0: try await stack.save(work)
                    case 1: try await database.save("teams", work)
                    default: try await database.save("others", work)
                    }
                }
            }
            try await group.waitForAll()
        }
        let names = try await stack.read { context in
            try Team.findAll(sortedBy: \.teamID, in: context).map(\.name)
        }
        #expect(names == ["Team 0", "Team 1", "Team 2"])
    }

    /// Threads that block, beside tasks that do not. (Shapes whose workers read through the main queue are left out:
    /// there blocking all threads leaves nobody to serve it.)
    @Test(arguments: [MagicalRecord.Shape.rootSaving, .siblings, .server])
    func blockingCallersDoNotRace(_ shape: MagicalRecord.Shape) async throws {
        let stack = try AddressBook.stack(ScratchStores.oneWriter(), shape: shape)
        let work: @Sendable (NSManagedObjectContext) throws -> Void = { context in
            let user = try User.findOrCreate(by: \.userID, 7, in: context)
            user.balance += 1
        }
        let failures = Mailbox()
        async let asynchronous: Void = withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { try await stack.save(work) } }
            try await group.waitForAll()
        }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let group = DispatchGroup()
            for _ in 0..<2 {
                let thread = Thread {
                    for _ in 0..<5 {
                        do { try stack.saveAndWait(work) } catch { failures.add(error) }
                    }
                    group.leave()
                }
                group.enter()
                thread.start()
            }
            group.notify(queue: .global()) { continuation.resume() }
        }
        try await asynchronous
        #expect(failures.errors.isEmpty)
        let balances = try await stack.read { context in try User.findAll(in: context).map(\.balance) }
        // One user, and no addition lost: each save read what the one before had written.
        #expect(balances == [20])
    }

    /// The legacy function inside legacy saves.
    @Test func theLegacyFunctionDoesNotRaceEither() async throws {
        let stack = try AddressBook.stack(ScratchStores.oneWriter())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await stack.save { context in
                        _ = Team.mr_findFirstOrCreate(byAttribute: "name", withValue: "Red", in: context)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await stack.read { try Team.count(in: $0) } == 1)
    }

    @Test func importsTakeTurnsWithSaves() async throws {
        let stack = try AddressBook.stack(ScratchStores.oneWriter())
        let records: [[String: any Sendable]] = (0..<200).map { ["userID": $0 % 50, "displayName": "User \($0 % 50)"] }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await stack.importAll(
                        User.self, from: .records(records), options: MagicalRecord.ImportOptions(chunkSize: 20))
                }
                group.addTask {
                    try await stack.save { context in
                        for id in 0..<50 {
                            try User.findOrCreate(by: \.userID, Int64(id), in: context)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await stack.read { try User.count(in: $0) } == 50)
    }
}
