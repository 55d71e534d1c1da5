import MagicalRecord
import Testing

/// The original's tests of stacks, objects, requests and stores, by their names, in our words.
extension DefaultStackTests {
    private func expectCompleteStack() {
        #expect(MagicalRecord.defaultStack?.mainContext === NSManagedObjectContext.mr_default())
        #expect(NSManagedObjectModel.mr_default() != nil)
        #expect(NSPersistentStoreCoordinator.mr_default() != nil)
        #expect(NSPersistentStore.mr_default() != nil)
    }

    @Test("testCreateDefaultCoreDataStack") func theStackByDefault() throws {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(OriginalModel.model())
        MagicalRecord.setupCoreDataStack()
        expectCompleteStack()
        let store = try #require(NSPersistentStore.mr_default())
        #expect(store.url?.path.hasSuffix(".sqlite") == true)
        #expect(store.type == NSSQLiteStoreType)
        try MagicalRecord.tearDownAndWait(deletingStores: true)
        #expect(store.url.map { FileManager.default.fileExists(atPath: $0.path) } == false)
    }

    @Test("testCreateInMemoryCoreDataStack") func theStackInMemory() {
        setUpAsTheOriginal()
        expectCompleteStack()
        #expect(NSPersistentStore.mr_default()?.type == NSInMemoryStoreType)
    }

    @Test("testCreateSqliteStackWithCustomName") func theStackWithAName() throws {
        let name = "MyTestDataStore-\(UUID().uuidString).sqlite"
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(OriginalModel.model())
        MagicalRecord.setupCoreDataStack(withStoreNamed: name)
        expectCompleteStack()
        let store = try #require(NSPersistentStore.mr_default())
        #expect(store.type == NSSQLiteStoreType)
        #expect(store.url?.path == NSPersistentStore.mr_url(forStoreName: name)?.path)
        #expect(store.url?.path.hasSuffix(name) == true)
        try MagicalRecord.tearDownAndWait(deletingStores: true)
    }

    /// A target for errors, as programs had them.
    private final class Target: MagicalRecordErrorTarget {
        var error: NSError?

        func perform(_ action: Selector, with error: any Error) { self.error = error as NSError }

        #if canImport(ObjectiveC)
        @objc func take(_ error: NSError) { self.error = error }
        #endif
    }

    private var action: Selector {
        #if canImport(ObjectiveC)
        return #selector(Target.take(_:))
        #else
        return Selector("take:")
        #endif
    }

    @Test("testCanSetAUserSpecifiedErrorHandler") func errorTargets() {
        let target = Target()
        MagicalRecord.setErrorHandlerTarget(target, action: action)
        #expect(MagicalRecord.errorHandlerTarget() as AnyObject === target)
        #expect(MagicalRecord.errorHandlerAction() == action)
    }

    @Test("testUserSpecifiedErrorHandlersAreTriggeredOnError") func errorTargetsAreCalled() {
        let target = Target()
        MagicalRecord.setErrorHandlerTarget(target, action: action)
        MagicalRecord.handleErrors(NSError(domain: "MRTests", code: 1_000))
        #expect(target.error?.domain == "MRTests")
        #expect(target.error?.code == 1_000)
    }

    @Test("testLongFormMethodsAreStillAvailableWhenShorthandIsEnabled, testShorthandMethodsAreAvailableWhenEnabled")
    func shorthand() {
        setUpAsTheOriginal()
        MagicalRecord.enableShorthandMethods()
        #expect(NSManagedObjectContext.mr_rootSaving() === MagicalRecord.defaultStack?.rootSavingContext)
        #if canImport(ObjectiveC)
        #expect((NSManagedObjectContext.self as AnyObject).responds(to: NSSelectorFromString("MR_rootSavingContext")))
        #expect((NSManagedObjectContext.self as AnyObject).responds(to: NSSelectorFromString("rootSavingContext")))
        #expect(NSManagedObjectContext.mr_rootSaving().responds(to: NSSelectorFromString("saveWithBlock:")))
        #endif
    }

    // MARK: Objects

    @Test("testThatInternalEntityNameReturnsProvidedNameWhenEntityNameMethodIsImplemented") func declaredNames() {
        #expect(DifferentClassNameMapping.mr_entityName() == "EntityWithDifferentClassName")
        #expect(DifferentClassNameMapping.mr_entityName() != "DifferentClassNameMapping")
    }

