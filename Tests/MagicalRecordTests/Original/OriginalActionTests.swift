import MagicalRecord
import Testing

/// The original's tests of its saves, by their names, in our words.
extension DefaultStackTests {
    private func insertAndWait(_ value: Bool = true) -> NSManagedObjectID? {
        let id = Box<NSManagedObjectID>()
        MagicalRecord.save(blockAndWait: { context in
            let object = SingleEntity.mr_createEntity(in: context)
            object?.setValue(value, forKey: "booleanTestAttribute")
            #expect(object?.hasChanges == true)
            id.value = try? object?.permanentID()
        })
        return id.value
    }

    private func saveAndComplete(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) async -> (
        saved: Bool, error: (any Error)?
    ) {
        await withCheckedContinuation { continuation in
            MagicalRecord.save(block, completion: { saved, error in continuation.resume(returning: (saved, error)) })
        }
    }

    @Test("testSynchronousSaveActionSaves") func synchronousSave() throws {
        setUpAsTheOriginal()
        let id = try #require(insertAndWait())
        #expect(!id.isTemporaryID)
        #expect(try rootHasClean(id))
    }

    @Test("testSynchronousSaveActionMakesInsertedEntitiesAvailableInTheDefaultContext")
    func synchronousInsertsReachTheDefaultContext() async throws {
        setUpAsTheOriginal()
        let id = try #require(insertAndWait())
        await MagicalRecord.defaultStack?.mergesHaveEnded()
        #expect(try inDefault { try !$0.existingObject(with: id).hasChanges })
    }

