import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// Everything about the one default stack of the program, one test after the other.
@Suite(.serialized, .defaultStack) struct DefaultStackTests {
    init() {
        MagicalRecord.setLoggingLevel(.off)
        MagicalRecord.cleanUp()
    }

    private func setUpLegacy() {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(AddressBook.model())
        MagicalRecord.setupCoreDataStackWithStore(at: ScratchFiles.new("Legacy.sqlite"))
    }

    @Test func inOneLine() async throws {
        let stack = try MagicalRecord.setUp(
            .sqlite(at: ScratchFiles.new("a.sqlite")), model: .model(AddressBook.model()))
        #expect(MagicalRecord.defaultStack === stack)
        let again = #expect(throws: MagicalRecordError.self) {
            try MagicalRecord.setUp(.inMemory, model: .model(AddressBook.model()))
        }
        #expect(again?.code == .alreadySetUp)
        let id = try await MagicalRecord.save { context in try User.create(in: context).permanentID() }
        #expect(try await MagicalRecord.read { try User.find(id: id, in: $0) != nil })
        try await MagicalRecord.tearDown(deletingStores: true)
        #expect(MagicalRecord.defaultStack == nil)
        let gone = #expect(throws: MagicalRecordError.self) { try MagicalRecord.requireStack() }
        #expect(gone?.code == .notSetUp)
    }

    @Test func aDatabasePerUser() async throws {
        let folder = try TemporaryDirectory()
        for name in ["ann", "bob", "ann"] {
            let file = folder.file(name + ".sqlite")
            let existed = FileManager.default.fileExists(atPath: file.path)
            try MagicalRecord.setUp(.sqlite(at: file), model: .model(AddressBook.model()))
            let before = try await MagicalRecord.read { try User.count(in: $0) }
            #expect(before == (existed ? 1 : 0))
            try await MagicalRecord.save { context in
                try User.findOrCreate(by: \.userID, 1, in: context).userID
            }
            try await MagicalRecord.tearDown()
        }
    }

    @Test func aModelThatIsNotThere() {
        let error = #expect(throws: MagicalRecordError.self) {
            try MagicalRecord.setUp(.inMemory, model: .named("Nothing"))
        }
        #expect(error?.code == .modelNotFound)
        #expect(MagicalRecord.defaultStack == nil)
        #expect(NSManagedObjectModel.mr_newManagedObjectModelNamed("Nothing.momd") == nil)
    }

    @Test func theLegacyStack() throws {
        setUpLegacy()
        #expect(NSManagedObjectModel.mr_default() != nil)
        #expect(NSPersistentStoreCoordinator.mr_default() != nil)
        #expect(NSPersistentStore.mr_default()?.type == NSSQLiteStoreType)
        let main = NSManagedObjectContext.mr_default()
        #expect(main.parent === NSManagedObjectContext.mr_rootSaving())
        #expect(main.mr_workingName() == "MagicalRecord Default Context")
        #expect(main.mr_parentChain().contains("MagicalRecord Root Saving Context"))
        // A second set-up does nothing, as in the original.
        MagicalRecord.setupCoreDataStackWithInMemoryStore()
        #expect(NSPersistentStore.mr_default()?.type == NSSQLiteStoreType)
        MagicalRecord.cleanUp()
        #expect(NSPersistentStoreCoordinator.mr_default() == nil)
    }

    @Test func finders() throws {
        setUpLegacy()
        try AddressBook.fill(try MagicalRecord.requireStack())
        let context = NSManagedObjectContext.mr_()
        context.runAndWait {
            #expect(User.mr_findAll(in: context)?.count == 5)
            #expect(User.mr_findFirst(byAttribute: "userID", withValue: 3, in: context)?.displayName == "Cid")
            #expect(User.mr_findFirst(byAttribute: "userID", withValue: 99, in: context) == nil)
            let sorted = User.mr_findAllSorted(by: "countryCode:NO, balance", ascending: true, in: context) as? [User]
            #expect(sorted?.map(\.userID) == [3, 4, 1, 2, 5])
            #expect(User.mr_countOfEntities(with: context) == 5)
            #expect(User.mr_numberOfEntities(with: NSPredicate(format: "isFriend == 1"), in: context) == 3)
            #expect(User.mr_hasAtLeastOneEntity(in: context))
            #expect(User.mr_find(byAttribute: "email", withValue: nil, in: context)?.count == 1)
            let ann = User.mr_findFirst(byAttribute: "userID", withValue: 1, in: context)
            #expect(ann?.mr_minValue(for: "balance") as? Double == 10)
            #expect(ann?.mr_maxValue(for: "balance") as? Double == 50)
            #expect(ann?.mr_objectWithMinValue(for: "balance") === ann)
            let sum = User.mr_aggregateOperation("sum:", onAttribute: "balance", with: nil, in: context) as? Double
            #expect(sum == 150)
            let created = User.mr_findFirstOrCreate(byAttribute: "userID", withValue: 77, in: context)
            #expect(created.userID == 77)
            let request = User.mr_requestFirst(byAttribute: "email", withValue: nil, in: context)
            #expect(request.fetchLimit == 1)
            #expect(request.entityName == "User")
        }
    }

    /// No value, and results that are no objects.
    @Test func findersWithOddArguments() throws {
        setUpLegacy()
        let seen = Mailbox()
        MagicalRecord.setErrorHandler { seen.add($0) }
        let context = NSManagedObjectContext.mr_()
        context.runAndWait {
            let nobody = User.mr_findFirstOrCreate(byAttribute: "email", withValue: NSNull(), in: context)
            #expect(nobody.email == nil)
            #expect(User.mr_findFirstOrCreate(byAttribute: "email", withValue: nil, in: context) === nobody)
            #expect(User.mr_findAll(with: nil, in: context)?.count == 1)
            #expect(User.mr_findFirst(with: nil, sortedBy: nil, ascending: true, in: context) === nobody)
            let sorted = User.mr_find(
                byAttribute: "email", withValue: nil, andOrderBy: nil, ascending: true, in: context)
            #expect(sorted?.count == 1)
            #expect(seen.errors.isEmpty)
            let request = User.mr_requestAll(in: context)
            request.resultType = .dictionaryResultType
            #expect(User.mr_execute(request, in: context) == nil)
            #expect((seen.errors.last as? MagicalRecordError)?.code == .classMismatch)
        }
    }

    @Test func sortTerms() throws {
        setUpLegacy()
        let request = User.mr_requestAllSorted(
            by: "displayName:YES,balance:NO,userID", ascending: true, in: NSManagedObjectContext.mr_default())
        #expect(request.sortDescriptors?.map(\.key) == ["displayName", "balance", "userID"])
        #expect(request.sortDescriptors?.map(\.ascending) == [true, false, true])
    }

    @Test func synchronousSaves() throws {
        setUpLegacy()
        MagicalRecord.save(blockAndWait: { context in
            let user = User.mr_createEntity(in: context)
            user?.displayName = "Ann"
        })
        let root = NSManagedObjectContext.mr_rootSaving()
        root.runAndWait {
            #expect(User.mr_findFirst(in: root)?.displayName == "Ann")
            #expect(!root.hasChanges)
        }
    }

    @Test func asynchronousSavesCompleteOnTheMainQueue() async throws {
        setUpLegacy()
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<(Bool, Bool), Never>) in
            MagicalRecord.save(
                { context in _ = User.mr_createEntity(in: context) },
                completion: { saved, error in
                    MainActor.assertIsolated()
                    continuation.resume(returning: (saved, error == nil))
                })
        }
        #expect(result == (true, true))
        let nothing = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            MagicalRecord.save({ _ in }, completion: { saved, _ in continuation.resume(returning: saved) })
        }
        #expect(!nothing)
    }

    @Test func savingOneContext() async throws {
        setUpLegacy()
        let child = NSManagedObjectContext.mr_context(withParent: .mr_default())
        try User.create(in: child)
        child.mr_saveOnlySelfAndWait()
        let main = NSManagedObjectContext.mr_default()
        #expect(await main.perform { main.hasChanges })
        #expect(child.runAndWait { !child.hasChanges })
        child.mr_saveToPersistentStoreAndWait()
        #expect(await main.perform { !main.hasChanges })
        let saved = try await child.mr_saveToPersistentStore()
        #expect(!saved)
        #expect(try await MagicalRecord.read { try User.count(in: $0) } == 1)
    }

    @Test func chainSaves() throws {
        setUpLegacy()
        NSManagedObjectContext.mr_rootSaving().mr_save(blockAndWait: { context in
            _ = User.mr_createEntity(in: context)
        })
        #expect(try User.count(in: .mr_()) == 1)
    }

    @Test func errorHandling() {
        let seen = Mailbox()
        MagicalRecord.setErrorHandler { seen.add($0) }
        MagicalRecord.handleErrors(NSError(domain: "MRTests", code: 1000))
        #expect((seen.errors.first as? NSError)?.code == 1000)
        setUpLegacy()
        #expect(Unmodelled.mr_createEntity(in: .mr_default()) == nil)
        #expect((seen.errors.last as? MagicalRecordError)?.code == .unknownEntity)
        MagicalRecord.cleanUp()
        #expect(MagicalRecord.errorHandlerTarget() == nil)
    }

    @Test func coordinators() throws {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(AddressBook.model())
        let url = ScratchFiles.new("TestStore.sqlite")
        let coordinator = NSPersistentStoreCoordinator.mr_coordinatorWithSqliteStore(at: url)
        #expect(coordinator.persistentStores.map(\.type) == [NSSQLiteStoreType])
        #expect(coordinator.mr_addInMemoryStore()?.type == NSInMemoryStoreType)
        #expect(coordinator.persistentStores.map(\.type) == [NSSQLiteStoreType, NSInMemoryStoreType])
        #expect(NSPersistentStore.mr_defaultLocalStoreUrl().lastPathComponent == "CoreDataStore.sqlite")
        #expect(
            NSPersistentStore.mr_url(forStoreName: "odd name.db")
                == MagicalRecord.storeDirectory().appendingPathComponent("odd name.db"))
        #expect(MagicalRecord.defaultStoreName().hasSuffix(".sqlite"))
    }

    @Test func importing() throws {
        setUpLegacy()
        let context = NSManagedObjectContext.mr_()
        let ann = User.mr_import(from: ["userID": 1, "displayName": "Ann"] as [String: Any], in: context)
        #expect(context.runAndWait { ann.displayName } == "Ann")
        let all = User.mr_import(from: [["userID": 1], ["userID": 2]] as [[AnyHashable: Any]], in: context)
        #expect(all.count == 2)
        #expect(all.first === ann)
    }

    // MARK: Fetched-results controllers

    @Test func fetchedResults() throws {
        setUpLegacy()
        try AddressBook.fill(try MagicalRecord.requireStack())
        let context = NSManagedObjectContext.mr_rootSaving()
        context.runAndWait {
            let sorted = User.mr_fetchAllSorted(
                by: "countryCode,displayName:NO", ascending: true, with: NSPredicate(format: "userID < 5"),
                groupBy: "countryCode", delegate: nil, in: context)
            #expect(sorted.sections?.map(\.name) == ["49", "84"])
            #expect((sorted.fetchedObjects as? [User])?.map(\.userID) == [2, 1, 4, 3])
            let grouped = User.mr_fetchAllGrouped(
                by: "countryCode", with: nil, sortedBy: "countryCode", ascending: false, in: context)
            #expect(grouped.sections?.map(\.name) == ["84", "49", "33"])
            // The original could not do without an order.
            let all = User.mr_fetchAll(with: nil, in: context)
            #expect((all.fetchedObjects as? [User])?.map(\.userID) == [1, 2, 3, 4, 5])
            let unsorted = User.mr_fetchAllGrouped(
                by: "isFriend", with: nil, sortedBy: nil, ascending: true, delegate: nil, in: context)
            #expect(unsorted.sections?.map(\.numberOfObjects) == [2, 3])
        }
    }

    @Test func controllersAreFetchedWhenAsked() throws {
        setUpLegacy()
        try AddressBook.fill(try MagicalRecord.requireStack())
        let context = NSManagedObjectContext.mr_rootSaving()
        context.runAndWait {
            let request = User.mr_requestAllSorted(by: "userID", ascending: true, in: context)
            let controller = User.mr_fetchController(
                request, delegate: nil, useFileCache: true, groupedBy: nil, in: context)
            #expect(controller.fetchedObjects == nil)
            #expect(controller.cacheName?.hasPrefix("MagicalRecord-Cache-") == true)
            let other = User.mr_fetchController(
                User.mr_requestAllSorted(by: "displayName", ascending: true, in: context), delegate: nil,
                useFileCache: true, groupedBy: nil, in: context)
            // The original had one name for both, and so one file.
            #expect(other.cacheName != controller.cacheName)
            #expect(User.mr_performFetch(controller))
            #expect(controller.fetchedObjects?.count == 5)
        }
    }

    @Test func aFetchThatFailsIsReported() throws {
        setUpLegacy()
        let seen = Mailbox()
        MagicalRecord.setErrorHandler { seen.add($0) }
        let context = NSManagedObjectContext.mr_rootSaving()
        context.runAndWait {
            let controller = User.mr_fetchAllSorted(
                by: "nothing", ascending: true, with: nil, groupBy: nil, delegate: nil, in: context)
            #expect(controller.fetchedObjects == nil)
        }
        #expect(seen.errors.count == 1)
    }
}

/// Collects errors from any thread.
final class Mailbox: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: [any Error] = []

    var errors: [any Error] { lock.withLock { stored } }

    func add(_ error: any Error) { lock.withLock { stored.append(error) } }
}