    @Test("testThatInternalEntityNameReturnsClassNameWhenEntityNameMethodIsNotImplemented") func names() {
        #expect(EntityWithoutEntityNameMethod.mr_entityName() == "EntityWithoutEntityNameMethod")
        setUpAsTheOriginal()
        // The only entity with that class, whatever its name. (The original did not find it.)
        #expect(inDefault { EntityWithoutEntityNameMethod.mr_createEntity(in: $0)?.entity.name } == "EntityWithASuffix")
        #expect(inDefault { DifferentClassNameMapping.mr_createEntity(in: $0) != nil })
        #if !canImport(ObjectiveC)
        // A class method of that name is not found here, and the model knows.
        #expect(EntityWithoutEntityNameMethod.mr_entityName() == "EntityWithASuffix")
        #endif
    }

    @Test("testThatAscendingParameterIsHonouredForMultipleKeys") func directionsOfKeys() {
        setUpAsTheOriginal()
        let request = NSManagedObject.mr_requestAllSorted(
            by: "key1:YES,key2:NO,key3", ascending: true, with: NSPredicate(value: true), in: .mr_default())
        #expect(request.sortDescriptors?.map(\.key) == ["key1", "key2", "key3"])
        #expect(request.sortDescriptors?.map(\.ascending) == [true, false, true])
    }

    @Test("testCreateFetchRequestForEntity") func requests() {
        setUpAsTheOriginal()
        #expect(SingleRelatedEntity.mr_requestAll(in: .mr_default()).entityName == "SingleRelatedEntity")
    }

    @Test("testCanRequestFirstEntityWithPredicate") func requestsForTheFirst() {
        setUpAsTheOriginal()
        let predicate = NSPredicate(format: "mappedStringAttribute = %@", "Test Predicate")
        let request = SingleRelatedEntity.mr_requestFirst(with: predicate, in: .mr_default())
        #expect(request.fetchLimit == 1)
        #expect(request.predicate == predicate)
    }

    @Test("testCreateRequestForFirstEntity") func requestsForNoValue() {
        setUpAsTheOriginal()
        let request = SingleRelatedEntity.mr_requestFirst(
            byAttribute: "mappedStringAttribute", withValue: nil, in: .mr_default())
        #expect(request.entityName == "SingleRelatedEntity")
        #expect(request.fetchLimit == 1)
        #expect(request.fetchOffset == 0)
        #expect(request.predicate == NSPredicate(format: "mappedStringAttribute = nil"))
    }

    @Test("testCanGetEntityDescriptionFromEntityClass, testCanCreateEntityInstance") func descriptions() {
        setUpAsTheOriginal()
        inDefault { context in
            #expect(SingleRelatedEntity.mr_entityDescription(in: context)?.name == "SingleRelatedEntity")
            #expect(SingleRelatedEntity.mr_createEntity(in: context)?.managedObjectContext === context)
        }
    }

    @Test("testCanDeleteEntityInstance") func deleting() {
        setUpAsTheOriginal()
        inDefault { context in
            let object = SingleRelatedEntity.mr_createEntity(in: context)
            context.mr_saveToPersistentStoreAndWait()
            #expect(object?.isDeleted == false)
            #expect(object?.mr_deleteEntity() == true)
            #expect(object?.isDeleted == true)
        }
    }

    @Test("testCanSearchForNumberOfAllEntities, testCanSearchForNumberOfEntitiesWithPredicate") func counting() {
        setUpAsTheOriginal()
        inDefault { context in
            for number in 0..<20 {
                SingleRelatedEntity.mr_createEntity(in: context)?
                    .setValue(String(number / 5), forKey: "mappedStringAttribute")
            }
            #expect(SingleRelatedEntity.mr_numberOfEntities(with: context) == 20)
            let filter = NSPredicate(format: "mappedStringAttribute = '1'")
            #expect(SingleRelatedEntity.mr_numberOfEntities(with: filter, in: context) == 5)
            #expect(SingleRelatedEntity.mr_countOfEntities(with: filter, in: context) == 5)
        }
    }

