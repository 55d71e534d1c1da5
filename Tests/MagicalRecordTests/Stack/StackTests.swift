import MagicalRecord
import Testing

/// Several stacks, several stores, places of stores, and ends of stacks.
@Suite struct StackTests {
    @Test func severalStacksSideBySide() async throws {
        let one = try AddressBook.stack()
        let other = try AddressBook.stack()
        try await one.save { try User.create(in: $0).displayName = "Ann" }
        #expect(try await one.read { try User.count(in: $0) } == 1)
        #expect(try await other.read { try User.count(in: $0) } == 0)
        // What one saves is not merged into the other.
        await other.mergesHaveEnded()
        #expect(await other.mainContext.perform { other.mainContext.registeredObjects.isEmpty })
    }

    /// Users in one file, messages in another.
    @Test func aStoreForEachConfiguration() async throws {
        let model = AddressBook.model()
        let message = try #require(model.entitiesByName["Message"])
        let user = try #require(model.entitiesByName["User"])
        let team = try #require(model.entitiesByName["Team"])
        // Stores know nothing of each other, so neither may relationships.
        user.properties = user.properties.filter { $0.name != "messages" }
        message.properties = message.properties.filter { $0.name != "sender" }
        model.setEntities([user, team], forConfigurationName: "People")
        model.setEntities([message], forConfigurationName: "Letters")
        let folder = try TemporaryDirectory()
        let stack = try MagicalRecord.Stack(
            [
                .sqlite(named: "people", in: folder.url, configuration: "People"),
                .sqlite(at: folder.file("letters.sqlite"), configuration: "Letters"),
            ], model: .model(model))
        #expect(stack.stores.map(\.configurationName) == ["People", "Letters"])
        #expect(stack.stores.map { $0.url?.lastPathComponent } == ["people.sqlite", "letters.sqlite"])
        let stores = try await stack.save { context in
            let user = try User.create(in: context)
            let letter = try Message.create(in: context)
            letter.text = "Hello"
            return [try user.permanentID(), try letter.permanentID()]
        }
        #expect(stores[0].persistentStore?.configurationName == "People")
        #expect(stores[1].persistentStore?.configurationName == "Letters")
        #expect(try await stack.read { try Message.findFirst(in: $0)?.text } == "Hello")
        try await stack.tearDown()
    }

    @Test func aStoreInMemoryBesideAFile() async throws {
        let model = AddressBook.model()
        let names = ["User", "Team", "Message"]
        model.setEntities(names.compactMap { model.entitiesByName[$0] }, forConfigurationName: "All")
        let stack = try MagicalRecord.Stack(
            [.inMemory(configuration: "All")], shape: .server, model: .model(model))
        try await stack.save { try User.create(in: $0).displayName = "Ann" }
        #expect(try await stack.read { try User.count(in: $0) } == 1)
        #expect(stack.stores.map(\.type) == [NSInMemoryStoreType])
    }

    @Test func storesInMemoryAreIndependent() async throws {
        let one = try AddressBook.stack(.inMemory)
        let other = try AddressBook.stack(.inMemory)
        try await one.save { try User.create(in: $0).displayName = "Ann" }
        #expect(try await other.read { try User.count(in: $0) } == 0)
    }

