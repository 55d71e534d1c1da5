import MagicalRecord
import MagicalRecordTesting
import Testing

/// What fails a test of old stores.
struct MigrationFindingTests {
    private func notes(_ attributes: NSAttributeDescription...) -> NSManagedObjectModel {
        let note = Build.entity("Note")
        note.properties = attributes
        return Build.model(note)
    }

    private func text(_ name: String, before: String? = nil) -> NSAttributeDescription {
        let attribute = Build.attribute(name, .stringAttributeType)
        if let before { attribute.renamingIdentifier = before }
        return attribute
    }

    /// Maps `Note` to `Note` by the given expressions.
    private func mapping(_ versions: MagicalRecord.ModelVersions, _ expressions: [String: String]) -> NSMappingModel {
        let (source, destination) = (versions.models[0], versions.models[1])
        let entity = NSEntityMapping()
        entity.name = "NoteToNote"
        entity.mappingType = .transformEntityMappingType
        entity.sourceEntityName = "Note"
        entity.sourceEntityVersionHash = source.entityVersionHashesByName["Note"]
        entity.destinationEntityName = "Note"
        entity.destinationEntityVersionHash = destination.entityVersionHashesByName["Note"]
        entity.attributeMappings = expressions.map { name, expression in
            let property = NSPropertyMapping()
            property.name = name
            property.valueExpression = NSExpression(format: expression)
            return property
        }
        let model = NSMappingModel()
        model.entityMappings = [entity]
        return model
    }

    // MARK: Values

    /// An attribute renamed twice: Core Data's step from the first version to the last knows only the last renaming.
    @Test func valuesLostBetweenVersionsAreFound() throws {
        let versions = MagicalRecord.ModelVersions([
            notes(text("title")), notes(text("name", before: "title")), notes(text("heading", before: "name")),
        ])
        let stores = try OldStores()
        try stores.add(
            "1.sqlite", versions.models[0], OldStores.fillNotes([["title": "Milk"], ["title": "Eggs"], [:]]))
        try stores.add("2.sqlite", versions.models[1], OldStores.fillNotes([["name": "Milk"]]))
        expectIssues("1.sqlite: Note.heading (Note.title before) lost 2 of 2 values: Eggs, Milk") {
            expectMigration(of: stores.folder, to: .model(versions.models[2]), migration: .through(versions))
        }
    }

    @Test func valuesThatAMappingChangesAreFoundUnlessAllowed() throws {
        let versions = MagicalRecord.ModelVersions([
            notes(text("title"), text("body")), notes(text("title"), text("body"), text("kind")),
        ])
        let given = mapping(versions, ["title": "uppercase:($source.title)", "body": "$source.body"])
        let migration = MagicalRecord.Migration.through(versions, mappings: [given])
        let stores = try OldStores()
        try stores.add(
            "Notes.sqlite", versions.models[0],
            OldStores.fillNotes([["title": "Milk", "body": "two"], ["title": "EGGS", "body": "six"]]))
        let finding = "Note.title lost 1 of 2 values: Milk; new values: MILK"
        expectIssues("Notes.sqlite: \(finding)") {
            expectMigration(of: stores.folder, to: .model(versions.models[1]), migration: migration)
        }
        for name in ["Note", "Note.title"] {
            let outcomes = expectMigration(
                of: stores.folder, to: .model(versions.models[1]), migration: migration, allowing: [name])
            #expect(outcomes.stores.map(\.losses) == [[finding]])
        }
    }

    /// Each attribute has the same values as before, but in other objects.
    @Test func valuesInOtherObjectsAreFound() throws {
        let versions = MagicalRecord.ModelVersions([
            notes(text("one"), text("two")), notes(text("one"), text("two"), text("three")),
        ])
        let given = mapping(versions, ["one": "$source.two", "two": "$source.two"])
        let stores = try OldStores()
        try stores.add(
            "Notes.sqlite", versions.models[0],
            OldStores.fillNotes([["one": "a", "two": "b"], ["one": "b", "two": "a"]]))
        expectIssues("Notes.sqlite: 2 objects of Note have values that belonged to other objects") {
            expectMigration(
                of: stores.folder, to: .model(versions.models[1]),
                migration: .through(versions, mappings: [given]))
        }
    }

    // MARK: Objects and links

    /// A policy that deletes what it cannot migrate.
    @Test func lostObjectsAreFound() throws {
        let versions = MagicalRecord.ModelVersions([
            notes(text("title")), notes(Build.attribute("title", .dateAttributeType)),
        ])
        let stores = try OldStores()
        try stores.add("Notes.sqlite", versions.models[0], OldStores.fillNotes([["title": "Milk"]]))
        var migration = MagicalRecord.Migration.through(versions)
        migration.deletesOnMismatch = true
        expectIssues("Notes.sqlite: Note has 0 objects, 1 before", "Notes.sqlite: Note.title lost 1 of 1 values: Milk")
        {
            expectMigration(of: stores.folder, to: .model(versions.models[1]), migration: migration)
        }
    }

