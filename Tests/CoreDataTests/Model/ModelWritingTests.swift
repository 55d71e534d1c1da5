import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Saving models. Apple's framework only reads them, so these tests are for ours alone.
@Suite("Models saved as files")
struct ModelWritingTests {
    private func sample() -> NSManagedObjectModel {
        let person = NSEntityDescription()
        person.name = "Person"
        person.managedObjectClassName = "Person"
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        name.isOptional = false
        name.defaultValue = "Ann"
        let born = NSAttributeDescription()
        born.name = "born"
        born.attributeType = .dateAttributeType
        let total = NSDerivedAttributeDescription()
        total.name = "upperName"
        total.attributeType = .stringAttributeType
        total.derivationExpression = NSExpression(
            forFunction: "canonical:", arguments: [NSExpression(forKeyPath: "name")])
        let friends = NSRelationshipDescription()
        friends.name = "friends"
        friends.destinationEntity = person
        friends.inverseRelationship = friends
        friends.maxCount = 0
        friends.deleteRule = .nullifyDeleteRule
        person.properties = [name, born, total, friends]
        person.uniquenessConstraints = [["name"]]
        person.indexes = [
            NSFetchIndexDescription(
                name: "byBorn", elements: [NSFetchIndexElementDescription(property: born, collationType: .binary)])
        ]
        let model = NSManagedObjectModel()
        model.entities = [person]
        model.setEntities([person], forConfigurationName: "Local")
        return model
    }

    @Test(
        "A model built in code reads back equal from every form",
        arguments: ["xcdatamodeld", "xcdatamodel", "momd", "mom"])
    func roundTrip(_ form: String) throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Sample." + form)
        let model = sample()
        #expect(try model.write(to: url).isEmpty)
        let read = try #require(NSManagedObjectModel(contentsOf: url))
        #expect(read == model)
        #expect(read.versionChecksum == model.versionChecksum)
        #expect(read.configurations == ["Local"])
        // Saving what was read changes nothing.
        let again = folder.file("Again." + form)
        try read.write(to: again)
        #expect(NSManagedObjectModel(contentsOf: again) == model)
    }

    @Test("A second version stands beside the first, and is the current one")
    func versions() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Sample.xcdatamodeld")
        let first = sample()
        try first.write(to: url)
        let second = sample()
        second.entities[0].versionHashModifier = "2"
        try second.write(to: url, versionName: "Sample 2")
        #expect(NSManagedObjectModel(contentsOf: url) == second)
        #expect(
            try NSManagedObjectModel.checksumsForVersionedModel(at: url) == [
                "Sample": first.versionChecksum, "Sample 2": second.versionChecksum,
            ])
    }

    @Test("What XML cannot hold is told, unknown forms and inconsistent models are refused")
    func losses() throws {
        let folder = try TemporaryFolder()
        let model = sample()
        let attribute = try #require(model.entities[0].attributesByName["name"])
        attribute.setValidationPredicates([NSPredicate(value: true)], withValidationWarnings: ["never"])
        let losses = try model.write(to: folder.file("Sample.xcdatamodel"))
        #expect(losses.count == 1)
        #expect(losses.first?.hasPrefix("Person.name: ") == true)
        #expect(throws: CocoaError.self) { try model.write(to: folder.file("Sample.json")) }
        let lonely = NSRelationshipDescription()
        lonely.name = "lonely"
        model.entities[0].properties.append(lonely)
        #expect(throws: CocoaError.self) { try model.write(to: folder.file("Sample.mom")) }
    }

    @Test("A model survives a keyed archive, with its localized texts")
    func archiving() throws {
        let model = sample()
        model.localizationDictionary = ["Entity/Person": "Mensch"]
        model.versionIdentifiers = ["v1"]
        let data = try NSKeyedArchiver.archivedData(withRootObject: model, requiringSecureCoding: true)
        let read = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: NSManagedObjectModel.self, from: data))
        #expect(read == model)
        #expect(read.versionIdentifiers == ["v1"])
        #expect(read.localizationDictionary == ["Entity/Person": "Mensch"])
        #expect(read.entityVersionHashesByName == model.entityVersionHashesByName)
        model.localizationDictionary = nil
        let bare = try NSKeyedArchiver.archivedData(withRootObject: model, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSManagedObjectModel.self, from: bare) == model)
        // The copy is editable whatever the original was.
        read.entities[0].name = "Human"
    }
}
