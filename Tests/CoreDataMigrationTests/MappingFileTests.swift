import CoreData
import CoreDataTestSupport
import Foundation
import ModelFormat
import ModelPredicates
import Testing

/// Mapping models that lie in files: read, found by their versions, and carried out.
struct MappingFileTests {
    /// What an attribute of the new version is computed by, and gives for Ann.
    private static let expressions: [(String, String)] = [
        ("'constant'", "constant"),
        ("$source.name", "Ann"),
        ("FUNCTION($source.name, 'uppercaseString')", "ANN"),
        ("uppercase:($source.name)", "ANN"),
        ("CAST($source.age + 1, 'NSString')", "31"),
        ("TERNARY($source.age >= 18 AND NOT $source.name == nil, 'adult', 'child')", "adult"),
        ("TERNARY($source.name IN {'Bob', 'Cid'} OR ANY $source.clubs.title BEGINSWITH[cd] 'ché', 'yes', 'no')", "yes"),
        ("CAST(SUBQUERY($source.clubs, $c, $c.title LIKE 'G*').@count, 'NSString')", "1"),
        ("CAST(count:($source.clubs UNION $source.clubs), 'NSString')", "2"),
        ("CAST(count:($source.clubs MINUS $source.clubs), 'NSString')", "0"),
        ("CAST(count:($source.clubs INTERSECT $source.clubs), 'NSString')", "2"),
        ("TERNARY($source.age BETWEEN {20, 40}, 'between', 'outside')", "between"),
    ]

    private static let second = Versions.changed { entities, _ in
        entities["Person"]?.properties += expressions.indices.map {
            LibraryModel.attribute("made\($0)", .stringAttributeType)
        }
    }

    /// From the first version to ``second``, as the compiled file Xcode would make.
    private func mappingFile(_ first: NSManagedObjectModel, in folder: TemporaryFolder) throws -> URL {
        var entity = EntityMapping(name: "PersonToPerson", kind: .transform)
        entity.sourceEntityName = "Person"
        entity.destinationEntityName = "Person"
        entity.userInfo = ["note": .string("kept")]
        let parser = FormatTextParser()
        let texts = Self.expressions.enumerated().map { ("made\($0.offset)", $0.element.0) }
        entity.attributeMappings = try ([("name", "$source.name"), ("age", "$source.age")] + texts).map {
            PropertyMapping(name: $0.0, valueExpression: try parser.expression($0.1))
        }
        var mapping = MappingModel(entityMappings: [entity])
        for name in ["Employee", "Company", "Club", "Card"] {
            var copy = EntityMapping(name: name, kind: .copy)
            copy.sourceEntityName = name
            copy.destinationEntityName = name
            mapping.entityMappings.append(copy)
        }
        for index in mapping.entityMappings.indices {
            let name = try #require(mapping.entityMappings[index].sourceEntityName)
            mapping.entityMappings[index].sourceEntityVersionHash = first.entityVersionHashesByName[name]
            mapping.entityMappings[index].destinationEntityVersionHash = Self.second.entityVersionHashesByName[name]
        }
        let file = folder.file("FirstToSecond.cdm")
        try mapping.archive().write(to: file)
        return file
    }

    @Test func everyKindOfExpression() throws {
        let store = try MigrationStore()
        let first = Versions.first()
        try store.open(first) { context in
            let ann = context.insert("Person", ["name": "Ann", "age": 30, "born": Date()])
            let clubs = ["Chess", "Go"].map { context.insert("Club", ["title": $0]) }
            ann.setValue(Set(clubs), forKey: "clubs")
        }
        let file = try mappingFile(first, in: store.folder)
        let mapping = try #require(NSMappingModel(contentsOf: file))
        #expect(mapping.entityMappingsByName["PersonToPerson"]?.userInfo?["note"] as? String == "kept")
        let manager = NSMigrationManager(sourceModel: first, destinationModel: Self.second)
        let new = store.folder.file("New.sqlite")
        try manager.migrateStore(
            from: store.url, sourceType: NSSQLiteStoreType, options: nil, with: mapping, toDestinationURL: new,
            destinationType: NSSQLiteStoreType, destinationOptions: nil)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.second)
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: new)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let ann = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")).first)
            for (index, (text, expected)) in Self.expressions.enumerated() {
                #expect(ann.value(forKey: "made\(index)") as? String == expected, "\(text)")
            }
        }
    }

    @Test func foundByVersions() throws {
        let folder = try TemporaryFolder()
        let first = Versions.first()
        _ = try mappingFile(first, in: folder)
        try Data("no archive".utf8).write(to: folder.file("Broken.cdm"))
        let bundle = try #require(Bundle(path: folder.url.path))
        let found = NSMappingModel(from: [bundle], forSourceModel: first, destinationModel: Self.second)
        #expect(found?.entityMappings.first?.name == "PersonToPerson")
        #expect(NSMappingModel(from: [bundle], forSourceModel: Self.second, destinationModel: first) == nil)
        #expect(NSMappingModel(from: [bundle], forSourceModel: nil, destinationModel: first) == nil)
    }

    @Test func filesThatAreNone() throws {
        let folder = try TemporaryFolder()
        let broken = folder.file("Broken.cdm")
        try Data("no archive".utf8).write(to: broken)
        #expect(NSMappingModel(contentsOf: broken) == nil)
        #expect(NSMappingModel(contentsOf: folder.file("Missing.cdm")) == nil)
        #expect(NSMappingModel(contentsOf: nil) == nil)
    }
}