    /// A mapping model without a mapping of the relationship.
    @Test func lostLinksAreFound() throws {
        let model = { (extra: [NSAttributeDescription]) in
            let note = Build.entity("Note")
            note.properties = [self.text("title")] + extra
            Build.relationship("next", of: note, to: note)
            return Build.model(note)
        }
        let versions = MagicalRecord.ModelVersions([model([]), model([text("kind")])])
        let given = mapping(versions, ["title": "$source.title"])
        let stores = try OldStores()
        try stores.add("Notes.sqlite", versions.models[0]) { context in
            let notes = ["a", "b", "c"].map { title in
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue(title, forKey: "title")
                return note
            }
            for (note, next) in zip(notes, notes.dropFirst()) { note.setValue(next, forKey: "next") }
        }
        expectIssues("Notes.sqlite: Note.next lost 2 of 2 links") {
            expectMigration(
                of: stores.folder, to: .model(versions.models[1]),
                migration: .through(versions, mappings: [given]))
        }
    }

    // MARK: Folders and files

    @Test func foldersWithoutStoresFail() throws {
        let stores = try OldStores()
        let model = MagicalRecord.ModelSource.model(notes(text("title")))
        expectIssues("The folder \(stores.folder.path) contains no stores.") {
            expectMigration(of: stores.folder, to: model)
        }
        let missing = stores.place("Missing"), file = stores.folder.appendingPathComponent("text")
        expectIssues("The folder of old stores \(missing.path) does not exist.") {
            expectMigration(of: missing, to: model)
        }
        try stores.addFile("text", "")
        expectIssues("The folder of old stores \(file.path) is not a folder.") {
            expectMigration(of: file, to: model)
        }
    }

    /// Every other store is checked all the same.
    @Test func filesThatAreNoStoresFail() throws {
        let model = notes(text("title"))
        let stores = try OldStores()
        try stores.addFile("Notes.txt", "Milk")
        try stores.addFile("Old.sqlite-wal", "")
        try stores.add("Notes.sqlite", model, OldStores.fillNotes([["title": "Milk"]]))
        let outcomes = expectIssues(
            "Notes.txt: It is not a store: The file at \(stores.folder.path)/Notes.txt is",
            "Old.sqlite-wal: It is not a store: "
        ) {
            expectMigration(of: stores.folder, to: .model(model))
        }
        #expect(outcomes.stores.map { $0.entities.map(\.after) } == [[1], [], []])
    }

    @Test func storesOfUnknownVersionsFail() throws {
        let versions = MagicalRecord.ModelVersions([notes(text("title")), notes(text("title"), text("body"))])
        let unknown = notes(text("a" + UUID().uuidString.filter { $0 != "-" }))
        let stores = try OldStores()
        try stores.add("Notes.sqlite", unknown, OldStores.fillNotes([[:]]))
        expectIssues("Notes.sqlite: No known version of the model wrote it (entities Note).") {
            expectMigration(of: stores.folder, to: .model(versions.models[1]), migration: .through(versions))
        }
    }

    @Test func storesThatCannotBeMigratedFail() throws {
        let versions = MagicalRecord.ModelVersions([
            notes(text("title")), notes(Build.attribute("title", .dateAttributeType)),
        ])
        let stores = try OldStores()
        try stores.add("Notes.sqlite", versions.models[0], OldStores.fillNotes([["title": "Milk"]]))
        expectIssues("Notes.sqlite: It cannot be opened with the current model: No migration leads from") {
            expectMigration(of: stores.folder, to: .model(versions.models[1]), migration: .through(versions))
        }
    }

    #if !canImport(Darwin)
    /// A store without the folder of its external data.
    @Test func storesWithoutTheirExternalDataFail() throws {
        let stores = try OldStores()
        try stores.add("People.sqlite", PeopleVersions.first(), PeopleVersions.fillFirst)
        try FileManager.default.removeItem(at: stores.folder.appendingPathComponent(".People_SUPPORT"))
        expectIssues(
            "People.sqlite: It cannot be read with its version of the model: The files of 1 values of Person.picture"
        ) {
            expectMigration(
                of: stores.folder, to: .model(PeopleVersions.versions.models[1]),
                migration: .through(PeopleVersions.versions))
        }
    }
    #endif

    @Test func misspelledAllowancesFail() throws {
        let model = notes(text("title"))
        let stores = try OldStores()
        try stores.add("Notes.sqlite", model, OldStores.fillNotes([["title": "Milk"]]))
        expectIssues("Note.titel, which is allowed to differ, is in no version of the model.") {
            expectMigration(
                of: stores.folder, to: .model(model), allowing: ["Note.titel", "Note.title"])
        }
    }
}
