import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Mapping models that cannot be carried out: an error names the mapping, the entity, the property and the reason.
struct PolicyMistakeTests {
    private let first = Versions.first()
    private let second = Versions.changed { entities, _ in
        entities["Club"]?.properties += [LibraryModel.attribute("note", .stringAttributeType)]
    }

    private func failure(_ edit: (NSMappingModel) throws -> Void) throws -> NSError {
        let inferred = try NSMappingModel.inferredMappingModel(forSourceModel: first, destinationModel: second)
        let mapping = try #require(inferred.copy() as? NSMappingModel)
        try edit(mapping)
        let source = try MigrationStore(type: StoreKind.onDisk.type),
            result = try MigrationStore(type: StoreKind.onDisk.type)
        try source.open(first) { Versions.fill($0) }
        let manager = NSMigrationManager(sourceModel: first, destinationModel: second)
        let error = #expect(throws: (any Error).self) {
            try manager.migrateStore(
                from: source.url, type: source.kind, mapping: mapping, to: result.url, type: result.kind)
        }
        #expect(!FileManager.default.fileExists(atPath: result.url.path))
        // The source opens as before.
        let clubs = try source.open(first) { try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "Club")) }
        #expect(clubs == 2)
        return try #require(error) as NSError
    }

    private func entity(_ name: String, of mapping: NSMappingModel) throws -> NSEntityMapping {
        try #require(mapping.entityMappings.first { $0.destinationEntityName == name })
    }

    private func property(_ name: String, _ format: String) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = name
        mapping.valueExpression = NSExpression(format: format)
        return mapping
    }

    @Test(arguments: [
        ("title", "3", "title"),
        ("title", "FUNCTION($manager, 'nothing')", "cannot be evaluated"),
        ("title", "FUNCTION($entityPolicy, 'nothing')", "cannot be evaluated"),
        ("other", "$source.title", "no attribute or relationship"),
    ])
    func attributes(_ name: String, _ format: String, _ reason: String) throws {
        let error = try failure { mapping in
            let club = try entity("Club", of: mapping)
            club.mappingType = .transformEntityMappingType
            club.attributeMappings = [property(name, format)]
        }
        let text = "\(error.localizedFailureReason ?? "") \(error.userInfo["key"] ?? "")"
        #expect(text.contains(reason), "\(error)")
        #expect(error.code == NSEntityMigrationPolicyError, "\(error)")
    }

    /// Keys that nothing has, wherever they stand: no program ends over them, and no store is left behind.
    @Test(arguments: [
        ("$source.nothing", "Club has no property \"nothing\""), ("nothing", "Club has no property \"nothing\""),
        ("uppercase:($source.nothing)", "Club has no property \"nothing\""),
        ("FUNCTION($source, 'valueForKey:', 'nothing')", "Club has no property \"nothing\""),
        ("$destination.nothing", "Club has no property \"nothing\""),
        ("$source.members.nothing", "has no property \"nothing\""),
        ("SUBQUERY($source.members, $m, $m.nothing = 1).@count", "has no property \"nothing\""),
    ])
    func unknownKeys(_ format: String, _ reason: String) throws {
        let error = try failure { mapping in
            let club = try entity("Club", of: mapping)
            club.mappingType = .transformEntityMappingType
            club.attributeMappings = [property("title", format)]
        }
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == NSEntityMigrationPolicyError, "\(error)")
        #expect(error.localizedFailureReason?.contains(reason) == true, "\(error)")
        #expect(error.localizedRecoverySuggestion?.contains("Name a property") == true, "\(error)")
        #expect(error.userInfo["entity"] as? String == "Club")
        #expect(error.userInfo["property"] as? String == "title")
    }

    @Test(arguments: [
        ("$source.members", "is an object of the source"), ("$source.title", "is no managed object"),
        ("{$source.title}", "is no managed object"), ("{$destination}", "is not the destination entity"),
    ])
    func relationships(_ format: String, _ reason: String) throws {
        let error = try failure { mapping in
            let club = try entity("Club", of: mapping)
            club.mappingType = .transformEntityMappingType
            club.relationshipMappings = [property("members", format)]
        }
        #expect(error.localizedFailureReason?.contains(reason) == true, "\(error)")
        #expect(error.code == NSEntityMigrationPolicyError)
    }
}
