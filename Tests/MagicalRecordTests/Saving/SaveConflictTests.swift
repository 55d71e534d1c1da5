import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// Saves that meet what others have written: rows changed since they were read, and unique values that are taken.
///
/// Expectations are Core Data's: the policy of a context that is given none is `NSMergePolicy.error`, under which a save with
/// conflicts fails as a whole ("NSErrorMergePolicy", Apple's reference). A second stack on the file stands for another process.
@Suite struct SaveConflictTests {
    static let shapes = SavingTests.shapes

    /// The address book with users that are one per number.
    static func model() -> NSManagedObjectModel {
        let model = AddressBook.model()
        model.entitiesByName["User"]?.uniquenessConstraints = [["userID"]]
        return model
    }

    static func stack(
        _ file: URL = ScratchFiles.new("Users.sqlite"), _ shape: MagicalRecord.Shape = .rootSaving
    ) throws -> MagicalRecord.Stack {
        try MagicalRecord.Stack([.sqlite(at: file)], shape: shape, model: .model(model()))
    }

    static func stack(
        _ file: URL = ScratchFiles.new("Users.sqlite"), _ shape: MagicalRecord.Shape = .rootSaving,
        mergePolicy: NSMergePolicy
    ) throws -> MagicalRecord.Stack {
        try MagicalRecord.Stack(
            [.sqlite(at: file)], shape: shape, model: .model(model()), mergePolicy: mergePolicy)
    }

    static func create(_ id: Int64, _ name: String, in context: NSManagedObjectContext) throws {
        let user = try User.create(in: context)
        user.userID = id
        user.displayName = name
    }

    static func names(_ stack: MagicalRecord.Stack) async throws -> [String] {
        try await stack.read { context in
            try User.findAll(sortedBy: .ascending(\.displayName), in: context).compactMap(\.displayName)
        }
    }

    /// What the file has, whatever contexts believe.
    static func names(in file: URL) async throws -> [String] {
        let stack = try stack(file)
        let names = try await names(stack)
        try await stack.tearDown()
        return names
    }

    // MARK: The stack's policy

