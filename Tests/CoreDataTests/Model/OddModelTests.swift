import CoreDataTestSupport
import Foundation
import ModelFormat
import ModelPredicates
import Testing

@testable import CoreData

/// Models that Xcode compiles with a warning load, and stores open with them.
@Suite("Odd models at run time")
struct OddModelTests {
    /// Compiles a source model and loads the result.
    private func load(_ entities: String, in folder: TemporaryFolder) throws -> NSManagedObjectModel {
        let model = try ModelDocument(xml: Data("<model>\(entities)</model>".utf8)).model
        let file = folder.file("Odd.mom")
        try model.archive(parser: FormatTextParser()).write(to: file)
        return try #require(NSManagedObjectModel(contentsOf: file))
    }

    private func context(
        _ model: NSManagedObjectModel, _ type: String, _ folder: TemporaryFolder
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil,
            at: type == NSInMemoryStoreType ? nil : folder.file("Odd.sqlite"), options: nil)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func inverses(_ toMany: String) -> String {
        """
        <entity name="Person"><attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="car" optional="YES" \(toMany) destinationEntity="Car" inverseName="owner"/>
        <relationship name="oldCar" optional="YES" \(toMany) destinationEntity="Car" inverseName="owner"/></entity>
        <entity name="Car">
        <relationship name="owner" optional="YES" \(toMany) destinationEntity="Person" inverseName="car"/></entity>
        """
    }

    @Test(
        "An inverse that is another relationship's inverse is loaded as written, and objects can be saved",
        arguments: [NSInMemoryStoreType, NSSQLiteStoreType], ["maxCount='1'", "toMany='YES'"])
    @MainActor func inverseMismatch(_ type: String, _ count: String) throws {
        let folder = try TemporaryFolder()
        let model = try load(inverses(count), in: folder)
        let person = try #require(model.entitiesByName["Person"])
        #expect(person.relationshipsByName["oldCar"]?.inverseRelationship?.name == "owner")
        #expect(model.entitiesByName["Car"]?.relationshipsByName["owner"]?.inverseRelationship?.name == "car")

        let context = try context(model, type, folder)
        let (ann, car, old) = (
            NSManagedObject(entity: person, insertInto: context),
            NSEntityDescription.insertNewObject(forEntityName: "Car", into: context),
            NSEntityDescription.insertNewObject(forEntityName: "Car", into: context)
        )
        ann.setValue("Ann", forKey: "name")
        let isToMany = count.hasPrefix("toMany")
        ann.setValue(isToMany ? NSSet(object: car) : car, forKey: "car")
        ann.setValue(isToMany ? NSSet(object: old) : old, forKey: "oldCar")
        try context.save()
        context.reset()
        let found = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")).first)
        #expect(found.value(forKey: "name") as? String == "Ann")
        // Two relationships with one inverse get into each other's way; neither may lose an object.
        let cars = isToMany ? found.value(forKey: "car") as? NSSet : NSSet(object: found.value(forKey: "car") as Any)
        #expect(cars?.contains { ($0 as? NSManagedObject)?.objectID == car.objectID } == true)
        context.delete(found)
        try context.save()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Car")) == 2)
    }

    @Test("An inverse declared by a parent of the destination works")
    @MainActor func inverseEntity() throws {
        let folder = try TemporaryFolder()
        let model = try load(
            """
            <entity name="Animal"><relationship name="owner" optional="YES" maxCount="1" destinationEntity="Person" \
            inverseName="dogs" inverseEntity="Person"/></entity><entity name="Dog" parentEntity="Animal"/>
            <entity name="Person"><relationship name="dogs" optional="YES" toMany="YES" destinationEntity="Dog" \
            inverseName="owner" inverseEntity="Animal"/></entity>
            """, in: folder)
        let context = try context(model, NSSQLiteStoreType, folder)
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        let dog = NSEntityDescription.insertNewObject(forEntityName: "Dog", into: context)
        dog.setValue(person, forKey: "owner")
        #expect((person.value(forKey: "dogs") as? NSSet)?.contains(dog) == true)
        try context.save()
        context.reset()
        let found = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")).first)
        #expect((found.value(forKey: "dogs") as? NSSet)?.count == 1)
    }

