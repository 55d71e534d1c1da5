import MagicalRecord
import Testing

@Suite struct ContextOwnerTests {
    actor UserStore: MagicalRecord.ContextOwner {
        nonisolated let executor: MagicalRecord.ContextExecutor

        init(_ stack: MagicalRecord.Stack) {
            executor = MagicalRecord.ContextExecutor(stack.newContext(named: "users"))
        }

        func add(_ id: Int64) throws {
            let user = try User.create(in: context)
            user.userID = id
            try context.save(to: .store)
        }

        func count() throws -> Int { try context.count(for: NSFetchRequest<User>(entityName: "User")) }
    }

    @Test func anActorOwnsAContext() async throws {
        let stack = try AddressBook.stack()
        let store = UserStore(stack)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 0..<10 { group.addTask { try await store.add(Int64(id)) } }
            try await group.waitForAll()
        }
        #expect(try await store.count() == 10)
        #expect(try await stack.read { try User.count(in: $0) } == 10)
    }
}
