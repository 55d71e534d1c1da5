import CoreData
import CoreDataTestSupport
import Foundation
import ModelFormat
import Testing

/// Value and source expressions that fail: 134170 with entity, property and remedy, in whatever way the migration begins; nil
/// for what must not be nil is 134110, as Apple's framework says in public logs.
struct MappingExpressionErrorTests {
    private let pair = VersionPair()

    private func refuse(
        _ mapping: MappingModel, code: Int = NSEntityMigrationPolicyError, _ words: [String], property: String?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let store = try pair.store()
        func refused(_ body: () throws -> Void) throws {
            try expectRefusal(
                of: store, code, words, entity: "Piece", property: property,
                sourceLocation: sourceLocation, body)
        }
        try withExtendedLifetime(ResourceFile(mapping)) { try refused { try load(store, pair.second) } }
        let model = try pair.mappingModel(mapping)
        try refused {
            try NSMigrationManager(sourceModel: pair.first, destinationModel: pair.second).migrateStore(
                from: store.url, type: .sqlite, mapping: model, to: store.folder.file("New.sqlite"), type: .sqlite)
        }
    }

    @Test(arguments: [
        ("FUNCTION($source, 'nope:', 1)", "nope:"), ("FUNCTION($manager, 'nope:', 1)", "does not answer \"nope:\""),
        ("FUNCTION($entityPolicy, 'nope:', 1)", "does not answer \"nope:\""), ("$absent", "absent"),
        ("$source.nothing", "Piece has no property \"nothing\""), ("title.foo.bar", "key foo"), ("1 + 'x'", "not x"),
        ("FETCH($source, $manager.sourceContext, NO)", "needs a fetch request"), ("'four'", "desired type"),
        ("{1, 2}", "desired type"), ("$source", "desired type"),
    ])
    func valueExpressions(_ expression: String, _ reason: String) throws {
        try refuse(pair.mapping(stars: expression), ["PieceToPiece", reason], property: "stars")
    }

    @Test func attributesThatAreNotThere() throws {
        let mapping = try pair.mapping {
            $0.attributeMappings.append(
                PropertyMapping(name: "moons", valueExpression: $0.attributeMappings[0].valueExpression))
        }
        try refuse(mapping, ["Piece has no attribute or relationship \"moons\""], property: "moons")
        let related = try pair.mapping {
            $0.relationshipMappings = [
                PropertyMapping(name: "moons", valueExpression: $0.attributeMappings[0].valueExpression)
            ]
        }
        try refuse(related, ["Piece has no attribute or relationship \"moons\""], property: "moons")
    }

    @Test func nilForAMandatoryAttribute() throws {
        try refuse(
            pair.mapping(title: "nil"), code: NSMigrationError, ["Piece.title of x-coredata://"], property: "title")
    }

    @Test func numbersThatDoNotFit() throws {
        try refuse(
            pair.mapping(stars: "9000000000"), code: NSMigrationError, ["Piece.stars", "9000000000", "Integer 32"],
            property: "stars")
    }

    private static func fetch(_ entity: String, _ predicate: String) -> String {
        "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', '\(entity)', "
            + "\"\(predicate)\"), $manager.sourceContext, NO)"
    }

    /// Apple's documentation says of a source expression that it gives the instances to be migrated: nil is none.
    @Test(arguments: ["nil", "$entityMapping.userInfo.pieces", "{}", "$manager.userInfo.pieces"])
    func sourceExpressionsThatGiveNothing(_ expression: String) throws {
        let mapping = try pair.mappingModel(pair.mapping())
        mapping.entityMappings[0].sourceExpression = try .parse(expression)
        let store = try pair.store()
        let new = try MigrationStore()
        try NSMigrationManager(sourceModel: pair.first, destinationModel: pair.second).migrateStore(
            from: store.url, type: .sqlite, mapping: mapping, to: new.url, type: .sqlite)
        try new.open(pair.second) { try check($0.fetchAll("Piece").count, 0) }
    }

    /// A source expression that gives no objects of the source would leave all objects behind.
    @Test(arguments: [
        (fetch("Nope", "TRUEPREDICATE"), "The source model has no entity \"Nope\""),
        (fetch("Piece", "nope = 1"), "keypath nope not found in entity Piece"),
        (fetch("Piece", "title = = 1"), "title = = 1"),
        ("FETCH(FUNCTION($manager, 'nope'), $manager.sourceContext, NO)", "does not answer \"nope\""),
        ("$source.title", "source"), ("3", "3 is no collection"), ("{1, 2}", "1 is no managed object"),
        ("FETCH('Piece', $manager.sourceContext, NO)", "does not fetch managed objects"),
    ])
    func sourceExpressions(_ expression: String, _ reason: String) throws {
        let mapping = try pair.mappingModel(pair.mapping())
        mapping.entityMappings[0].sourceExpression = try .parse(expression)
        let store = try pair.store()
        try expectRefusal(
            of: store, NSEntityMigrationPolicyError, ["PieceToPiece", "cannot be evaluated", reason], entity: "Piece"
        ) {
            try NSMigrationManager(sourceModel: pair.first, destinationModel: pair.second).migrateStore(
                from: store.url, type: .sqlite, mapping: mapping, to: store.folder.file("New.sqlite"), type: .sqlite)
        }
    }
}
