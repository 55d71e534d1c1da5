import MagicalRecord
import Testing

/// What closures of saves may end with: an object, which stays behind; nothing; or a value, which is returned. Objects are not
/// `Sendable` (Apple's declare it, and so do ours), so that these lines compile, and without a warning, is part of the test. The value
/// of a closure is returned where it is `Sendable`, as the documentation of `save` promises.
@Suite(.addressBook) struct ClosureResultTests {
    private let stack: MagicalRecord.Stack

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
    }

    private func count() async throws -> Int { try await stack.read { try User.count(in: $0) } }

    private func named(_ name: String) async throws -> Int {
        try await stack.read { try User.count(where: \.displayName == name, in: $0) }
    }

    @Test func anObjectAsTheOnlyStatement() async throws {
        try await stack.save { context in try User.create(in: context) }
        try await stack.save { try User.create(in: $0) { $0.displayName = "Ann" } }
        try await stack.save(onConflict: .throw) { context in try User.create(in: context) }
        try await stack.save(onConflict: .retry(times: 2)) { try User.create(in: $0) { $0.displayName = "Ann" } }
        try await stack.save(isolation: .exclusive) { context in try User.create(in: context) }
        try await stack.save(isolation: .serial) { try User.create(in: $0) { $0.displayName = "Ann" } }
        #expect(try await count() == 6)
        #expect(try await named("Ann") == 3)
    }

    @Test func aValueBesideTheOutcome() async throws {
        let (id, outcome) = try await stack.saveReportingOutcome { try User.create(in: $0).permanentID() }
        #expect(outcome == .store && !id.isTemporaryID)
        let (found, again) = try await stack.saveReportingOutcome(onConflict: .throw) {
            try User.exists(where: \.displayName == nil, in: $0)
        }
        #expect(found)
        #expect(again == .nothingToSave)
        #expect(try await count() == 1)
    }

    @Test func anObjectAsTheOnlyStatementOfAWriteThatBlocks() async throws {
        try stack.saveAndWait { context in try User.create(in: context) }
        try stack.saveAndWait(onConflict: .throw) { try User.create(in: $0) { $0.displayName = "Ann" } }
        try stack.saveAndWait(isolation: .exclusive) { context in try User.create(in: context) }
        try stack.saveAndWait(isolation: .serial) { try User.create(in: $0) { $0.displayName = "Ann" } }
        #expect(try await count() == 4)
        #expect(try await named("Ann") == 2)
    }

    @Test func anObjectAsTheOnlyStatementInANamedContext() async throws {
        let database = MagicalRecord.Database(stack: stack)
        try await database.save("users") { context in try User.create(in: context) }
        try await database.save("users", waitingForMerges: true) { try User.create(in: $0) { $0.displayName = "Ann" } }
        try database.saveAndWait("users") { context in try User.create(in: context) }
        let number = try await database.save("users") { try User.count(in: $0) }
        let _: Int = number
        #expect(number == 3)
    }

    @Test func aValueIsReturned() async throws {
        let id = try await stack.save { context in try User.create(in: context).permanentID() }
        let _: NSManagedObjectID = id
        let names = try await stack.save(onConflict: .throw) { try User.findAll(in: $0).map(\.displayName) }
        let _: [String?] = names
        #expect(names == [nil])
        let both = try await stack.save(isolation: .exclusive) { context in
            let number = try User.count(in: context)
            return (number, "users")
        }
        let _: (Int, String) = both
        #expect(both == (1, "users"))
        let balance = try await stack.save { try User.find(id: id, in: $0)?.balance }
        let _: Double? = balance
        #expect(balance == 0)
        let wrapped: Int? = try await stack.save { try User.count(in: $0) }
        #expect(wrapped == 1)
        // A value may be dropped.
        try await stack.save { try User.count(in: $0) }
        #expect(try await Self.generic(stack) { try User.count(in: $0) } == 1)
    }

    private static func generic<Value: Sendable>(
        _ stack: MagicalRecord.Stack, _ work: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try await stack.save(work)
    }

    @Test func nothingAndSeveralStatements() async throws {
        try await stack.save { _ in }
        try await stack.save { context in
            for number in 0..<3 { try User.create(in: context).displayName = "\(number)" }
        }
        try await stack.save { context in
            let user = try User.create(in: context)
            user.displayName = "Ann"
        }
        try await stack.save { try User.findFirst(where: \.displayName == "Ann", in: $0)?.displayName = "Anna" }
        #expect(try await count() == 4)
        #expect(try await named("Anna") == 1)
    }

    private struct Refusal: Error {}

    @Test func errorsAreThrown() async throws {
        await #expect(throws: Refusal.self) {
            try await stack.save { try User.create(in: $0) { _ in throw Refusal() } }
        }
        // Not an expression alone, and a list.
        try await stack.save { context in
            let user = try User.create(in: context)
            return user
        }
        try await stack.save { try User.findAll(in: $0) }
        try await stack.save { try User.findFirst(in: $0) }
        #expect(try await count() == 1)
        let work: @Sendable (NSManagedObjectContext) throws -> Void = { context in
            try User.create(in: context)
            throw Refusal()
        }
        await #expect(throws: Refusal.self) { try await stack.save(work) }
        await #expect(throws: Refusal.self) { try await stack.save(onConflict: .throw, work) }
        await #expect(throws: Refusal.self) { try await stack.save(isolation: .exclusive, work) }
        await #expect(throws: Refusal.self) { try await MagicalRecord.Database(stack: stack).save("users", work) }
        #expect(try await count() == 1)
    }
}

/// The same on the default stack.
@Suite(.serialized, .defaultStack) struct DefaultStackClosureResultTests {
    init() throws {
        MagicalRecord.setLoggingLevel(.off)
        MagicalRecord.cleanUp()
        try MagicalRecord.setUp(.inMemory, model: .model(AddressBook.model()))
    }

    @Test func anObjectAsTheOnlyStatement() async throws {
        try await MagicalRecord.save { context in try User.create(in: context) }
        try await MagicalRecord.save { try User.create(in: $0) { $0.displayName = "Ann" } }
        try await MagicalRecord.save(onConflict: .retry(times: 1)) { context in try User.create(in: context) }
        try await MagicalRecord.save(isolation: .exclusive) { context in try User.create(in: context) }
        try MagicalRecord.saveAndWait { context in try User.create(in: context) }
        try MagicalRecord.saveAndWait(onConflict: .throw) { context in try User.create(in: context) }
        try MagicalRecord.saveAndWait(isolation: .exclusive) { context in try User.create(in: context) }
        let number = try await MagicalRecord.save { try User.count(in: $0) }
        let _: Int = number
        #expect(number == 7)
        let again = try await MagicalRecord.save(isolation: .serial) { try User.count(in: $0) }
        #expect(again == 7)
        try await MagicalRecord.save { _ in }
        try await MagicalRecord.tearDown()
    }

    /// The legacy function of that name takes closures that throw nothing, and is not asynchronous.
    @Test func theLegacyFunctionIsStillCalled() async throws {
        await withCheckedContinuation { continuation in
            MagicalRecord.save(
                { context in _ = try? User.create(in: context) }, completion: { _, _ in continuation.resume() })
        }
        #expect(try await MagicalRecord.read { try User.count(in: $0) } == 1)
        try await MagicalRecord.tearDown()
    }
}
