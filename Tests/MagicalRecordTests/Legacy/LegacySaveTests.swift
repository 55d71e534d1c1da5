import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// The original's saves: each of its own, at the same time, taking turns only in writing.
extension DefaultStackTests {
    private func setUpUsers() {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(AddressBook.model())
        MagicalRecord.setupCoreDataStackWithStore(at: ScratchFiles.new("Users.sqlite"))
    }

    private func names() throws -> [String] {
        let context = NSManagedObjectContext.mr_()
        return try context.runAndWait {
            try User.findAll(sortedBy: \.displayName, in: context).compactMap(\.displayName)
        }
    }

    @Test func aSaveInsideASaveIsASaveOfItsOwn() throws {
        setUpUsers()
        MagicalRecord.save(blockAndWait: { outer in
            User.mr_createEntity(in: outer)?.displayName = "outer"
            MagicalRecord.save(blockAndWait: { inner in
                #expect(inner !== outer)
                #expect(inner.parent === NSManagedObjectContext.mr_rootSaving())
                // What the outer one has not saved is not here.
                #expect(User.mr_countOfEntities(with: inner) == 0)
                User.mr_createEntity(in: inner)?.displayName = "inner"
            })
            // Written when it returned, and seen by the outer one.
            #expect((try? names()) == ["inner"])
            #expect(User.mr_countOfEntities(with: outer) == 2)
            outer.rollback()
        })
        #expect(try names() == ["inner"])
    }

    @Test func aFailureInsideDoesNotReachTheOuterSave() throws {
        setUpUsers()
        let seen = Mailbox()
        MagicalRecord.setErrorHandler { seen.add($0) }
        MagicalRecord.save(blockAndWait: { outer in
            User.mr_createEntity(in: outer)?.displayName = "outer"
            // A team needs a name.
            MagicalRecord.save(blockAndWait: { inner in _ = Team.mr_createEntity(in: inner) })
        })
        #expect(try names() == ["outer"])
        #expect(seen.errors.count == 1)
    }

