import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A class of a program, with hooks that must not run while a store migrates.
final class HookedNote: NSManagedObject {
    nonisolated(unsafe) static var calls: [String] = []

    override func awakeFromInsert() {
        super.awakeFromInsert()
        Self.calls.append("insert")
    }

    override func awakeFromFetch() {
        super.awakeFromFetch()
        Self.calls.append("fetch")
    }

    override func willSave() {
        super.willSave()
        Self.calls.append("save")
    }

    override func validateForInsert() throws {
        Self.calls.append("validate")
        throw CocoaError(.validationInvalidDate)
    }
}

/// Notes the classes of the objects it is given and makes.
final class ClassNotingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        let own = NSEntityDescription.insertNewObject(forEntityName: "Note", into: manager.destinationContext)
        own.setValue("own", forKey: "text")
        let names = ([sInstance, own] + made).map { "\(type(of: $0))" }
        manager.userInfo?["classes"] = names
        manager.destinationContext.delete(own)
    }
}

struct PlainObjectTests {
    private func model(_ names: [String], className: String = "CoreDataMigrationTests.HookedNote")
        -> NSManagedObjectModel
    {
        let note = LibraryModel.entity("Note")
        note.managedObjectClassName = className
        note.properties = names.map { LibraryModel.attribute($0, .stringAttributeType) }
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    @Test func migrationsRunNoCodeOfTheProgramsClasses() throws {
        let store = try MigrationStore(type: StoreKind.onDisk.type),
            result = try MigrationStore(type: StoreKind.onDisk.type)
        // Written with plain objects, since the class refuses every insertion.
        try store.open(model(["text"], className: "NSManagedObject")) { $0.insert("Note", ["text": "a"]) }
        let old = model(["text"]), new = model(["text", "more"])
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        mapping.entityMappings.first?.entityMigrationPolicyClassName = "CoreDataMigrationTests.ClassNotingPolicy"
        let edited = try #require(mapping.copy() as? NSMappingModel)
        let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
        HookedNote.calls = []
        try manager.migrateStore(
            from: store.url, type: store.kind, mapping: edited, to: result.url, type: result.kind)
        #expect(HookedNote.calls.isEmpty)
        #expect(manager.userInfo?["classes"] as? [String] == Array(repeating: "NSManagedObject", count: 3))
        // The program itself gets its class.
        try result.open(new) { context in
            let note = try #require(context.fetchAll("Note").first)
            #expect(note is HookedNote)
            #expect(note.value(forKey: "text") as? String == "a")
        }
        #expect(HookedNote.calls == ["fetch"])
    }
}