    @Test("A default that is no value of its type is none, and the attribute works")
    @MainActor func unreadableDefault() throws {
        let folder = try TemporaryFolder()
        let model = try load(
            """
            <entity name="E"><attribute name="id" optional="YES" attributeType="UUID" defaultValueString="nobody"/>
            <attribute name="n" optional="YES" attributeType="Integer 16" defaultValueString="NO"/></entity>
            """, in: folder)
        let context = try context(model, NSSQLiteStoreType, folder)
        let object = NSEntityDescription.insertNewObject(forEntityName: "E", into: context)
        #expect(object.value(forKey: "id") == nil)
        #expect(object.value(forKey: "n") as? Int == 0)
        try context.save()
    }

    @Test("Indexes over the object and its entity load from a model that mirrors them as properties")
    @MainActor func expressionIndexes() throws {
        let folder = try TemporaryFolder()
        var thing = Entity(name: "Thing")
        thing.attributes = [ModelFormat.Attribute(name: "name", type: .string, isOptional: true)]
        thing.fetchIndexes = [
            FetchIndex(
                name: "i",
                elements: [
                    FetchIndexElement(.expression("entity", resultType: .string)), FetchIndexElement(property: "name"),
                ]),
            FetchIndex(name: "s", elements: [FetchIndexElement(.expression("self", resultType: .undefined))]),
        ]
        thing.compoundIndexes = [["entity", "name"]]
        let file = folder.file("Odd.mom")
        try Model(entities: [thing]).archive(parser: FormatTextParser()).write(to: file)
        let model = try #require(NSManagedObjectModel(contentsOf: file))
        let indexes = try #require(model.entitiesByName["Thing"]?.indexes)
        #expect(indexes.map(\.name) == ["i", "s"])
        #expect(indexes[0].elements.map { $0.property is NSExpressionDescription } == [true, false])
        let context = try context(model, NSSQLiteStoreType, folder)
        _ = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
        try context.save()
    }

    @Test("A mapping model with an entity mapping that names no entity migrates a store")
    func emptyMapping() throws {
        let folder = try TemporaryFolder()
        let old = try load(
            #"<entity name="E"><attribute name="a" optional="YES" attributeType="String"/></entity>"#, in: folder)
        let new = try load(
            #"<entity name="E"><attribute name="b" optional="YES" attributeType="String"/></entity>"#, in: folder)
        let url = folder.file("Store.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: old)
        let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "E", into: context).setValue("x", forKey: "a")
            try context.save()
        }
        try coordinator.remove(store)

        var mapping = EntityMapping(name: "EToE", kind: .copy)
        mapping.sourceEntityName = "E"
        mapping.sourceEntityVersionHash = old.entityVersionHashesByName["E"]
        mapping.destinationEntityName = "E"
        mapping.destinationEntityVersionHash = new.entityVersionHashesByName["E"]
        mapping.sourceExpression = .fetch(
            request: .function(
                "fetchRequestForSourceEntityNamed:predicateString:", target: .variable("manager"),
                arguments: [.constant("E"), .constant("TRUEPREDICATE")]),
            context: .keyPath("sourceContext", of: .variable("manager")), countOnly: false)
        mapping.attributeMappings = [
            PropertyMapping(name: "b", valueExpression: .keyPath("a", of: .variable("source")))
        ]
        let file = folder.file("Move.cdm")
        try MappingModel(entityMappings: [mapping, EntityMapping(name: "Nothing")]).archive().write(to: file)
        let model = try #require(NSMappingModel(contentsOf: file))
        #expect(model.entityMappings.map(\.mappingType) == [.copyEntityMappingType, .undefinedEntityMappingType])

        let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
        let target = folder.file("New.sqlite")
        try manager.migrateStore(
            from: url, sourceType: NSSQLiteStoreType, options: nil, with: model, toDestinationURL: target,
            destinationType: NSSQLiteStoreType, destinationOptions: nil)
        let migrated = NSPersistentStoreCoordinator(managedObjectModel: new)
        try migrated.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: target)
        let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        reader.persistentStoreCoordinator = migrated
        try reader.performAndWait {
            let found = try reader.fetch(NSFetchRequest<NSManagedObject>(entityName: "E"))
            #expect(found.map { $0.value(forKey: "b") as? String } == ["x"])
        }
    }
}