    @Test("testRetrieveInstanceOfManagedObjectFromAnotherContextHasAPermanentObjectID") func otherContexts() {
        setUpAsTheOriginal()
        let object = inDefault { context in
            let object = SingleRelatedEntity.mr_createEntity(in: context)
            #expect(object?.objectID.isTemporaryID == true)
            context.mr_saveToPersistentStoreAndWait()
            #expect(object?.objectID.isTemporaryID == false)
            return Unowned(object)
        }
        MagicalRecord.save(blockAndWait: { context in
            let local = object.value?.mr_(in: context)
            #expect(local != nil)
            #expect(local?.objectID.isTemporaryID == false)
        })
    }

    @Test("testCanDeleteEntityInstanceInOtherContext") func deletingElsewhere() {
        setUpAsTheOriginal()
        let object = inDefault { context in
            let object = SingleRelatedEntity.mr_createEntity(in: context)
            context.mr_saveToPersistentStoreAndWait()
            return Unowned(object)
        }
        MagicalRecord.save(blockAndWait: { context in
            guard let local = object.value?.mr_(in: context) else {
                Issue.record("The object is not there.")
                return
            }
            #expect(!local.isDeleted)
            #expect(object.value?.mr_deleteEntity(in: context) == true)
            context.processPendingChanges()
            #expect(context.deletedObjects.contains(local))
            #expect(local.isDeleted)
        })
    }

    /// An object that is only asked for its counterpart in another context.
    private struct Unowned: @unchecked Sendable {
        let value: SingleRelatedEntity?
        init(_ value: SingleRelatedEntity?) { self.value = value }
    }

    // MARK: Coordinators and stores

    @Test("testCreateCoordinatorWithSqlitePersistentStoreNamed") func coordinatorsByName() throws {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(OriginalModel.model())
        let name = "TestStore-\(UUID().uuidString).sqlite"
        let coordinator = NSPersistentStoreCoordinator.mr_coordinator(withSqliteStoreNamed: name)
        #expect(coordinator.persistentStores.map(\.type) == [NSSQLiteStoreType])
        let url = try #require(coordinator.persistentStores.first?.url)
        #expect(url.lastPathComponent == name)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        try MagicalRecord.Store.sqlite(at: url).removeFilesForTests()
    }

    @Test("testCreateCoordinatorWithSqlitePersistentStoreAtURL, testCanAddAnInMemoryStoreToAnExistingCoordinator")
    func coordinatorsByURL() {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(OriginalModel.model())
        let url = ScratchFiles.new("TestStore.sqlite")
        let coordinator = NSPersistentStoreCoordinator.mr_coordinatorWithSqliteStore(at: url)
        #expect(coordinator.persistentStores.map(\.type) == [NSSQLiteStoreType])
        coordinator.mr_addInMemoryStore()
        #expect(coordinator.persistentStores.map(\.type) == [NSSQLiteStoreType, NSInMemoryStoreType])
    }

    @Test("testCreateCoordinatorWithInMemoryStore") func coordinatorsInMemory() {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(OriginalModel.model())
        let coordinator = NSPersistentStoreCoordinator.mr_coordinatorWithInMemoryStore()
        #expect(coordinator.persistentStores.map(\.type) == [NSInMemoryStoreType])
    }

    @Test("testDefaultStoreFolder…IsTheApplicationSupportDirectory") func theFolderOfStores() {
        #expect(
            NSPersistentStore.mr_defaultLocalStoreUrl()
                == MagicalRecord.storeDirectory().appendingPathComponent("CoreDataStore.sqlite"))
    }

    @Test("testCanFindAURLIn…ForASpecifiedStoreName") func storesByOddNames() throws {
        let name = "a nice little store – \(UUID().uuidString).db"
        let url = MagicalRecord.storeDirectory().appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: MagicalRecord.storeDirectory(), withIntermediateDirectories: true)
        try Data().write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let found = try #require(NSPersistentStore.mr_url(forStoreName: name))
        #expect(found == url)
        #expect(FileManager.default.fileExists(atPath: found.path))
    }
}

extension MagicalRecord.Store {
    /// Removes the store's file and those beside it.
    func removeFilesForTests() throws {
        guard let url else { return }
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
    }
}
