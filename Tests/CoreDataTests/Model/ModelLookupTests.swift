import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// How programs come by models, entities and templates.
@Suite("Looking models and entities up")
struct ModelLookupTests {
    // MARK: Models in bundles

    /// A bundle of models, each a name with the entities in it.
    private func bundle(_ models: [String: NSManagedObjectModel], in folder: TemporaryFolder) throws -> Bundle {
        for (name, model) in models { try model.write(to: folder.file(name)) }
        return try #require(Bundle(url: folder.url))
    }

    @Test("Merging bundles unites the current versions of all models in them")
    func mergedBundles() throws {
        let (one, two, none) = (try TemporaryFolder(), try TemporaryFolder(), try TemporaryFolder())
        let first = try bundle(
            ["A.momd": makeModel([("A", "x: i16")]), "B.mom": makeModel([("B", "y: i16")])], in: one)
        let second = try bundle(["C.momd": makeModel([("C", "z: i16")])], in: two)
        let model = try #require(NSManagedObjectModel.mergedModel(from: [first, second]))
        #expect(Set(model.entitiesByName.keys) == ["A", "B", "C"])
        #expect(NSManagedObjectModel.mergedModel(from: [try #require(Bundle(url: none.url))]) == nil)
    }

    @Test("Merging bundles for a store finds the version it was written with")
    func mergedForMetadata() throws {
        let folder = try TemporaryFolder()
        let (old, new) = (makeModel([("A", "x: i16")]), makeModel([("A", "x: i32")]))
        try old.write(to: folder.file("A.xcdatamodeld"))
        try new.write(to: folder.file("A.xcdatamodeld"), versionName: "A 2")
        let bundle = try #require(Bundle(url: folder.url))
        let metadata: [String: Any] = [NSStoreModelVersionHashesKey: old.entityVersionHashesByName]
        let found = try #require(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata))
        #expect(found.entityVersionHashesByName == old.entityVersionHashesByName)
        let unknown: [String: Any] = [NSStoreModelVersionHashesKey: ["A": Data(count: 32)]]
        #expect(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: unknown) == nil)
    }

    @Test("A model file may be any of the forms, and a folder its current version")
    func forms() throws {
        let folder = try TemporaryFolder()
        let model = makeModel([("A", "x: i16")])
        for form in ["momd", "mom", "xcdatamodeld", "xcdatamodel"] {
            try model.write(to: folder.file("A.\(form)"))
            #expect(NSManagedObjectModel(contentsOf: folder.file("A.\(form)")) == model, "\(form)")
        }
        #expect(NSManagedObjectModel(contentsOf: folder.file("A.momd/A.mom")) == model)
        let empty = folder.file("Empty.momd")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
        #expect(NSManagedObjectModel(contentsOf: empty) == nil)
    }

    // MARK: Entities

    @Test("A context finds entities through its coordinator, a child through its parent")
    func entities() throws {
        let model = makeModel([("A", "x: i16")])
        let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        parent.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        for context in [parent, child] {
            context.performAndWait {
                #expect(NSEntityDescription.entity(forEntityName: "A", in: context) === model.entities[0])
                #expect(NSEntityDescription.entity(forEntityName: "B", in: context) == nil)
            }
        }
    }

