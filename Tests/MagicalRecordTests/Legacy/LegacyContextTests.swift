import MagicalRecord
import MagicalRecordTestSupport
import Testing

// The original's contexts, coordinators and saves, and the names that mean the thread's context.
extension DefaultStackTests {
    private func setUp() throws {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(AddressBook.model())
        MagicalRecord.setupCoreDataStackWithStore(at: ScratchFiles.new("Contexts.sqlite"))
        try AddressBook.fill(try MagicalRecord.requireStack())
    }

    @MainActor @Test func findersInTheThreadsContext() throws {
        try setUp()
        let friends = NSPredicate(format: "isFriend == YES")
        func ids(_ found: [NSManagedObject]?) -> [Int64]? { (found as? [User])?.map(\.userID) }
        func set(_ found: [NSManagedObject]?) -> Set<Int64>? { ids(found).map(Set.init) }
        #expect(User.mr_findAll()?.count == 5)
        #expect(set(User.mr_findAll(with: friends)) == [1, 3, 4])
        #expect(ids(User.mr_findAllSorted(by: "userID", ascending: false)) == [5, 4, 3, 2, 1])
        #expect(ids(User.mr_findAllSorted(by: "userID", ascending: true, with: friends)) == [1, 3, 4])
        #expect(set(User.mr_find(byAttribute: "countryCode", withValue: 49)) == [1, 2])
        #expect(
            ids(User.mr_find(byAttribute: "countryCode", withValue: 49, andOrderBy: "userID", ascending: false)) == [
                2, 1,
            ])
        #expect(User.mr_findFirst() != nil)
        #expect(User.mr_findFirst(with: NSPredicate(format: "userID == 4"))?.displayName == "Dora")
        #expect(User.mr_findFirst(with: friends, sortedBy: "userID", ascending: false)?.userID == 4)
        #expect(User.mr_findFirst(byAttribute: "userID", withValue: 2)?.displayName == "Bob")
        #expect(User.mr_findFirstOrdered(byAttribute: "userID", ascending: false)?.userID == 5)
        #expect(User.mr_findFirstOrCreate(byAttribute: "userID", withValue: 9).userID == 9)
        #expect(User.mr_countOfEntities() == 6)
        #expect(User.mr_countOfEntities(with: friends) == 3)
        #expect(User.mr_numberOfEntities() == 6)
        #expect(User.mr_numberOfEntities(with: friends) == 3)
        #expect(User.mr_hasAtLeastOneEntity())
        let sum = User.mr_aggregateOperation("sum:", onAttribute: "balance", with: friends) as? Double
        #expect(sum == 80)
        #expect(User.mr_requestAll().entityName == "User")
        #expect(User.mr_requestAll(with: friends).predicate == friends)
        #expect(User.mr_requestFirst(with: friends).fetchLimit == 1)
        #expect(ids(User.mr_execute(User.mr_requestAllWhere("userID", isEqualTo: 3))) == [3])
        #expect(User.mr_executeFetchRequestAndReturnFirstObject(User.mr_requestAllWhere("userID", isEqualTo: 3)) != nil)
        #expect(User.mr_deleteAll(matching: friends))
        #expect(User.mr_countOfEntities() == 3)
        #expect(User.mr_truncateAll())
        #expect(!User.mr_hasAtLeastOneEntity())
    }

    @MainActor @Test func entitiesByName() throws {
        try setUp()
        #expect(User.mr_entityName() == "User")
        #expect(User.mr_entityDescription()?.name == "User")
        #expect(User.mr_propertiesNamed(["email", "nothing", "team"])?.map(\.name) == ["email", "team"])
        #expect(User.mr_ascendingSortDescriptors(["a", "b"]).map(\.ascending) == [true, true])
        #expect(User.mr_descendingSortDescriptors(["a"]).map(\.key) == ["a"])
        let size = User.mr_defaultBatchSize()
        User.mr_setDefaultBatchSize(7)
        #expect(User.mr_requestAllSorted(by: "userID", ascending: true).fetchBatchSize == 7)
        User.mr_setDefaultBatchSize(size)
    }

    @MainActor @Test func contextsMadeByHand() throws {
        try setUp()
        #expect(NSManagedObjectContext.mr_newMainQueue().concurrencyType == .mainQueueConcurrencyType)
        #expect(NSManagedObjectContext.mr_newPrivateQueue().concurrencyType == .privateQueueConcurrencyType)
        let coordinator = try #require(NSPersistentStoreCoordinator.mr_default())
        let own = NSManagedObjectContext.mr_context(with: coordinator)
        #expect(own.persistentStoreCoordinator === coordinator)
        #expect(own.parent == nil)
        #expect(try own.runAndWait { try User.count(in: own) } == 5)

        let main = NSManagedObjectContext.mr_newMainQueue()
        main.persistentStoreCoordinator = coordinator
        NSManagedObjectContext.mr_setDefaultContext(main)
        #expect(NSManagedObjectContext.mr_default() === main)
        let root = NSManagedObjectContext.mr_context(with: coordinator)
        NSManagedObjectContext.mr_setRootSaving(root)
        #expect(NSManagedObjectContext.mr_rootSaving() === root)
        NSManagedObjectContext.mr_setDefaultContext(nil)
        #expect(MagicalRecord.defaultStack == nil)
        NSManagedObjectContext.mr_initializeDefaultContext(with: coordinator)
        #expect(try User.count(in: .mr_()) == 5)
        _ = User.mr_createEntity()
        #expect(NSManagedObjectContext.mr_default().hasChanges)
        NSManagedObjectContext.mr_resetDefaultContext()
        #expect(!NSManagedObjectContext.mr_default().hasChanges)
        #expect(MagicalRecord.currentStack().contains("Contexts.sqlite"))
        #expect(MagicalRecord.version() == .tag2_4)
    }

    @Test func oneContextObservesAnother() async throws {
        try setUp()
        let coordinator = try #require(NSPersistentStoreCoordinator.mr_default())
        let reader = NSManagedObjectContext.mr_context(with: coordinator)
        let writer = NSManagedObjectContext.mr_context(with: coordinator)
        func name() async throws -> String? {
            try await reader.perform {
                try User.findFirst(where: \.userID == 1, in: reader)?.displayName
            }
        }
        func rename(_ name: String) async throws {
            try await writer.perform {
                try User.findFirst(where: \.userID == 1, in: writer)?.displayName = name
                try writer.save()
            }
            await reader.settle()
        }
        // The object is held and its values read, so that a later fetch leaves it as it is.
        let held = try await reader.perform {
            let ann = try User.findFirst(where: \.userID == 1, in: reader)
            return (Held(ann), ann?.displayName)
        }
        #expect(held.1 == "Ann")
        try await rename("Anna")
        #expect(try await name() == "Ann")
        reader.mr_observe(writer)
        try await rename("Anne")
        #expect(try await name() == "Anne")
        reader.mr_stopObserving(writer)
        try await rename("Annie")
        #expect(try await name() == "Anne")
        #expect(held.0.object != nil)
    }

    @Test func moreCoordinators() throws {
        MagicalRecord.cleanUp()
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(AddressBook.model())
        let coordinator = NSPersistentStoreCoordinator.mr_coordinatorWithInMemoryStore()
        #expect(coordinator.persistentStores.map(\.type) == [NSInMemoryStoreType])
        let url = ScratchFiles.new("Migrating.sqlite")
        let migrating = NSPersistentStoreCoordinator.mr_coordinatorWithAutoMigratingSqliteStore(at: url)
        #expect(migrating.persistentStores.map(\.url) == [url])
        let other = ScratchFiles.new("Added.sqlite")
        #expect(coordinator.mr_addSqliteStoreNamed(other, withOptions: nil)?.url == other)
        let third = ScratchFiles.new("Third.sqlite")
        #expect(coordinator.mr_addAutoMigratingSqliteStore(at: third)?.url == third)
        #expect(NSPersistentStoreCoordinator.mr_default() == nil)
        NSPersistentStoreCoordinator.mr_setDefaultStoreCoordinator(migrating)
        #expect(NSPersistentStoreCoordinator.mr_default() === migrating)
        #expect(NSPersistentStore.mr_default()?.url == url)
        MagicalRecord.cleanUp()
    }

    @Test func theDeprecatedSaves() async throws {
        try setUp()
        try await (self as any DeprecatedSaving).everyDeprecatedSave()
        #expect(try await MagicalRecord.read { try User.count(in: $0) } == 13)
    }

}