    @Test func saveAndWaitInsideALegacyBlockIsASaveOfItsOwn() throws {
        setUpUsers()
        MagicalRecord.save(blockAndWait: { outer in
            User.mr_createEntity(in: outer)?.displayName = "outer"
            #expect(throws: Never.self) {
                try MagicalRecord.saveAndWait { inner in
                    #expect(inner !== outer)
                    try User.create(in: inner).displayName = "inner"
                }
            }
            outer.rollback()
        })
        #expect(try names() == ["inner"])
    }

    /// Each block goes on only when the other has begun.
    @Test(.timeLimit(.minutes(5))) func blocksRunAtTheSameTime() async throws {
        setUpUsers()
        let first = DispatchSemaphore(value: 0)
        let second = DispatchSemaphore(value: 0)
        async let one = saved { context in
            User.mr_createEntity(in: context)?.displayName = "one"
            first.signal()
            second.wait()
        }
        async let two = saved { context in
            User.mr_createEntity(in: context)?.displayName = "two"
            second.signal()
            first.wait()
        }
        #expect(await [one, two] == [true, true])
        #expect(try names() == ["one", "two"])
    }

    private func saved(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) async -> Bool {
        await withCheckedContinuation { continuation in
            MagicalRecord.save(block, completion: { saved, _ in continuation.resume(returning: saved) })
        }
    }

    @Test(.timeLimit(.minutes(5))) func aBlockMayWaitForAnotherThreadsSave() async throws {
        setUpUsers()
        let done = await saved { context in
            User.mr_createEntity(in: context)?.displayName = "waiting"
            let other = DispatchSemaphore(value: 0)
            Thread {
                MagicalRecord.save(blockAndWait: { User.mr_createEntity(in: $0)?.displayName = "other" })
                other.signal()
            }.start()
            other.wait()
            Task {
                try await MagicalRecord.save { try User.create(in: $0).displayName = "modern" }
                other.signal()
            }
            other.wait()
        }
        #expect(done)
        #expect(try names() == ["modern", "other", "waiting"])
    }

    /// Many saves write at the same time, some of them refused; each is told of its own outcome.
    @Test(.timeLimit(.minutes(5))) func eachSaveHasItsOwnOutcome() async throws {
        setUpUsers()
        MagicalRecord.setErrorHandler { _ in }
        let outcomes = await withTaskGroup(of: (Int, Bool).self) { group in
            for number in 0..<40 {
                group.addTask {
                    let done = await self.saved { context in
                        User.mr_createEntity(in: context)?.displayName = "user \(number)"
                        // Refused: a team needs a name.
                        if number % 4 == 0 { _ = Team.mr_createEntity(in: context) }
                    }
                    return (number, done)
                }
            }
            return await group.reduce(into: [Int: Bool]()) { $0[$1.0] = $1.1 }
        }
        for (number, saved) in outcomes { #expect(saved == (number % 4 != 0), "number \(number)") }
        #expect(try names().count == 30)
        let root = NSManagedObjectContext.mr_rootSaving()
        #expect(root.runAndWait { !root.hasChanges })
    }

    // MARK: Without a stack

    /// As in 2.4, where the root context is nil then: the block runs, with a context that leads to no store.
    @Test(.timeLimit(.minutes(5))) func withoutAStackABlockRunsAndNothingIsSaved() async throws {
        let seen = Mailbox()
        MagicalRecord.setErrorHandler { seen.add($0) }
        let outcome: (ran: Bool, saved: Bool, error: (any Error)?) = await withCheckedContinuation { continuation in
            let ran = Mailbox()
            MagicalRecord.save(
                { context in
                    if context.parent == nil, context.persistentStoreCoordinator == nil {
                        ran.add(CancellationError())
                    }
                },
                completion: { saved, error in
                    continuation.resume(returning: (ran.errors.count == 1, saved, error))
                })
        }
        #expect(outcome.ran && !outcome.saved && outcome.error == nil)
        var hasRun = false
        MagicalRecord.save(blockAndWait: { context in
            hasRun = true
            #expect(context.mr_workingName() == "saveWithBlockAndWait:")
        })
        #expect(hasRun && seen.errors.isEmpty)
        // Neither finds nor creates anything.
        MagicalRecord.save(blockAndWait: { context in
            #expect(User.mr_createEntity(in: context) == nil && User.mr_findAll(in: context)?.isEmpty ?? true)
        })
        #expect(!seen.errors.isEmpty)
        // The modern forms throw.
        let error = #expect(throws: MagicalRecordError.self) { try MagicalRecord.saveAndWait { _ in } }
        #expect(error?.code == .notSetUp)
    }

    /// What a block inserts by other means cannot be saved: the completion and the error handler hear of it.
    @Test(.timeLimit(.minutes(5))) func withoutAStackASaveOfChangesFails() async throws {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(AddressBook.model())
        let seen = Mailbox()
        MagicalRecord.setErrorHandler { seen.add($0) }
        let outcome: (saved: Bool, error: (any Error)?) = await withCheckedContinuation { continuation in
            MagicalRecord.save(
                { context in
                    let entity = NSManagedObjectModel.mr_default()?.entitiesByName["User"]
                    if let entity { _ = User(entity: entity, insertInto: context) }
                },
                completion: { continuation.resume(returning: ($0, $1)) })
        }
        #expect(!outcome.saved && (outcome.error as? MagicalRecordError)?.code == .noStore)
        #expect(seen.errors.count == 1)
    }

    // MARK: Cleaning up

    @Test(.timeLimit(.minutes(5))) func cleaningUpInsideASave() throws {
        setUpUsers()
        let file = try #require(NSPersistentStore.mr_default()?.url)
        MagicalRecord.save(blockAndWait: { context in
            User.mr_createEntity(in: context)?.displayName = "before"
            MagicalRecord.cleanUp()
            #expect(MagicalRecord.defaultStack == nil)
            User.mr_createEntity(in: context)?.displayName = "after"
        })
        // As in the original, the save is written to the store it was begun for.
        let stack = try AddressBook.stack(.sqlite(at: file))
        #expect(try User.count(in: stack.newContext()) == 2)
    }

    @Test(.timeLimit(.minutes(5))) func cleaningUpWhileASaveRuns() async throws {
        setUpUsers()
        let coordinator = try #require(NSPersistentStoreCoordinator.mr_default())
        let file = try #require(NSPersistentStore.mr_default()?.url)
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let done = saved { context in
            begun.signal()
            goOn.wait()
            User.mr_createEntity(in: context)?.displayName = "late"
        }
        await waitOnAThread(for: begun)
        MagicalRecord.cleanUp()
        #expect(coordinator.persistentStores.count == 1)
        // The same file can be set up again meanwhile.
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(AddressBook.model())
        MagicalRecord.setupCoreDataStackWithStore(at: file)
        #expect(try names() == [])
        goOn.signal()
        #expect(await done)
        #expect(try names() == ["late"])
        // The last save has closed the store, a moment later.
        for _ in 0..<500 where !coordinator.persistentStores.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        #expect(coordinator.persistentStores.isEmpty)
    }

    @Test func savingWithoutAStoreIsReported() async throws {
        setUpUsers()
        let root = NSManagedObjectContext.mr_rootSaving()
        let child = NSManagedObjectContext.mr_context(withParent: root)
        MagicalRecord.cleanUp()
        let seen = Mailbox()
        MagicalRecord.setErrorHandler { seen.add($0) }
        child.runAndWait { _ = NSEntityDescription.insertNewObject(forEntityName: "User", into: child) }
        child.mr_saveToPersistentStoreAndWait()
        root.mr_save(blockAndWait: { _ = NSEntityDescription.insertNewObject(forEntityName: "User", into: $0) })
        #expect(seen.errors.count == 2)
        // A store that could not be opened: the contexts are there, as in the original.
        let file = ScratchFiles.new("text.sqlite")
        try Data("This is no database, and longer than the header of one would be, by some margin or other.".utf8)
            .write(to: file)
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(AddressBook.model())
        MagicalRecord.setShouldDeleteStoreOnModelMismatch(false)
        MagicalRecord.setupCoreDataStackWithStore(at: file)
        #expect(seen.errors.count == 3)
        MagicalRecord.save(blockAndWait: { _ = User.mr_createEntity(in: $0) })
        #expect((seen.errors.last as? MagicalRecordError)?.code == .noStore)
        #expect(await !saved { _ = User.mr_createEntity(in: $0) })
        let bare = NSManagedObjectContext.mr_newPrivateQueue()
        bare.mr_saveToPersistentStoreAndWait()
        MagicalRecord.cleanUp()
    }

    /// A trailing closure without a label fits the function that blocks as well, which would run it on this thread.
    @Test func aTrailingClosureSavesAsynchronously() async {
        setUpUsers()
        let context = NSManagedObjectContext.mr_rootSaving()
        let name = await withCheckedContinuation { continuation in
            context.mr_save { continuation.resume(returning: $0.mr_workingName()) }
        }
        #expect(name == "MR_saveWithBlock:completion:")
        MagicalRecord.cleanUp()
    }

    /// A block that has cleaned up goes on, and may save by hand.
    @Test(.timeLimit(.minutes(5))) func savingByHandAfterCleaningUpInsideABlock() throws {
        setUpUsers()
        let file = try #require(NSPersistentStore.mr_default()?.url)
        MagicalRecord.save(blockAndWait: { context in
            MagicalRecord.cleanUp()
            User.mr_createEntity(in: context)?.displayName = "by hand"
            context.mr_saveToPersistentStoreAndWait()
            context.mr_save(blockAndWait: { User.mr_createEntity(in: $0)?.displayName = "below" })
        })
        let stack = try AddressBook.stack(.sqlite(at: file))
        #expect(try User.count(in: stack.newContext()) == 2)
    }

    @Test func cleaningUpClosesTheStoreAtOnceWhenNothingRuns() throws {
        setUpUsers()
        let coordinator = try #require(NSPersistentStoreCoordinator.mr_default())
        MagicalRecord.save(blockAndWait: { _ = User.mr_createEntity(in: $0) })
        MagicalRecord.cleanUp()
        #expect(coordinator.persistentStores.isEmpty)
    }

    /// What is in line for the main queue, merges above all, comes first; and a main thread that waits does not matter.
    @Test(.timeLimit(.minutes(5))) func cleaningUpOnAThreadTheMainThreadWaitsFor() async throws {
        for mainThreadWaits in [false, true] {
            setUpUsers()
            let coordinator = try #require(NSPersistentStoreCoordinator.mr_default())
            let ended = DispatchSemaphore(value: 0)
            if mainThreadWaits { DispatchQueue.main.async { ended.wait() } }
            await withCheckedContinuation { continuation in
                Thread {
                    for _ in 0..<20 { MagicalRecord.save(blockAndWait: { _ = User.mr_createEntity(in: $0) }) }
                    MagicalRecord.cleanUp()
                    ended.signal()
                    continuation.resume()
                }.start()
            }
            for _ in 0..<500 where !coordinator.persistentStores.isEmpty {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(coordinator.persistentStores.isEmpty)
        }
    }

    private func waitOnAThread(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            Thread {
                semaphore.wait()
                continuation.resume()
            }.start()
        }
    }

    // MARK: Subclasses

    @Test func aSubclassOverridesClassMethods() throws {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(AddressBook.model())
        let name = "Own-\(UUID().uuidString).sqlite"
        OwnRecord.storeName.value = name
        OwnRecord.setupAutoMigratingCoreDataStack()
        let url = try #require(NSPersistentStore.mr_default()?.url)
        #expect(url.lastPathComponent == name)
        OwnRecord.save(blockAndWait: { _ = User.mr_createEntity(in: $0) })
        #expect(try User.count(in: .mr_()) == 1)
        (OwnRecord.self as MagicalRecord.Type).cleanUp()
        #expect(OwnRecord.cleanUps.value == 1)
        #expect(MagicalRecord.defaultStack == nil)
        #expect(OwnRecord().number == 7)
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: url.path + suffix)
        }
    }
}

/// As programs subclass the original.
private class OwnRecord: MagicalRecord {
    static let storeName = Box<String>()
    static let cleanUps = Box<Int>()
    let number = 7

    override class func defaultStoreName() -> String { storeName.value ?? "" }

    override class func cleanUp() {
        cleanUps.value = (cleanUps.value ?? 0) + 1
        super.cleanUp()
    }

    override class func save(
        _ block: @escaping @Sendable (NSManagedObjectContext) -> Void, completion: MRSaveCompletionHandler?
    ) {
        super.save(block, completion: completion)
    }
}