    /// What a model has is what its list of entities says, whether it is in use or not.
    @Test("An entity below one of the model's that is none of the model's itself is not found")
    func entitiesOfNoModel() throws {
        let model = makeModel([("A", "x: i16")])
        let child = NSEntityDescription()
        child.name = "B"
        model.entities[0].subentities = [child]
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try context.performAndWait { () throws in
            #expect(NSEntityDescription.entity(forEntityName: "B", in: context) == nil)
            #expect(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "A")).isEmpty)
            #expect(NSEntityDescription.entity(forEntityName: "A", in: context) === model.entities[0])
            #expect(NSEntityDescription.entity(forEntityName: "B", in: context) == nil)
            #expect(throws: (any Error).self) {
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "B"))
            }
        }
    }

    @Test("A new object is of its entity and in its context; a class that is not there gives NSManagedObject")
    func insertion() throws {
        let model = makeModel([("A", "x: i16")])
        model.entities[0].managedObjectClassName = "NowhereToBeFound"
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        context.performAndWait {
            let object = NSEntityDescription.insertNewObject(forEntityName: "A", into: context)
            #expect(object.entity === model.entities[0])
            #expect(object.managedObjectContext === context)
            #expect(object.isInserted)
            #expect(type(of: object) == NSManagedObject.self)
        }
    }

    @Test("User info may be set on a model in use")
    func userInfo() throws {
        let model = makeModel([("A", "x: i16")])
        _ = NSPersistentStoreCoordinator(managedObjectModel: model)
        let entity = model.entities[0]
        entity.userInfo = ["note": "entity"]
        entity.propertiesByName["x"]?.userInfo = ["note": "property"]
        #expect(entity.userInfo?["note"] as? String == "entity")
        #expect(entity.propertiesByName["x"]?.userInfo?["note"] as? String == "property")
    }

    // MARK: Templates and configurations

    @Test("Variables of a template are replaced, NSNull standing for nil, and the template stays as it was")
    func substitution() throws {
        let model = makeModel([("A", "x: i16; name: string?")])
        let request = NSFetchRequest<NSManagedObject>(entityName: "A")
        request.predicate = NSPredicate(format: "x > $LOW AND name == $NAME")
        request.fetchLimit = 4
        model.setFetchRequestTemplate(request, forName: "Some")
        let made = try #require(
            model.fetchRequestFromTemplate(
                withName: "Some", substitutionVariables: ["LOW": 1, "NAME": NSNull()]))
        #expect(made.predicate == NSPredicate(format: "x > 1 AND name == nil"))
        #expect(made.fetchLimit == 4)
        let template = try #require(model.fetchRequestTemplate(forName: "Some"))
        #expect(template.predicate == NSPredicate(format: "x > $LOW AND name == $NAME"))
        #expect(model.fetchRequestTemplate(forName: "Some") === template)
        #expect(model.fetchRequestFromTemplate(withName: "Other", substitutionVariables: [:]) == nil)
    }

    @Test(
        "A template whose variables are not all given cannot be fetched with",
        arguments: [NSInMemoryStoreType, NSSQLiteStoreType])
    func missingVariable(_ type: String) throws {
        let folder = try TemporaryFolder()
        let model = makeModel([("A", "x: i16")])
        let request = NSFetchRequest<NSManagedObject>(entityName: "A")
        request.predicate = NSPredicate(format: "x > $LOW AND x < $HIGH")
        model.setFetchRequestTemplate(request, forName: "Between")
        let half = try #require(
            model.fetchRequestFromTemplate(withName: "Between", substitutionVariables: ["LOW": 1]))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: folder.file("store"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "A", into: context).setValue(5, forKey: "x")
            try context.save()
            #expect(throws: (any Error).self) { try context.fetch(half) }
        }
    }

    @Test("The configuration of all entities is known by Apple's internal name")
    func defaultConfiguration() {
        let model = makeModel([("A", ""), ("B", "")])
        model.setEntities([model.entities[0]], forConfigurationName: "C")
        #expect(model.entities(forConfigurationName: "PF_DEFAULT_CONFIGURATION_NAME")?.map(\.name) == ["A", "B"])
        model.setEntities([model.entities[1]], forConfigurationName: "C")
        #expect(model.entities(forConfigurationName: "C")?.map(\.name) == ["B"])
    }

    // MARK: Stores

    @Test(
        "A stored attribute needs a type, a transient one does not",
        arguments: [NSSQLiteStoreType, NSBinaryStoreType, NSXMLStoreType])
    func undefinedTypes(_ type: String) throws {
        let folder = try TemporaryFolder()
        let model = makeModel([("A", "x: i16; y: nothing? transient")])
        func add(_ model: NSManagedObjectModel) throws {
            _ = try NSPersistentStoreCoordinator(managedObjectModel: model)
                .addPersistentStore(ofType: type, configurationName: nil, at: folder.file("store"))
        }
        let other = try #require(model.copy() as? NSManagedObjectModel)
        other.entities[0].attributesByName["y"]?.isTransient = false
        let error = #expect(throws: CocoaError.self) { try add(other) }
        #expect(error?.code == .persistentStoreIncompatibleSchema)
        #expect(error?.userInfo["entity"] as? String == "A")
        #expect(!FileManager.default.fileExists(atPath: folder.file("store").path))
        try add(model)
    }

    // MARK: Indexes

    @Test("Compound indexes take names and descriptions, and give names")
    func compoundIndexes() throws {
        let model = makeModel([("A", "x: i16; y: i16")])
        let attribute = try #require(model.entities[0].attributesByName["y"])
        model.entities[0].compoundIndexes = [["x", attribute]]
        #expect(model.entities[0].compoundIndexes as? [[String]] == [["x", "y"]])
    }

    @Test("An index keeps its partial predicate, and an element its expression, through copies and files")
    func indexParts() throws {
        let model = makeModel([("A", "x: i16; y: double")])
        let entity = model.entities[0]
        let computed = NSExpressionDescription()
        computed.name = "length"
        computed.expression = NSExpression(format: "length:(x)")
        computed.resultType = .integer64
        let x = try #require(entity.attributesByName["x"])
        let index = NSFetchIndexDescription(
            name: "byX",
            elements: [
                NSFetchIndexElementDescription(property: x, collationType: .binary),
                NSFetchIndexElementDescription(property: computed, collationType: .binary),
            ])
        index.partialIndexPredicate = NSPredicate(format: "y > 1")
        entity.indexes = [index]
        let y = try #require(entity.attributesByName["y"])
        let area = NSFetchIndexDescription(
            name: "area", elements: [NSFetchIndexElementDescription(property: y, collationType: .rTree)])
        entity.indexes.append(area)
        let folder = try TemporaryFolder()
        try model.write(to: folder.file("A.mom"))
        let read = try #require(NSManagedObjectModel(contentsOf: folder.file("A.mom")))
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        for other: NSManagedObjectModel in [copy, read] {
            let indexes = other.entities[0].indexes
            #expect(indexes.map(\.name).sorted() == ["area", "byX"])
            let copied = try #require(indexes.first { $0.name == "byX" })
            #expect(copied.partialIndexPredicate == NSPredicate(format: "y > 1"))
            #expect(copied.entity === other.entities[0])
            let expression = try #require(copied.elements.last?.property as? NSExpressionDescription)
            #expect(expression.resultType == .integer64)
            #expect(expression.expression != nil)
            #expect(indexes.first { $0.name == "area" }?.elements.map(\.collationType) == [.rTree])
        }
    }
}
