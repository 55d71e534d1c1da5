import CoreData
import CoreDataTestSupport
import Foundation
import ModelFormat
import Testing

/// Throws in the method that its entity mapping names.
final class ThrowingPolicy: NSEntityMigrationPolicy {
    static let methods = [
        "begin", "create", "endCreation", "relate", "endRelating", "validate", "end", "answer",
    ]

    private static func fail(_ method: String, _ mapping: NSEntityMapping) throws {
        guard mapping.userInfo?["throws"] as? String == method else { return }
        throw failure(method)
    }

    private static func failure(_ method: String) -> NSError {
        NSError(domain: "ThrowingPolicy", code: 7, userInfo: [NSLocalizedDescriptionKey: "policy failed in \(method)"])
    }

    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        try Self.fail("begin", mapping)
    }
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try Self.fail("create", mapping)
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    }
    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        try Self.fail("endCreation", mapping)
    }
    override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try Self.fail("relate", mapping)
    }
    override func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        try Self.fail("endRelating", mapping)
    }
    override func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        try Self.fail("validate", mapping)
    }
    override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws { try Self.fail("end", mapping) }

    override func answer(_ selector: String, arguments: [Any?]) throws -> Any? { throw Self.failure("answer") }
}

/// Policies that are missing or fail, in every way a migration by a mapping model begins.
struct PolicyErrorTests {
    private let pair = VersionPair()

    /// Expects the mapping to be refused when the store is added, when a container loads it, and by a manager whose destination
    /// is there already.
    private func refuse(
        _ mapping: MappingModel, _ code: Int, domain: String = NSCocoaErrorDomain, _ words: [String],
        type: String = NSSQLiteStoreType, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let store = try pair.store(type: type)
        func refused(_ body: () throws -> Void) throws {
            try expectRefusal(of: store, code, domain: domain, words, sourceLocation: sourceLocation, body)
        }
        try withExtendedLifetime(ResourceFile(mapping)) {
            try refused { try add(store, pair.second) }
            try refused { try load(store, pair.second) }
        }
        let model = try pair.mappingModel(mapping)
        let manager = NSMigrationManager(sourceModel: pair.first, destinationModel: pair.second)
        func migrate(to url: URL) throws {
            try manager.migrateStore(
                from: store.url, type: .init(rawValue: type), mapping: model, to: url, type: .init(rawValue: type))
        }
        try refused { try migrate(to: store.folder.file("New.sqlite")) }
        let destination = try MigrationStore(type: type)
        try destination.open(pair.second) { $0.insert("Piece", ["title": "Fugue", "stars": 5]) }
        try expectRefusal(of: destination, code, domain: domain, words, sourceLocation: sourceLocation) {
            try migrate(to: destination.url)
        }
    }

    /// What a policy throws is what the caller gets (Apple's documentation of NSEntityMigrationPolicy).
    @Test(arguments: ThrowingPolicy.methods.dropLast()) func whatMethodsThrow(_ method: String) throws {
        let mapping = try pair.mapping {
            $0.migrationPolicyClassName = "CoreDataMigrationTests.ThrowingPolicy"
            $0.userInfo = ["throws": .string(method)]
        }
        try refuse(mapping, 7, domain: "ThrowingPolicy", ["policy failed in \(method)"])
    }

    @Test func otherTypesOfStores() throws {
        let mapping = try pair.mapping {
            $0.migrationPolicyClassName = "CoreDataMigrationTests.ThrowingPolicy"
            $0.userInfo = ["throws": .string("end")]
        }
        for type in [NSXMLStoreType, NSBinaryStoreType] {
            try refuse(mapping, 7, domain: "ThrowingPolicy", ["policy failed in end"], type: type)
        }
    }

    /// What an expression calls is named by the expression's error.
    @Test func whatAnswersThrow() throws {
        let mapping = try pair.mapping(stars: "FUNCTION($entityPolicy, 'count:', $source.stars)") {
            $0.migrationPolicyClassName = "CoreDataMigrationTests.ThrowingPolicy"
        }
        try refuse(mapping, NSEntityMigrationPolicyError, ["PieceToPiece", "count:", "policy failed in answer"])
    }

    @Test func classesThatAreNotThere() throws {
        for (name, reason) in [
            ("Absent", "There is no class \"Absent\""), ("Nowhere.Absent", "Nowhere.Absent"),
            ("CoreDataMigrationTests.ResourceFile", "is not a subclass of NSEntityMigrationPolicy"),
        ] {
            let mapping = try pair.mapping { $0.migrationPolicyClassName = name }
            try refuse(mapping, NSEntityMigrationPolicyError, ["PieceToPiece", reason, "register(named:)"])
        }
    }
}
