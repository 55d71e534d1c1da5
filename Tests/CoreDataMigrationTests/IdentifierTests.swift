import CoreDataTestSupport
import Foundation
import ModelCompiler
import ModelFormat
import Testing

@testable import CoreData

/// Renaming identifiers decide what is the same, against names.
struct IdentifierTests {
    private func note(_ attributes: [(name: String, identifier: String?)]) -> NSManagedObjectModel {
        let note = LibraryModel.entity("Note")
        note.properties = attributes.map { name, identifier in
            let attribute = LibraryModel.attribute(name, .stringAttributeType)
            if let identifier { attribute.renamingIdentifier = identifier }
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    /// `heading`; `extra` besides; `heading` gone, and `extra` called so.
    private var first: NSManagedObjectModel { note([("heading", nil)]) }
    private var second: NSManagedObjectModel { note([("heading", nil), ("extra", nil)]) }
    private var third: NSManagedObjectModel { note([("heading", "extra"), ("later", nil)]) }

    private func headings(_ type: String, _ versions: NSManagedObjectModel...) throws -> [String] {
        let store = try MigrationStore(type: type)
        try store.open(versions[0]) { $0.insert("Note", ["heading": "old"]) }
        for version in versions.dropFirst() { try store.migrate(to: version) }
        return try store.open(versions[versions.count - 1]) { try $0.texts("Note", "heading") }
    }

    @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType])
    func aPropertyDoesNotGetTheValuesOfAnotherThatHadItsName(_ type: String) throws {
        #expect(try headings(type, first, third) == ["nil"])
        #expect(try headings(type, first, second, third) == ["nil"])
    }

    @Test func theLossIsAnnounced() throws {
        let changes = try ModelCompiler.ModelComparison(
            old: ModelValues.compared(first), new: ModelValues.compared(third)
        ).changes
        #expect(
            changes.contains {
                $0.effect == .losesData && $0.property == "heading" && $0.change == "removed attribute"
                    && $0.reason.contains("identifier extra")
            }, "\(changes)")
    }

    @Test func anEntityDoesNotGetTheObjectsOfAnotherThatHadItsName() throws {
        func model(_ names: [(String, String?)]) -> NSManagedObjectModel {
            let model = NSManagedObjectModel()
            model.entities = names.map { name, identifier in
                let entity = LibraryModel.entity(name)
                entity.properties = [LibraryModel.attribute("text", .stringAttributeType)]
                if let identifier { entity.renamingIdentifier = identifier }
                return entity
            }
            return model
        }
        let store = try MigrationStore()
        let old = model([("Note", nil)]), new = model([("Note", "Extra"), ("Other", nil)])
        try store.open(old) { $0.insert("Note", ["text": "old"]) }
        try store.migrate(to: new)
        try store.open(new) { try check($0.texts("Note", "text"), []) }
    }

    /// Apple's documented uses: the name in the version before, and the canonical name that all versions keep.
    @Test func renamedPropertiesKeepTheirValuesOverEveryVersion() throws {
        let a = note([("heading", nil)])
        let kept = note([("title", "heading"), ("x", nil)]), again = note([("label", "heading"), ("y", nil)])
        let cleared = note([("title", nil), ("z", nil)])
        func texts(_ key: String, _ versions: [NSManagedObjectModel]) throws -> [String] {
            let store = try MigrationStore()
            try store.open(a) { $0.insert("Note", ["heading": "old"]) }
            for version in versions { try store.migrate(to: version) }
            return try store.open(versions[versions.count - 1]) { try $0.texts("Note", key) }
        }
        #expect(try texts("title", [kept]) == ["old"])
        #expect(try texts("label", [kept, again]) == ["old"])
        #expect(try texts("label", [again]) == ["old"])
        #expect(try texts("title", [kept, cleared]) == ["old"])
    }

    /// Two that lead to one object by a relationship which gets a to-one inverse.
    @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType])
    func ownersThatClaimOneObjectAreNamed(_ type: String) throws {
        func model(_ hasInverse: Bool) -> NSManagedObjectModel {
            let person = LibraryModel.entity("Person"), dog = LibraryModel.entity("Dog")
            let there = NSRelationshipDescription(), back = NSRelationshipDescription()
            (there.name, there.destinationEntity, there.maxCount, there.isOptional) = ("dog", dog, 1, true)
            (back.name, back.destinationEntity, back.maxCount, back.isOptional) = ("owner", person, 1, true)
            person.properties = [there]
            dog.properties = [LibraryModel.attribute("name", .stringAttributeType)] + (hasInverse ? [back] : [])
            if hasInverse { (there.inverseRelationship, back.inverseRelationship) = (back, there) }
            let model = NSManagedObjectModel()
            model.entities = [person, dog]
            return model
        }
        let store = try MigrationStore(type: type)
        // Stores of XML have no model of their own.
        let old = model(false)
        defer { withExtendedLifetime(old) {} }
        let names = try store.open(old) { context in
            let dog = context.insert("Dog", ["name": "Rex"])
            let owners = (0..<2).map { _ in context.insert("Person", ["dog": dog]) }
            try context.save()
            return ([dog] + owners).map { $0.objectID.uriRepresentation().absoluteString }
        }
        do {
            try store.migrate(to: model(true))
            Issue.record("The migration was not refused.")
        } catch let error as NSError {
            #expect(error.code == NSMigrationError)
            let words = error.localizedDescription
            #expect(words.contains("Two owners claim one object: \(names[0]) (claimed by "), "\(words)")
            for name in names { #expect(words.contains(name), "\(words)") }
        }
    }
}
