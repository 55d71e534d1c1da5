// Needs the project's own compiled models, of which Apple's platforms have no part.
#if !canImport(Darwin)
import CoreData
import Foundation
import MagicalRecord
import ModelFormat
import ModelPredicates
import Testing

/// Chains over mapping models in bundles, and what their errors say.
struct ChainTests {
    private func model(_ attributes: [(String, NSAttributeType)], identifier: String? = nil) -> NSManagedObjectModel {
        let note = NSEntityDescription()
        note.name = "Note"
        note.managedObjectClassName = "NSManagedObject"
        note.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [note]
        if let identifier { model.versionIdentifiers = [identifier] }
        return model
    }

    /// Stars as text, as a date, and as a number: nothing is inferred between them.
    private var versions: MagicalRecord.ModelVersions {
        MagicalRecord.ModelVersions([
            model([("stars", .stringAttributeType)], identifier: "Notes"),
            model([("stars", .dateAttributeType)], identifier: "Notes 2"),
            model([("stars", .integer32AttributeType)], identifier: "Notes 3"),
        ])
    }

    private struct Place {
        let folder: URL
        let bundle: Bundle
        var store: URL { folder.appendingPathComponent("Notes.sqlite") }
    }

    private func withPlace(_ body: (Place) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("chain-\(UUID().uuidString)")
        let resources = folder.appendingPathComponent("App_App.resources")
        try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(Place(folder: folder, bundle: try #require(Bundle(url: resources))))
    }

    /// Puts a compiled mapping model into the bundle.
    private func addMapping(
        _ expression: String, from source: NSManagedObjectModel, to destination: NSManagedObjectModel, _ place: Place
    ) throws {
        var entity = EntityMapping(name: "NoteToNote", kind: .transform)
        entity.sourceEntityName = "Note"
        entity.destinationEntityName = "Note"
        entity.sourceEntityVersionHash = source.entityVersionHashesByName["Note"]
        entity.destinationEntityVersionHash = destination.entityVersionHashesByName["Note"]
        entity.attributeMappings = [
            PropertyMapping(name: "stars", valueExpression: try FormatTextParser().expression(expression))
        ]
        let file = place.bundle.bundleURL.appendingPathComponent("\(UUID().uuidString).cdm")
        try MappingModel(entityMappings: [entity]).archive().write(to: file)
    }

    private func open<T>(_ url: URL, _ model: NSManagedObjectModel, _ body: (NSManagedObjectContext) throws -> T) throws
        -> T
    {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.runAndWait { try body(context) }
    }

    private func fill(_ place: Place, _ stars: String) throws {
        try open(place.store, versions.models[0]) { context in
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(stars, forKey: "stars")
            try context.save()
        }
    }

    @Test func aMappingInABundleMayLeapOverVersions() throws {
        try withPlace { place in
            let versions = versions
            try fill(place, "4")
            try addMapping(
                "CAST($source.stars, 'NSNumber')", from: versions.models[0], to: versions.models[2], place)
            let report = try MagicalRecord.migrate(.sqlite(at: place.store), through: versions, in: [place.bundle])
            #expect(report.steps.map(\.from) == [1] && report.steps.map(\.to) == [3])
            #expect(report.steps.map(\.isInferred) == [false])
            let stars = try open(place.store, versions.models[2]) { context in
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).first?.value(forKey: "stars")
            }
            #expect(stars as? Int == 4)
        }
    }

    @Test func aMissingStepIsNamedWithWhatItLacks() throws {
        try withPlace { place in
            let versions = versions
            try fill(place, "4")
            // The first step is there, the second is not.
            try addMapping("nil", from: versions.models[0], to: versions.models[1], place)
            let before = try Data(contentsOf: place.store)
            do {
                try MagicalRecord.migrate(.sqlite(at: place.store), through: versions, in: [place.bundle])
                Issue.record("The store was migrated.")
            } catch {
                let text = error.localizedDescription
                #expect(text.contains("version 2 (Notes 2) to version 3 (Notes 3)"), "\(text)")
                #expect(text.contains("mapping model is missing"), "\(text)")
                #expect(text.contains("App_App.resources"), "\(text)")
                #expect(text.contains("Note.stars changed its type from Date to Integer 32"), "\(text)")
                #expect(text.contains("Add a mapping model"), "\(text)")
                #expect((error as NSError).code == NSInferredMappingModelError)
                // Not the models themselves.
                #expect("\(error)".count < 2500, "\("\(error)".count)")
                #expect(!"\(error)".contains("isOptional"))
            }
            #expect(try Data(contentsOf: place.store) == before)
        }
    }

    @Test func aStepThatFailsIsNamed() throws {
        try withPlace { place in
            let versions = versions
            try fill(place, "four")
            try addMapping("$source.stars", from: versions.models[0], to: versions.models[2], place)
            do {
                try MagicalRecord.migrate(.sqlite(at: place.store), through: versions, in: [place.bundle])
                Issue.record("The store was migrated.")
            } catch {
                let text = error.localizedDescription
                #expect(text.contains("Notes.sqlite from version 1 (Notes) to version 3 (Notes 3)"), "\(text)")
                #expect(text.contains("stars"), "\(text)")
                #expect((error as NSError).code == NSEntityMigrationPolicyError)
            }
        }
    }

    @Test func valuesThatDoNotFitNameTheStep() throws {
        try withPlace { place in
            let versions = MagicalRecord.ModelVersions([
                model([("stars", .integer64AttributeType)]), model([("stars", .integer16AttributeType)]),
            ])
            try open(place.store, versions.models[0]) { context in
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue(70_000, forKey: "stars")
                try context.save()
            }
            do {
                try MagicalRecord.migrate(.sqlite(at: place.store), through: versions)
                Issue.record("The store was migrated.")
            } catch {
                let text = error.localizedDescription
                for word in ["version 1 to version 2", "Note.stars", "70000", "Integer 16", "Integer 64"] {
                    #expect(text.contains(word), "\(text)")
                }
            }
        }
    }

    /// Models in bundles that exclude each other are an error of setting up.
    @Test func modelsThatCannotBeMergedAreAnError() throws {
        try withPlace { place in
            let other = place.folder.appendingPathComponent("App_Other.resources")
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            try versions.models[0].write(to: place.bundle.bundleURL.appendingPathComponent("A.mom"))
            try versions.models[1].write(to: other.appendingPathComponent("B.mom"))
            let bundles = [place.bundle, try #require(Bundle(url: other))]
            do {
                _ = try MagicalRecord.Stack([.sqlite(at: place.store)], model: .merged(from: bundles))
                Issue.record("The models were merged.")
            } catch let error as MagicalRecordError {
                #expect(error.code == .modelNotFound)
                #expect(error.message.contains("App_App.resources/A.mom"), "\(error)")
                #expect(error.message.contains("App_Other.resources/B.mom"), "\(error)")
                #expect(error.advice?.contains(".merged(from: [.module])") == true)
            }
        }
    }
}
#endif
