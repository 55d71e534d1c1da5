import Foundation
import MagicalRecord
import Testing

/// Plain saves, which meet what others have written in every shape, those included whose contexts for work have a parent.
///
/// Core Data's optimistic locking is expected: "If the versions do not match, the save is refused" under
/// `NSMergePolicy.error` (Apple's reference of `NSMergePolicy`), and the versions are those the save has read. A second stack on
/// the file stands for another process.
@Suite struct ShapeConflictTests {
    private static func change(
        _ stack: MagicalRecord.Stack, _ other: MagicalRecord.Stack,
        _ work: @escaping @Sendable (User, NSManagedObjectContext) throws -> Void
    ) async throws {
        try await stack.save { context in
            let user = try #require(try User.findFirst(where: \.userID == 1, in: context))
            #expect(user.displayName == "Ann")
            try other.saveAndWait {
                let user = try #require(try User.findFirst(where: \.userID == 1, in: $0))
                (user.displayName, user.balance) = ("there", 2)
            }
            try work(user, context)
        }
    }

    private static func stacks(
        _ shape: MagicalRecord.Shape, _ policy: NSMergePolicy = .error
    ) async throws -> (file: URL, stack: MagicalRecord.Stack, other: MagicalRecord.Stack) {
        let file = ScratchFiles.new("Users.sqlite")
        let stack = try SaveConflictTests.stack(file, shape, mergePolicy: policy)
        try await stack.save { try SaveConflictTests.create(1, "Ann", in: $0) }
        return (file, stack, try SaveConflictTests.stack(file))
    }

    @Test(arguments: SavingTests.shapes, [false, true])
    func isRefused(_ shape: MagicalRecord.Shape, _ isDeletion: Bool) async throws {
        let (file, stack, other) = try await Self.stacks(shape)
        let error = await #expect(throws: NSError.self) {
            try await Self.change(stack, other) { user, context in
                if isDeletion { context.delete(user) } else { user.displayName = "here" }
            }
        }
        #expect(error?.code == NSManagedObjectMergeError)
        #expect(try await SaveConflictTests.names(in: file) == ["there"])
        // Nothing is left of it in the contexts above, and what was refused is read again.
        try await stack.save { context in
            let user = try #require(try User.findFirst(where: \.userID == 1, in: context))
            #expect(user.displayName == "there")
            user.displayName = "later"
        }
        #expect(try await SaveConflictTests.names(in: file) == ["later"])
    }

    @Test(arguments: SavingTests.shapes) func theStacksPolicyDecides(_ shape: MagicalRecord.Shape) async throws {
        let rules: [(NSMergePolicy, String, Double)] = [
            (.mergeByPropertyObjectTrump, "here", 2), (.mergeByPropertyStoreTrump, "there", 2), (.rollback, "there", 2),
        ]
        for (policy, name, balance) in rules {
            let (file, stack, other) = try await Self.stacks(shape, policy)
            try await Self.change(stack, other) { user, _ in user.displayName = "here" }
            let reader = try SaveConflictTests.stack(file)
            let found = try await reader.read { context in
                try User.findAll(in: context).map { "\($0.displayName ?? "") \($0.balance)" }
            }
            #expect(found == ["\(name) \(balance)"])
        }
    }

    /// Increments of one stack by many saves, each tried again after a conflict, while another stack does the same.
    @Test(arguments: SavingTests.shapes) func noIncrementIsLost(_ shape: MagicalRecord.Shape) async throws {
        let store = try ScratchStores.new("Users.sqlite")
        func makeStack(_ shape: MagicalRecord.Shape = .rootSaving) throws -> MagicalRecord.Stack {
            try MagicalRecord.Stack(
                [store], shape: shape, model: .model(SaveConflictTests.model()), mergePolicy: .error)
        }
        let (stack, other) = (try makeStack(shape), try makeStack(shape))
        try await stack.save { try SaveConflictTests.create(1, "Ann", in: $0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                let writer = number % 2 == 0 ? stack : other
                group.addTask {
                    while true {
                        do {
                            return try await writer.save { context in
                                try #require(try User.findFirst(where: \.userID == 1, in: context)).balance += 1
                            }
                        } catch  where (error as NSError).code == NSManagedObjectMergeError {}
                    }
                }
            }
            try await group.waitForAll()
        }
        let reader = try makeStack()
        #expect(try await reader.read { try User.findFirst(in: $0)?.balance } == 60)
        await stack.mergesHaveEnded()
        await other.mergesHaveEnded()
    }
}