    @Test(arguments: shapes) func aUniqueValueThatIsTakenIsRefused(_ shape: MagicalRecord.Shape) async throws {
        let stack = try Self.stack(ScratchFiles.new("Users.sqlite"), shape)
        try await stack.save { try Self.create(1, "Ann", in: $0) }
        let error = await #expect(throws: NSError.self) {
            try await stack.save { context in
                try Self.create(2, "Cid", in: context)
                try Self.create(1, "Bob", in: context)
            }
        }
        #expect(error?.code == NSManagedObjectConstraintMergeError)
        #expect(try await Self.names(stack) == ["Ann"])
        // Nothing is left in the contexts above.
        try await stack.save { try Self.create(3, "Dora", in: $0) }
        #expect(try await Self.names(stack) == ["Ann", "Dora"])
    }

    @Test(arguments: shapes)
    func aRowChangedElsewhereIsRefused(_ shape: MagicalRecord.Shape) async throws {
        let file = ScratchFiles.new("Users.sqlite")
        let stack = try Self.stack(file, shape)
        let other = try Self.stack(file)
        try await stack.save { try Self.create(1, "Ann", in: $0) }
        let error = await #expect(throws: NSError.self) {
            try await stack.save { context in
                let user = try #require(try User.findFirst(where: \.userID == 1, in: context))
                #expect(user.displayName == "Ann")
                try other.saveAndWait { try User.findFirst(where: \.userID == 1, in: $0)?.displayName = "there" }
                user.displayName = "here"
            }
        }
        #expect(error?.code == NSManagedObjectMergeError)
        #expect(try await Self.names(in: file) == ["there"])
        // What was refused is read again.
        try await stack.save { context in
            let user = try #require(try User.findFirst(where: \.userID == 1, in: context))
            #expect(user.displayName == "there")
            user.displayName = "later"
        }
        #expect(try await Self.names(in: file) == ["later"])
    }

    /// What the parent holds is compared, and read again after the conflict.
    @Test func aRowTheParentHoldsIsRefusedOnce() async throws {
        let file = ScratchFiles.new("Users.sqlite")
        let stack = try Self.stack(file, .parentChild)
        let other = try Self.stack(file)
        try await stack.save { try Self.create(1, "Ann", in: $0) }
        let main = stack.mainContext
        await main.perform { main.retainsRegisteredObjects = true }
        _ = try await main.perform { try User.findAll(in: main).map(\.displayName) }
        try other.saveAndWait { try User.findFirst(where: \.userID == 1, in: $0)?.displayName = "there" }
        let error = await #expect(throws: NSError.self) {
            try await stack.save { try User.findFirst(where: \.userID == 1, in: $0)?.delete() }
        }
        #expect(error?.code == NSManagedObjectMergeError)
        #expect(try await Self.names(in: file) == ["there"])
        try await stack.save { try User.findFirst(where: \.userID == 1, in: $0)?.delete() }
        #expect(try await Self.names(in: file) == [])
    }

    @Test(arguments: shapes) func anotherPolicyReachesEveryContextOnTheStore(_ shape: MagicalRecord.Shape) throws {
        let stack = try Self.stack(ScratchFiles.new("Users.sqlite"), shape, mergePolicy: .overwrite)
        #expect(stack.mergePolicy === NSMergePolicy.overwrite)
        let contexts = [
            stack.mainContext, stack.rootSavingContext, stack.newContext(), stack.newFollowingContext(named: "lasting"),
        ]
        for context in contexts where context.parent == nil {
            #expect(context.runAndWait { context.mergePolicy as? NSMergePolicy } === NSMergePolicy.overwrite)
        }
        try stack.saveAndWait { try Self.create(1, "Ann", in: $0) }
        try stack.saveAndWait { try Self.create(1, "Bob", in: $0) }
        #expect(try stack.saveAndWait { try User.findAll(in: $0).map(\.displayName) } == ["Bob"])
    }

    @Test func shapesOfOnesOwnHaveThePoliciesTheyGive() throws {
        let shape = MagicalRecord.Shape.custom { coordinator in
            let main = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            main.persistentStoreCoordinator = coordinator
            main.mergePolicy = NSMergePolicy.rollback
            return .init(main: main) { main }
        }
        let stack = try Self.stack(ScratchFiles.new("Users.sqlite"), shape, mergePolicy: .overwrite)
        let main = stack.mainContext
        #expect(main.runAndWait { main.mergePolicy as? NSMergePolicy } === NSMergePolicy.rollback)
    }
}

extension DefaultStackTests {
    /// `NSManagedObjectContext+MagicalRecord` of the original gives its contexts
    /// `NSMergeByPropertyObjectTrumpMergePolicy`.
    @Test func legacySetUpsOverwriteAsTheOriginal() throws {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(SaveConflictTests.model())
        MagicalRecord.setupCoreDataStackWithStore(at: ScratchFiles.new("Users.sqlite"))
        for name in ["Ann", "Bob"] {
            MagicalRecord.save(blockAndWait: { context in
                let user = User.mr_createEntity(in: context)
                user?.userID = 1
                user?.displayName = name
            })
        }
        let context = NSManagedObjectContext.mr_()
        #expect(try context.runAndWait { try User.findAll(in: context).map(\.displayName) } == ["Bob"])
        #expect(MagicalRecord.defaultStack?.mergePolicy === NSMergePolicy.mergeByPropertyObjectTrump)
    }

    @Test func modernSetUpsRefuse() throws {
        let file = ScratchFiles.new("Users.sqlite")
        try MagicalRecord.setUp(.sqlite(at: file), model: .model(SaveConflictTests.model()))
        try MagicalRecord.saveAndWait { try SaveConflictTests.create(1, "Ann", in: $0) }
        let error = #expect(throws: NSError.self) {
            try MagicalRecord.saveAndWait { try SaveConflictTests.create(1, "Bob", in: $0) }
        }
        #expect(error?.code == NSManagedObjectConstraintMergeError)
        #expect(try MagicalRecord.saveAndWait { try User.findAll(in: $0).map(\.displayName) } == ["Ann"])
    }
}