/// An object kept alive from another thread's point of view.
private final class Held: @unchecked Sendable {
    let object: User?
    init(_ object: User?) { self.object = object }
}

/// The door to what is deprecated.
private protocol DeprecatedSaving {
    func everyDeprecatedSave() async throws
}

/// Waits for the completion of what `start` starts.
private func finished(_ start: (@escaping @Sendable () -> Void) -> Void) async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in start { done.resume() } }
}

extension DefaultStackTests: DeprecatedSaving {
    @available(*, deprecated, message: "Uses what is deprecated")
    func everyDeprecatedSave() async throws {
        let add: @Sendable (NSManagedObjectContext) -> Void = { _ = User.mr_createEntity(in: $0) }
        // Each saves one new object, the last none.
        await finished { done in MagicalRecord.saveInBackground(add, completion: done) }
        await finished { done in MagicalRecord.save(add, completion: { _, _ in done() }) }
        let context = NSManagedObjectContext.mr_newContext(withParent: .mr_rootSaving())
        context.runAndWait { add(context) }
        await finished { done in context.mr_save(inBackgroundCompletion: done) }
        context.runAndWait { add(context) }
        await finished { done in context.mr_save(inBackgroundErrorHandler: nil, completion: done) }
        context.runAndWait { add(context) }
        await finished { done in context.mr_saveNestedContextsErrorHandler(nil, completion: done) }
        context.mr_save()
        // Two that have no completion, on the main context as the thread's.
        await MainActor.run {
            MagicalRecord.saveUsingCurrentThreadContext(blockAndWait: add)
            NSManagedObjectContext.mr_default().runAndWait {
                #expect(!NSManagedObjectContext.mr_default().hasChanges)
            }
        }
        await finished { done in
            DispatchQueue.main.async {
                MagicalRecord.saveInBackgroundUsingCurrentContext(add, completion: done, errorHandler: nil)
            }
        }
        await finished { done in
            DispatchQueue.main.async {
                MagicalRecord.saveUsingCurrentThreadContext(add, completion: { _, _ in done() })
            }
        }
    }
}