    @Test("testSynchronousSaveActionMakesUpdatesToEntitiesAvailableToTheDefaultContext")
    func synchronousUpdatesReachTheDefaultContext() async throws {
        setUpAsTheOriginal()
        let id = try #require(insertAndWait(true))
        MagicalRecord.save(blockAndWait: { context in
            (try? context.existingObject(with: id))?.setValue(false, forKey: "booleanTestAttribute")
        })
        #expect(try rootValue(id) == false)
        await MagicalRecord.defaultStack?.mergesHaveEnded()
        #expect(
            try inDefault { try $0.existingObject(with: id).value(forKey: "booleanTestAttribute") as? Bool } == false)
    }

    @Test("testAsynchronousSaveActionSaves") func asynchronousSave() async throws {
        setUpAsTheOriginal()
        let id = Box<NSManagedObjectID>()
        let result = await saveAndComplete { context in
            id.value = try? SingleEntity.mr_createEntity(in: context)?.permanentID()
            #expect(id.value?.isTemporaryID == false)
        }
        #expect(result.saved)
        #expect(result.error == nil)
        #expect(try rootHasClean(id.value))
    }

    @Test("testAsynchronousSaveActionCallsCompletionBlockOnTheMainThread")
    func completionsComeOnTheMainQueue() async {
        setUpAsTheOriginal()
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            MagicalRecord.save(
                { _ = SingleEntity.mr_createEntity(in: $0) },
                completion: { saved, _ in
                    MainActor.assertIsolated()
                    continuation.resume(returning: saved)
                })
        }
        #expect(result)
    }

    @Test("testAsynchronousSaveActionMakesInsertedEntitiesAvailableInTheDefaultContext")
    func asynchronousInsertsReachTheDefaultContext() async throws {
        setUpAsTheOriginal()
        let id = Box<NSManagedObjectID>()
        let result = await saveAndComplete { context in
            id.value = try? SingleEntity.mr_createEntity(in: context)?.permanentID()
        }
        #expect(result.saved)
        #expect(try rootHasClean(id.value))
        let found = try #require(id.value)
        #expect(try inDefault { try !$0.existingObject(with: found).hasChanges })
    }

    @Test("testAsynchronousSaveActionMakesUpdatesToEntitiesAvailableToTheDefaultContext")
    func asynchronousUpdatesReachTheDefaultContext() async throws {
        setUpAsTheOriginal()
        let id = try #require(insertAndWait(true))
        _ = await saveAndComplete { context in
            (try? context.existingObject(with: id))?.setValue(false, forKey: "booleanTestAttribute")
        }
        #expect(try rootValue(id) == false)
        #expect(
            try inDefault { try $0.existingObject(with: id).value(forKey: "booleanTestAttribute") as? Bool } == false)
    }

    // MARK: Chains of contexts

    @Test("testChainSave") func chainSave() async throws {
        setUpAsTheOriginal()
        let id = Box<NSManagedObjectID>()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            NSManagedObjectContext.mr_default().mr_save(
                { context in
                    let object = SingleEntity.mr_createEntity(in: context)
                    #expect(object?.hasChanges == true)
                    id.value = try? object?.permanentID()
                }, completion: { _, _ in continuation.resume() })
        }
        let found = try #require(id.value)
        #expect(try inDefault { try $0.existingObject(with: found).objectID } == found)
        #expect(try rootHasClean(found))
    }

    private func childWithObject() -> (context: NSManagedObjectContext, id: NSManagedObjectID?) {
        let child = NSManagedObjectContext.mr_context(withParent: .mr_default())
        let id = child.runAndWait { try? SingleEntity.mr_createEntity(in: child)?.permanentID() }
        return (child, id)
    }

    @Test("testSaveToSelfOnlyWhenSaveIsSynchronous") func savingItselfOnly() throws {
        setUpAsTheOriginal()
        let (child, id) = childWithObject()
        child.mr_saveOnlySelfAndWait()
        let found = try #require(id)
        #expect(inDefault { $0.registeredObject(for: found)?.hasChanges } == true)
        #expect(try child.runAndWait { try child.existingObject(with: found).hasChanges } == false)
    }

    @Test("testSaveToSelfOnlyWhenSaveIsAsynchronous") func savingItselfOnlyLater() async throws {
        setUpAsTheOriginal()
        let (child, id) = childWithObject()
        let found = try #require(id)
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<(Bool, Bool), Never>) in
            child.mr_saveOnlySelf(completion: { continuation.resume(returning: ($0, $1 == nil)) })
        }
        #expect(result == (true, true))
        #expect(try await child.perform { try child.existingObject(with: found).hasChanges } == false)
        #expect(inDefault { $0.registeredObject(for: found)?.hasChanges } == true)
    }

    @Test("testSaveToSelfOnlyWhenSaveIsAsynchronousCallsMainThreadOnCompletion")
    func savingItselfCompletesOnTheMainQueue() async {
        setUpAsTheOriginal()
        _ = inDefault { SingleEntity.mr_createEntity(in: $0) != nil }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            NSManagedObjectContext.mr_default().mr_saveOnlySelf(completion: { _, _ in
                MainActor.assertIsolated()
                continuation.resume()
            })
        }
    }

    @Test("testSaveToPersistentStoreWhenSaveIsSynchronous") func savingToTheStore() throws {
        setUpAsTheOriginal()
        let (child, id) = childWithObject()
        child.mr_saveToPersistentStoreAndWait()
        let found = try #require(id)
        #expect(try inDefault { try $0.existingObject(with: found).hasChanges } == false)
        #expect(try child.runAndWait { try child.existingObject(with: found).hasChanges } == false)
        #expect(try rootHasClean(found))
    }

    @Test("testSaveToPersistentStoreWhenSaveIsAsynchronous") func savingToTheStoreLater() async throws {
        setUpAsTheOriginal()
        let (child, id) = childWithObject()
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<(Bool, Bool), Never>) in
            child.mr_saveToPersistentStore(completion: { continuation.resume(returning: ($0, $1 == nil)) })
        }
        #expect(result == (true, true))
        let found = try #require(id)
        #expect(try inDefault { try $0.existingObject(with: found).hasChanges } == false)
        #expect(try rootHasClean(found))
    }

    @Test("testThatSavedObjectsHavePermanentIDs") func savedObjectsHavePermanentIDs() {
        setUpAsTheOriginal()
        let context = NSManagedObjectContext.mr_default()
        context.runAndWait {
            let object = SingleEntity.mr_createEntity(in: context)
            #expect(object?.objectID.isTemporaryID == true)
            context.mr_saveOnlySelfAndWait()
            #expect(object?.objectID.isTemporaryID == false)
        }
    }

    @Test("testCanCreateContextForCurrentThread") func contextsOfThreads() {
        setUpAsTheOriginal()
        (self as any ThreadContextsAsking).sameContextTwice()
    }

    @Test("testCanNotifyDefaultContextOnSave") func childrenOfTheDefaultContext() {
        setUpAsTheOriginal()
        let child = NSManagedObjectContext.mr_context(withParent: .mr_default())
        #expect(child.parent === NSManagedObjectContext.mr_default())
    }
}

/// The door to what is deprecated.
private protocol ThreadContextsAsking {
    func sameContextTwice()
}

extension DefaultStackTests: ThreadContextsAsking {
    @available(*, deprecated, message: "Uses what is deprecated")
    func sameContextTwice() {
        #expect(
            NSManagedObjectContext.mr_contextForCurrentThread() === NSManagedObjectContext.mr_contextForCurrentThread())
    }
}
