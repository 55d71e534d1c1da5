import MagicalRecord
import Testing

/// Stores that were made with another model, by policy.
@Suite struct MismatchTests {
    let file = ScratchFiles.new("Mismatch.sqlite")

    /// A model whose User has, besides what it had, a required attribute without a default: nothing can be inferred.
    static func demandingModel() -> NSManagedObjectModel {
        let model = AddressBook.model()
        model.entitiesByName["User"]?.properties.append(
            Build.attribute("passport", .stringAttributeType, optional: false))
        return model
    }

    private func makeStore() async throws {
        let stack = try AddressBook.stack(.sqlite(at: file))
        try AddressBook.fill(stack)
        try await stack.tearDown()
    }

    private func open(_ migration: MagicalRecord.Migration, _ model: NSManagedObjectModel) throws
        -> MagicalRecord.Stack
    {
        try MagicalRecord.Stack([.sqlite(at: file)], migration: migration, model: .model(model))
    }

    @Test func failing() async throws {
        try await makeStore()
        let error = #expect(throws: (any Error).self) { try open(.none, Self.demandingModel()) }
        #expect((error as? NSError)?.domain == NSCocoaErrorDomain)
        #expect((error as? NSError)?.code == NSPersistentStoreIncompatibleVersionHashError)
        // The store is as it was.
        let again = try AddressBook.stack(.sqlite(at: file))
        #expect(try await again.read { try User.count(in: $0) } == 5)
    }

    @Test func whatCannotBeMigratedIsLeftAlone() async throws {
        try await makeStore()
        let error = #expect(throws: (any Error).self) { try open(.automatic, Self.demandingModel()) }
        #expect((error as? NSError)?.domain == NSCocoaErrorDomain)
        let again = try AddressBook.stack(.sqlite(at: file))
        #expect(try await again.read { try User.count(in: $0) } == 5)
    }

    @Test func recreatingOnlyWhenAsked() async throws {
        try await makeStore()
        let (stack, posted) = try recreate()
        #expect(
            posted == [
                kMagicalRecordPSCMismatchWillDeleteStore, kMagicalRecordPSCMismatchDidDeleteStore,
                kMagicalRecordPSCMismatchWillRecreateStore, kMagicalRecordPSCMismatchDidRecreateStore,
            ])
        #expect(try await stack.read { try User.count(in: $0) } == 0)
    }

    /// Opens the store anew, and returns what was posted on this thread meanwhile.
    private func recreate() throws -> (MagicalRecord.Stack, [String]) {
        let seen = Names()
        let thread = ObjectIdentifier(Thread.current)
        let tokens = [
            kMagicalRecordPSCMismatchWillDeleteStore, kMagicalRecordPSCMismatchDidDeleteStore,
            kMagicalRecordPSCMismatchCouldNotDeleteStore, kMagicalRecordPSCMismatchWillRecreateStore,
            kMagicalRecordPSCMismatchDidRecreateStore, kMagicalRecordPSCMismatchCouldNotRecreateStore,
        ].map { name in
            NotificationCenter.default.addObserver(forName: Notification.Name(name), object: nil, queue: nil) {
                if ObjectIdentifier(Thread.current) == thread { seen.add($0.name.rawValue) }
            }
        }
        defer { tokens.forEach(NotificationCenter.default.removeObserver) }
        return (try open(.recreating, Self.demandingModel()), seen.all)
    }

    @Test func aStoreThatFitsIsNeverRecreated() async throws {
        try await makeStore()
        let stack = try open(.recreating, AddressBook.model())
        #expect(try await stack.read { try User.count(in: $0) } == 5)
    }

    /// Damage is no mismatch: what cannot be read might be saved by somebody who knows how.
    @Test func damageIsNotDeleted() throws {
        let text = Data(
            "This is no database, and longer than the header of one would be, by some margin or other.".utf8)
        try text.write(to: file)
        #expect(throws: (any Error).self) { try open(.recreating, AddressBook.model()) }
        #expect(try Data(contentsOf: file) == text)
    }

    private final class Names: @unchecked Sendable {
        private let lock = NSLock()
        private var names: [String] = []
        var all: [String] { lock.withLock { names } }
        func add(_ name: String) { lock.withLock { names.append(name) } }
    }
}
