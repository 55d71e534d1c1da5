import MagicalRecord
import MagicalRecordTestSupport
import MagicalRecordTesting
import Testing

/// Default stacks of tasks: what changes them, and what does not see them.
@Suite struct DefaultStackOfTaskTests {
    private let stack: MagicalRecord.Stack

    init() throws {
        stack = try AddressBook.stack(.temporary, shape: .server)
    }

    @Test(.defaultStack) func setUpAndTearDownActOnTheTasksOwn() async throws {
        let outer = MagicalRecord.defaultStack
        try await MagicalRecord.withDefaultStack(nil) {
            #expect(MagicalRecord.defaultStack == nil)
            await #expect { try await MagicalRecord.save { _ in } } throws: { MagicalRecordError.Code.notSetUp ~= $0 }
            let made = try MagicalRecord.setUp(.temporary, shape: .server, model: .model(AddressBook.model()))
            #expect(MagicalRecord.defaultStack === made)
            try await MagicalRecord.tearDown()
            #expect(MagicalRecord.defaultStack == nil && made.isTornDown)
        }
        #expect(MagicalRecord.defaultStack === outer)
    }

    // It takes the error handler back, which is the program's.
    @Test(.defaultStack) func cleaningUpEndsTheTasksOwn() {
        MagicalRecord.withDefaultStack(stack) {
            MagicalRecord.cleanUp()
            #expect(MagicalRecord.defaultStack == nil)
        }
        #expect(stack.isTornDown)
    }

    @Test func theyNestAndEndWithTheirBody() throws {
        let other = try AddressBook.stack(.temporary, shape: .server)
        MagicalRecord.withDefaultStack(stack) {
            MagicalRecord.withDefaultStack(other) { #expect(MagicalRecord.defaultStack === other) }
            #expect(MagicalRecord.defaultStack === stack)
        }
        #expect(!stack.isTornDown && !other.isTornDown)
    }

    @Test func bodiesWithoutAwaitHaveOneToo() throws {
        let count = try MagicalRecord.withDefaultStack(stack) {
            try MagicalRecord.saveAndWait { context in try User.create(in: context) }
            return try User.count()
        }
        #expect(count == 1)
    }

    @Test func detachedTasksSeeTheProgramsOwn() async {
        let stack = stack
        let isSeen = await MagicalRecord.withDefaultStack(stack) {
            await Task.detached { MagicalRecord.defaultStack === stack }.value
        }
        #expect(!isSeen)
    }

    @Test func legacyNamesMeanItAsWell() {
        MagicalRecord.withDefaultStack(stack) {
            #expect(NSManagedObjectContext.mr_default() === stack.mainContext)
            #expect(NSPersistentStoreCoordinator.mr_default() === stack.coordinator)
            #expect(NSPersistentStore.mr_default() === stack.stores.first)
        }
    }

    private final class Members: MagicalRecord.Database, @unchecked Sendable {}

    @Test func databasesHaveContextsForEachStack() throws {
        let other = try AddressBook.stack(.temporary, shape: .server)
        let (first, second, again) = try (
            MagicalRecord.withDefaultStack(stack) { try Members.shared.context(named: "a") },
            MagicalRecord.withDefaultStack(other) { try Members.shared.context(named: "a") },
            MagicalRecord.withDefaultStack(stack) { try Members.shared.context(named: "a") }
        )
        #expect(first === again && first !== second)
        #expect(second.persistentStoreCoordinator === other.coordinator)
    }

    @Test func temporaryStoresStartEmpty() async throws {
        try await stack.save { context in try User.create(in: context) }
        let other = try AddressBook.stack(.temporary, shape: .server)
        #expect(try await other.read { try User.count(in: $0) } == 0)
        #expect(try await stack.read { try User.count(in: $0) } == 1)
    }
}
