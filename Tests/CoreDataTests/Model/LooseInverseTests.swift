import CoreDataTestSupport
import Foundation
import ModelFormat
import Testing

@testable import CoreData

/// Models whose inverses do not lead back to where they come from: Apple's tools compile them, with a warning.
struct LooseInverseTests {
    private func model(_ body: String) throws -> NSManagedObjectModel {
        let folder = try TemporaryFolder()
        let file = folder.file("Model.xcdatamodel")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><model type=\"com.apple.IDECoreDataModeler.DataModel\">"
        try Data("\(text)\(body)</model>".utf8).write(to: file.appendingPathComponent("contents"))
        return try NSManagedObjectModel(fileURL: file)
    }

    private func open<T>(_ model: NSManagedObjectModel, _ body: (NSManagedObjectContext) throws -> T) throws -> T {
        try MigrationStore().open(model, body)
    }

    /// `helper` names `team` as its inverse, whose own inverse is `boss`.
    @Test func anInverseMayHaveAnotherInverse() throws {
        let model = try model(
            """
            <entity name="Person">
            <attribute name="name" optional="YES" attributeType="String"/>
            <relationship name="boss" optional="YES" maxCount="1" destinationEntity="Person" inverseName="team" \
            inverseEntity="Person"/>
            <relationship name="helper" optional="YES" maxCount="1" destinationEntity="Person" inverseName="team" \
            inverseEntity="Person"/>
            <relationship name="team" optional="YES" toMany="YES" destinationEntity="Person" inverseName="boss" \
            inverseEntity="Person"/>
            </entity>
            """)
        let store = try MigrationStore()
        try store.open(model) { context in
            let ann = context.insert("Person", ["name": "Ann"]), bob = context.insert("Person", ["name": "Bob"])
            bob.setValue(ann, forKey: "boss")
            context.insert("Person", ["name": "Cem", "boss": ann])
        }
        try store.open(model) { context in
            try check(context.one("Person", "name", "Bob").value(forKeyPath: "boss.name") as? String, "Ann")
            try check(context.texts(context.one("Person", "name", "Ann"), "team", "name"), ["Bob", "Cem"])
            // The one-sided relationship can be set and saved as well.
            try context.one("Person", "name", "Bob").setValue(context.one("Person", "name", "Cem"), forKey: "helper")
        }
        try store.open(model) { context in
            try check(context.one("Person", "name", "Bob").value(forKeyPath: "helper.name") as? String, "Cem")
        }
    }

    /// The inverse is declared by the destination's parent.
    @Test func anInverseMayBeInherited() throws {
        var vehicle = Entity(name: "Vehicle"), person = Entity(name: "Person")
        vehicle.relationships = [Relationship(name: "driver", destinationName: "Person", inverseName: "cars")]
        person.attributes = [Attribute(name: "name", type: .string, isOptional: true)]
        person.relationships = [
            Relationship(name: "cars", destinationName: "Car", inverseName: "driver", isToMany: true)
        ]
        vehicle.relationships[0].isOptional = true
        person.relationships[0].isOptional = true
        let car = Entity(name: "Car", parentName: "Vehicle")
        let model = try NSManagedObjectModel(values: Model(entities: [vehicle, person, car]))
        let cars = try #require(model.entitiesByName["Person"]?.relationshipsByName["cars"])
        #expect(cars.inverseRelationship?.name == "driver")
        let file = try TemporaryFolder()
        try model.write(to: file.file("Model.mom"))
        #expect(NSManagedObjectModel(contentsOf: file.file("Model.mom")) == model)
        let store = try MigrationStore()
        try store.open(model) { context in
            let ann = context.insert("Person", ["name": "Ann"])
            let car = context.insert("Car", [:])
            car.setValue(ann, forKey: "driver")
        }
        try store.open(model) { context in
            let car = try #require(context.fetchAll("Car").first)
            #expect(car.value(forKeyPath: "driver.name") as? String == "Ann")
            let ann = try #require(context.fetchAll("Person").first)
            check(
                (ann.value(forKey: "cars") as? NSSet)?.count
                    ?? (ann.value(forKey: "cars") as? Set<NSManagedObject>)?.count, 1)
        }
    }
}
