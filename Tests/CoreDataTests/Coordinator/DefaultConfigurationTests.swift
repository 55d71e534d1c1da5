import CoreData
import CoreDataTestSupport
import Testing

/// nil, `PF_DEFAULT_CONFIGURATION_NAME` and `Default` mean all entities, unless the model defines a configuration so named.
@Suite("Names of the default configuration")
struct DefaultConfigurationTests {
    private static let names: [String?] = [nil, "PF_DEFAULT_CONFIGURATION_NAME", "Default"]
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func context(_ model: NSManagedObjectModel) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        return context
    }

    @Test(arguments: names)
    func theyNameAllEntities(name: String?) throws {
        let model = LibraryModel.make()
        #expect(model.entities(forConfigurationName: name)?.count == model.entities.count)
        #expect(!model.configurations.contains("Default"))
        let metadata: [String: Any] = [NSStoreModelVersionHashesKey: model.entityVersionHashesByName]
        #expect(model.isConfiguration(withName: name, compatibleWithStoreMetadata: metadata))
        // Of all entities, so that one more in the store is one too many.
        var hashes = model.entityVersionHashesByName
        hashes["Other"] = hashes["Tag"]
        let more: [String: Any] = [NSStoreModelVersionHashesKey: hashes]
        #expect(!model.isConfiguration(withName: name, compatibleWithStoreMetadata: more))
    }

    @Test(arguments: names, [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType])
    func storesAddedUnderThemHoldEverything(name: String?, type: String) throws {
        let context = context(LibraryModel.make())
        let store = try context.persistentStoreCoordinator!.addPersistentStore(
            ofType: type, configurationName: name, at: folder.file("a"))
        #expect(store.configurationName == name ?? "PF_DEFAULT_CONFIGURATION_NAME")
        context.insert("Tag", ["word": "w"])
        context.insert("Author", ["name": "n"])
        try context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.affectedStores = [store]
        #expect(try context.count(for: request) == 1)
    }

    @Test func aFileMayBeOpenedUnderAnyOfThem() throws {
        for (index, name) in (Self.names + Self.names.reversed()).enumerated() {
            let context = context(LibraryModel.make())
            let store = try context.persistentStoreCoordinator!.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: name, at: folder.file("a.sqlite"))
            #expect(try context.fetchAll("Tag").count == index)
            context.insert("Tag")
            try context.save()
            try context.persistentStoreCoordinator!.remove(store)
        }
    }

    @Test func aDescriptionMayNameIt() throws {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: LibraryModel.make())
        let description = NSPersistentStoreDescription(url: folder.file("b.sqlite"))
        description.configuration = "Default"
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        #expect(failure == nil)
        container.viewContext.insert("Tag")
        try container.viewContext.save()
    }

    @Test func aModelsOwnConfigurationTakesThatName() throws {
        let model = LibraryModel.make()
        model.setEntities([try #require(model.entitiesByName["Tag"])], forConfigurationName: "Default")
        #expect(model.entities(forConfigurationName: "Default")?.map(\.name) == ["Tag"])
        let context = context(model)
        _ = try context.persistentStoreCoordinator!.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: "Default", at: nil)
        context.insert("Author", ["name": "n"])
        #expect(throws: NSError.self) { try context.save() }
    }

    /// As a suite expects that is published by others and runs on Apple's platforms.
    @Test func aNameThatTheModelHasNotMeansAllEntities() throws {
        for name in ["default", nil, "Unknown"] {
            let context = context(LibraryModel.make())
            let coordinator = try #require(context.persistentStoreCoordinator)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: name, at: folder.file("other.sqlite"))
            #expect(store.configurationName == name ?? "PF_DEFAULT_CONFIGURATION_NAME")
            context.insert("Tag")
            context.insert("Author", ["name": "n"])
            try context.save()
            try coordinator.remove(store)
        }
        #expect(LibraryModel.make().entities(forConfigurationName: "default") == nil)
    }
}