    @Test func readOnlyStores() async throws {
        let file = ScratchFiles.new("read.sqlite")
        let writer = try AddressBook.stack(.sqlite(at: file))
        try AddressBook.fill(writer)
        try await writer.tearDown()
        let reader = try AddressBook.stack(.sqlite(at: file).readOnly())
        #expect(try await reader.read { try User.count(in: $0) } == 5)
        await #expect(throws: (any Error).self) {
            try await reader.save { try User.create(in: $0).displayName = "Bob" }
        }
        try await reader.tearDown()
    }

    @Test func optionsOfOneStoreWin() throws {
        let store = MagicalRecord.Store.sqlite(
            at: ScratchFiles.new("options.sqlite"),
            options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"], NSInferMappingModelAutomaticallyOption: false])
        let stack = try AddressBook.stack(store)
        let options = try #require(stack.stores.first?.options)
        #expect(options[NSInferMappingModelAutomaticallyOption] as? Bool == false)
        #expect(options[NSMigratePersistentStoresAutomaticallyOption] as? Bool == true)
    }

    @Test func placesOfStores() throws {
        let group = try TemporaryDirectory()
        #expect(MagicalRecord.Store.sqlite(named: "Shared", in: group.url).url == group.file("Shared.sqlite"))
        #expect(MagicalRecord.Store.sqlite(named: "Shared.db", in: group.url).url == group.file("Shared.db"))
        #expect(
            MagicalRecord.Store.sqlite(named: "Book").url
                == MagicalRecord.storeDirectory().appendingPathComponent("Book.sqlite"))
        #expect(MagicalRecord.Store.inMemory.url == nil)
        // Folders on the way are made.
        let deep = group.url.appendingPathComponent("a/b/c/deep.sqlite")
        let stack = try AddressBook.stack(.sqlite(at: deep))
        #expect(FileManager.default.fileExists(atPath: deep.path))
        try stack.tearDownAndWait()
    }

    @Test func aStackThatCannotBeOpenedLeavesNothing() throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("text.sqlite")
        try Data("This is no database, and longer than the header of one would be, by some margin or other.".utf8)
            .write(to: file)
        #expect(throws: (any Error).self) { try AddressBook.stack(.sqlite(at: file)) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["text.sqlite"])
    }

    @Test func tearingDownWaitsForSaves() async throws {
        let stack = try AddressBook.stack()
        let url = try #require(stack.stores.first?.url)
        let saves = (0..<10).map { number in
            Task { try await stack.save { try User.create(in: $0).userID = Int64(number) } }
        }
        _ = await saves[0].result
        try await stack.tearDown()
        #expect(stack.isTornDown)
        var done = 0
        for save in saves {
            switch await save.result {
            case .success: done += 1
            case .failure(let error): #expect((error as? MagicalRecordError)?.code == .tornDown)
            }
        }
        // Whatever was reported as saved is there.
        let again = try AddressBook.stack(.at(url))
        #expect(try await again.read { try User.count(in: $0) } == done)
        await #expect(throws: MagicalRecordError.self) { try await stack.save { _ in } }
        // Once more does nothing.
        try await stack.tearDown()
    }

    @Test func tearingDownCanDeleteTheFiles() async throws {
        let folder = try TemporaryDirectory()
        let stack = try AddressBook.stack(.sqlite(named: "Gone", in: folder.url))
        try AddressBook.fill(stack)
        try await stack.tearDown(deletingStores: true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test func aShapeOfOnesOwn() async throws {
        let shape = MagicalRecord.Shape.custom("two levels") { coordinator in
            let root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            root.persistentStoreCoordinator = coordinator
            let main = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            main.parent = root
            return .init(main: main, root: root) {
                let worker = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                worker.parent = main
                return worker
            }
        }
        let stack = try AddressBook.stack(shape: shape)
        let outcome = try await stack.saveReportingOutcome { try User.create(in: $0).displayName = "Ann" }.outcome
        #expect(outcome == .store)
        #expect(try await stack.read { try User.count(in: $0) } == 1)
        #expect(stack.newContext().parent === stack.mainContext)
        #expect(stack.mainContext.parent === stack.rootSavingContext)
    }

    /// Logs show the name, and the functions of the original for that find it.
    @Test func contextsForWorkHaveNames() async throws {
        let stack = try AddressBook.stack()
        let (named, unnamed) = (stack.newContext(named: "import"), stack.newContext())
        #expect(named.name == "import" && named.mr_workingName() == "import")
        #expect(unnamed.mr_workingName() == "Untitled Context")
        named.mr_setWorkingName("other")
        #expect(named.name == "other" && named.mr_workingName() == "other")
        #expect(try await stack.save { $0.mr_workingName() } == "save")
    }

    @Test func anExistingCoordinator() async throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: AddressBook.model())
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let stack = MagicalRecord.Stack(coordinator: coordinator)
        try await stack.save { try User.create(in: $0).displayName = "Ann" }
        #expect(try await stack.read { try User.count(in: $0) } == 1)
    }
}
