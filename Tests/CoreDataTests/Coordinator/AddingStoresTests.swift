import CoreData
import CoreDataTestSupport
import Testing

@Suite("Adding, finding and removing stores")
struct AddingStoresTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func coordinator(_ model: NSManagedObjectModel = LibraryModel.make()) -> NSPersistentStoreCoordinator {
        NSPersistentStoreCoordinator(managedObjectModel: model)
    }

    @Test func anUnknownTypeIsRefused() throws {
        let coordinator = coordinator()
        #expect {
            try coordinator.addPersistentStore(ofType: "Papyrus", configurationName: nil, at: nil)
        } throws: { ($0 as NSError).code == NSPersistentStoreInvalidTypeError }
        #expect(coordinator.persistentStores.isEmpty)
    }

    @Test func aStoreKnowsHowItWasAdded() throws {
        let coordinator = coordinator()
        let url = folder.file("a.binary")
        let options: [AnyHashable: Any] = [NSReadOnlyPersistentStoreOption: false, "own": 7]
        let store = try coordinator.addPersistentStore(
            ofType: NSBinaryStoreType, configurationName: nil, at: url, options: options)
        #expect(coordinator.persistentStores == [store])
        #expect(store.persistentStoreCoordinator === coordinator)
        #expect(store.url == url)
        #expect(store.type == NSBinaryStoreType)
        #expect(store.options?["own"] as? Int == 7)
        #expect(!store.isReadOnly)
        #expect(store.configurationName == "PF_DEFAULT_CONFIGURATION_NAME")
        #expect(coordinator.persistentStore(for: url) === store)
        #expect(coordinator.persistentStore(for: folder.file("b")) == nil)
        #expect(coordinator.url(for: store) == url)
        #expect(UUID(uuidString: store.identifier) != nil)
        #expect(store.metadata[NSStoreUUIDKey] as? String == store.identifier)
        #expect(store.metadata[NSStoreTypeKey] as? String == NSBinaryStoreType)
    }

    @Test func theSameFileCannotBeAddedTwice() throws {
        let coordinator = coordinator()
        let url = folder.file("a.binary")
        try coordinator.addPersistentStore(ofType: NSBinaryStoreType, configurationName: nil, at: url)
        #expect {
            try coordinator.addPersistentStore(ofType: NSBinaryStoreType, configurationName: nil, at: url)
        } throws: { ($0 as NSError).code == NSPersistentStoreOpenError }
    }

    @Test func addingAndRemovingIsAnnounced() throws {
        let coordinator = coordinator()
        let log = NotificationLog(coordinator)
        let store = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        #expect(log.last?.userInfo?[NSAddedPersistentStoresKey] as? [NSPersistentStore] == [store])
        try coordinator.remove(store)
        #expect(log.last?.userInfo?[NSRemovedPersistentStoresKey] as? [NSPersistentStore] == [store])
        #expect(store.persistentStoreCoordinator == nil)
        #expect(coordinator.persistentStores.isEmpty)
        #expect { try coordinator.remove(store) } throws: { ($0 as NSError).code == NSPersistentStoreOperationError }
    }

    @Test func aStoreOfAnotherModelIsRefusedInPlainWords() throws {
        let url = folder.file("a.binary")
        let first = coordinator()
        try first.addPersistentStore(ofType: NSBinaryStoreType, configurationName: nil, at: url)
        let other = LibraryModel.make()
        other.entitiesByName["Book"]?.properties.removeAll { $0.name == "pages" }
        #expect {
            try coordinator(other).addPersistentStore(ofType: NSBinaryStoreType, configurationName: nil, at: url)
        } throws: { error in
            let error = error as NSError
            let advice = error.localizedRecoverySuggestion ?? ""
            return error.domain == NSCocoaErrorDomain && error.code == NSPersistentStoreIncompatibleVersionHashError
                && error.userInfo["metadata"] is [String: Any]
                && error.userInfo["reason"] as? String
                    == "The model used to open the store is incompatible with the one used to create the store"
                && advice.contains("entities that differ: Book")
        }
    }

    /// A SQLite store carries its model along, so that it can be said how the versions differ.
    @Test func theRefusalSaysHowEntitiesDiffer() throws {
        let url = folder.file("a.sqlite")
        let first = coordinator()
        let store = try first.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        try first.remove(store)
        let other = LibraryModel.make()
        let book = other.entitiesByName["Book"]
        book?.properties.removeAll { $0.name == "pages" }
        book?.attributesByName["title"]?.isOptional.toggle()
        book?.properties.append(LibraryModel.attribute("subtitle", .stringAttributeType))
        let error = #expect(throws: CocoaError.self) {
            try coordinator(other).addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        }
        let advice = (error as NSError?)?.localizedRecoverySuggestion ?? ""
        #expect(advice.contains("Book (the store's is without subtitle, with pages, another title)"), "\(advice)")
    }

    @Test func versioningCanBeIgnored() throws {
        let url = folder.file("a.binary")
        try coordinator().addPersistentStore(ofType: NSBinaryStoreType, configurationName: nil, at: url)
        let other = LibraryModel.make()
        other.entitiesByName["Book"]?.properties.removeAll { $0.name == "pages" }
        let (strict, lenient) = (coordinator(other), coordinator(other))
        let error = #expect(throws: NSError.self) {
            try strict.addPersistentStore(ofType: NSBinaryStoreType, configurationName: nil, at: url)
        }
        #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
        let store = try lenient.addPersistentStore(
            ofType: NSBinaryStoreType, configurationName: nil, at: url,
            options: [NSIgnorePersistentStoreVersioningOption: true])
        #expect(lenient.persistentStores == [store])
    }

    // Only SQLite stores enforce these; Apple's stores in other files refuse such models too.
    @Test(arguments: [NSBinaryStoreType, NSXMLStoreType])
    func uniquenessConstraintsNeedSQLite(type: String) throws {
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.uniquenessConstraints = [["word"]]
        #expect {
            try coordinator(model).addPersistentStore(
                ofType: type, configurationName: nil, at: folder.file("a.\(type)"))
        } throws: {
            let error = $0 as NSError
            return error.code == NSPersistentStoreIncompatibleSchemaError
                && error.localizedFailureReason?.contains("Tag has uniqueness constraints") == true
        }
    }

    // Unit tests of most programs use their model with a store in memory.
    @Test func theStoreInMemoryDoesNotEnforceUniquenessConstraints() throws {
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.uniquenessConstraints = [["word"]]
        let coordinator = coordinator(model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        for _ in 0..<2 {
            context.insert("Tag", ["word": "same"])
            context.insert("Tag", ["word": "same"])
            try context.save()
        }
        #expect(try context.fetchAll("Tag").count == 4)
    }

    @Test func aReadOnlyStoreIsNotCreated() throws {
        let url = folder.file("a.binary")
        #expect {
            try coordinator().addPersistentStore(
                ofType: NSBinaryStoreType, configurationName: nil, at: url,
                options: [NSReadOnlyPersistentStoreOption: true])
        } throws: { ($0 as NSError).code == NSFileReadNoSuchFileError }
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test func descriptionsAddStores() throws {
        let coordinator = coordinator()
        let description = NSPersistentStoreDescription(url: folder.file("a.binary"))
        description.type = NSBinaryStoreType
        var failures: [(any Error)?] = []
        coordinator.addPersistentStore(with: description) { _, error in failures.append(error) }
        #expect(failures.count == 1 && failures[0] == nil)
        #expect(coordinator.persistentStores.count == 1)
        coordinator.addPersistentStore(with: description) { _, error in failures.append(error) }
        #expect(failures.count == 2 && failures[1] != nil)
    }

    @Test func descriptionsAddStoresInTheBackground() async throws {
        let coordinator = coordinator()
        let description = NSPersistentStoreDescription(url: folder.file("a.binary"))
        description.type = NSBinaryStoreType
        description.shouldAddStoreAsynchronously = true
        let failed = await withCheckedContinuation { continuation in
            coordinator.addPersistentStore(with: description) { _, error in continuation.resume(returning: error != nil)
            }
        }
        #expect(!failed)
        #expect(coordinator.persistentStores.count == 1)
    }
}

/// Keeps the did-change notifications of a coordinator.
final class NotificationLog: @unchecked Sendable {
    private(set) var last: Notification?
    private var observer: (any NSObjectProtocol)?

    init(_ coordinator: NSPersistentStoreCoordinator) {
        observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
        ) { [unowned self] in last = $0 }
    }

    deinit { observer.map(NotificationCenter.default.removeObserver) }
}
