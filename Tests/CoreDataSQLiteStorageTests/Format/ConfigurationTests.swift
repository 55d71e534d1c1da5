import CoreData
import CoreDataTestSupport
import Testing

/// Stores of named configurations of one model.
@Suite
struct ConfigurationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// `Note` in the configuration Local, `Post` in Cloud.
    private func model(_ change: (NSManagedObjectModel) -> Void = { _ in }) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        let note = FormatStore.entity("Note"), post = FormatStore.entity("Post")
        model.entities = [note, post]
        change(model)
        model.setEntities([note], forConfigurationName: "Local")
        model.setEntities([post], forConfigurationName: "Cloud")
        return model
    }

    private func open(_ model: NSManagedObjectModel, _ configurations: String...) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        for name in configurations {
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: name, at: folder.file("\(name).sqlite"))
        }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @Test func objectsGoToTheirConfigurationsStore() throws {
        let context = try open(model(), "Local", "Cloud")
        let note = context.insert("Note", ["name": "n"]), post = context.insert("Post", ["name": "p"])
        try context.save()
        #expect(note.objectID.persistentStore?.configurationName == "Local")
        #expect(post.objectID.persistentStore?.configurationName == "Cloud")
        _ = try context.execute(NSBatchInsertRequest(entityName: "Post", objects: [["name": "q"]]))
        #expect(
            try context.fetchAll("Post").compactMap { $0.objectID.persistentStore?.configurationName } == [
                "Cloud", "Cloud",
            ])
    }

    /// As in Apple's files, the metadata has every entity's hash and the file every entity's table.
    @Test func filesKnowTheWholeModel() throws {
        let model = model()
        let context = try open(model, "Local")
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: folder.file("Local.sqlite"))
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        #expect(hashes == model.entityVersionHashesByName)
        #expect(model.isConfiguration(withName: "Local", compatibleWithStoreMetadata: metadata))
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        withExtendedLifetime(context) {}
    }

    /// Only the configuration's entities have to be those the store was made with.
    @Test func otherConfigurationsMayChange() throws {
        var context = try open(model(), "Local")
        context.insert("Note", ["name": "n"])
        try context.save()
        context = try open(
            model { model in
                let first = FormatStore.entity("Aardvark")
                model.entities = [first] + model.entities
                model.entitiesByName["Post"]?.properties += [LibraryModel.attribute("text", .stringAttributeType)]
            }, "Local")
        #expect(try context.fetchAll("Note").map { $0.value(forKey: "name") as? String } == ["n"])
        context.insert("Note", ["name": "m"])
        try context.save()
        context = try open(model(), "Local")
        #expect(try context.fetchAll("Note").count == 2)
        #expect {
            try open(
                model {
                    $0.entitiesByName["Note"]?.properties += [LibraryModel.attribute("text", .stringAttributeType)]
                },
                "Local")
        } throws: { ($0 as NSError).code == NSPersistentStoreIncompatibleVersionHashError }
    }
}
