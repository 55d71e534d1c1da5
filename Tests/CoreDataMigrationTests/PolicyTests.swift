import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Writes down what is called, in order.
final class TracingPolicy: NSEntityMigrationPolicy {
    static func trace(_ manager: NSMigrationManager) -> [String] { manager.userInfo?["trace"] as? [String] ?? [] }

    private func note(_ word: String, _ mapping: NSEntityMapping, _ manager: NSMigrationManager) {
        let trace = Self.trace(manager) + ["\(word) \(mapping.name ?? "")"]
        manager.userInfo?["trace"] = trace
    }

    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        note("begin", mapping, manager)
    }
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        note("create", mapping, manager)
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    }
    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        note("created", mapping, manager)
    }
    override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        note("relate", mapping, manager)
        try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    }
    override func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        note("related", mapping, manager)
    }
    override func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        note("validate", mapping, manager)
    }
    override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws { note("end", mapping, manager) }

    override func answer(_ selector: String, arguments: [Any?]) throws -> Any? {
        switch selector {
        case "shout:": (arguments[0] as? String)?.uppercased()
        default: try super.answer(selector, arguments: arguments)
        }
    }
}

/// Has a designated initializer of its own beside `init()`, as policies that tests make themselves do.
final class NotingPolicy: NSEntityMigrationPolicy {
    private let note: String

    init(note: String) {
        self.note = note
        super.init()
    }

    override convenience init() { self.init(note: "made by init()") }

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        for instance in manager.destinationInstances(
            forEntityMappingName: mapping.name ?? "", sourceInstances: [sInstance])
        {
            instance.setValue(note, forKey: "note")
        }
    }
}

/// Stops the migration it takes part in.
final class CancellingPolicy: NSEntityMigrationPolicy {
    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        manager.cancelMigrationWithError(CocoaError(.userCancelled))
    }
}

/// Splits a company into two.
final class SplittingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        for part in ["East", "West"] {
            let company = NSEntityDescription.insertNewObject(
                forEntityName: "Company", into: manager.destinationContext)
            company.setValue("\(sInstance.value(forKey: "title") ?? "") \(part)", forKey: "title")
            manager.associate(sourceInstance: sInstance, withDestinationInstance: company, for: mapping)
        }
    }
}

struct PolicyTests {
    private let first = Versions.first()
    private let second = Versions.changed { entities, _ in
        entities["Club"]?.properties += [LibraryModel.attribute("note", .stringAttributeType)]
    }

    /// The mapping between the two, to be edited.
    private func mapping() throws -> NSMappingModel {
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: first, destinationModel: second)
        guard let copy = mapping.copy() as? NSMappingModel else { throw CocoaError(.coderInvalidValue) }
        return copy
    }

    private func set(_ mapping: NSMappingModel, _ entity: String, _ property: String, _ format: String) throws {
        let expression = try NSExpression.parse(format)
        let target = mapping.entityMappings.first { $0.destinationEntityName == entity }
        let all = (target?.attributeMappings ?? []) + (target?.relationshipMappings ?? [])
        all.first { $0.name == property }?.valueExpression = expression
    }

    @discardableResult
    private func migrate(
        _ mapping: NSMappingModel, _ look: (NSManagedObjectContext) throws -> Void = { _ in }
    ) throws -> NSMigrationManager {
        let source = try MigrationStore(type: StoreKind.onDisk.type),
            result = try MigrationStore(type: StoreKind.onDisk.type)
        try source.open(first) { Versions.fill($0) }
        let manager = NSMigrationManager(sourceModel: first, destinationModel: second)
        try manager.migrateStore(
            from: source.url, type: source.kind, mapping: mapping, to: result.url, type: result.kind)
        try result.open(second, look)
        return manager
    }

    @Test func policiesMayHaveInitializersOfTheirOwn() throws {
        let mapping = try mapping()
        let club = try #require(mapping.entityMappings.first { $0.destinationEntityName == "Club" })
        club.entityMigrationPolicyClassName = "CoreDataMigrationTests.NotingPolicy"
        try migrate(mapping) { context in
            let clubs = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Club"))
            #expect(!clubs.isEmpty)
            #expect(clubs.allSatisfy { $0.value(forKey: "note") as? String == "made by init()" })
        }
    }

    @Test func hooksAreCalledInThreeRounds() throws {
        let mapping = try mapping()
        mapping.entityMappings = mapping.entityMappings.filter {
            ["Company", "Club"].contains($0.destinationEntityName)
        }
        for entity in mapping.entityMappings {
            entity.relationshipMappings = []
            entity.entityMigrationPolicyClassName = "CoreDataMigrationTests.TracingPolicy"
            entity.name = entity.destinationEntityName
        }
        let trace = TracingPolicy.trace(try migrate(mapping))
        #expect(
            trace == [
                "begin Club", "create Club", "create Club", "created Club", "begin Company", "create Company",
                "created Company", "relate Club", "relate Club", "related Club", "relate Company", "related Company",
                "validate Club", "end Club", "validate Company", "end Company",
            ])
    }

    @Test func expressionsComputeValues() throws {
        let mapping = try mapping()
        try set(mapping, "Person", "age", "$source.age + 1")
        try set(mapping, "Club", "note", "'fixed'")
        try set(mapping, "Card", "number", "$source.owner.clubs.@count")
        try set(mapping, "Person", "born", "FUNCTION(CAST(\"NSDate\",\"Class\"), 'date')")
        try set(mapping, "Company", "title", "FUNCTION($entityPolicy, 'shout:', $source.title)")
        mapping.entityMappings.first { $0.destinationEntityName == "Company" }?.entityMigrationPolicyClassName =
            "TracingPolicy"
        let begin = Date()
        let manager = try migrate(mapping) { context in
            try check(context.texts("Company", "title"), ["ACME"])
            try check(context.texts("Club", "note"), ["fixed", "fixed"])
            try check(context.texts("Card", "number"), ["0", "2"])
            let ann = try context.one("Person", "name", "Ann")
            #expect(ann.value(forKey: "age") as? Int == 31)
            #expect((ann.value(forKey: "born") as? Date).map { $0 >= begin && $0 <= Date() } == true)
        }
        #expect(manager.migrationProgress == 1)
    }

    @Test func oneObjectMayBecomeSeveral() throws {
        let mapping = try mapping()
        let company = mapping.entityMappings.first { $0.destinationEntityName == "Company" }
        company?.entityMigrationPolicyClassName = "CoreDataMigrationTests.SplittingPolicy"
        try set(
            mapping, "Employee", "company",
            "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', '\(company?.name ?? "")', $source.company)"
        )
        company?.relationshipMappings = []
        try migrate(mapping) { context in
            try check(context.texts("Company", "title"), ["Acme East", "Acme West"])
            // A to-one relationship takes the first.
            #expect(
                try context.one("Employee", "name", "Bob").value(forKeyPath: "company.title") as? String == "Acme East")
        }
    }

    @Test func sourceExpressionsFilter() throws {
        let mapping = try mapping()
        let club = mapping.entityMappings.first { $0.destinationEntityName == "Club" }
        club?.sourceExpression = try NSExpression.parse(
            "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', 'Club', \"title BEGINSWITH 'C'\"), $manager.sourceContext, NO)"
        )
        try migrate(mapping) { try check($0.texts("Club", "title"), ["Chess"]) }
    }

    @Test func failuresNameEntityAndProperty() throws {
        func failure(_ change: (NSMappingModel) throws -> Void) throws -> NSError? {
            let mapping = try mapping()
            try change(mapping)
            do {
                try migrate(mapping)
                return nil
            } catch {
                return error as NSError
            }
        }
        let wrongType = try failure { try set($0, "Person", "age", "'old'") }
        #expect(wrongType?.code == NSEntityMigrationPolicyError)
        #expect(wrongType?.userInfo["property"] as? String == "age")
        #expect(wrongType?.localizedFailureReason?.contains("given type = String") == true)
        let unknown = try failure { try set($0, "Person", "name", "FUNCTION($entityPolicy, 'whisper:', 1)") }
        #expect(unknown?.localizedFailureReason?.contains("whisper:") == true)
        let noPolicy = try failure { $0.entityMappings[0].entityMigrationPolicyClassName = "NoSuchPolicy" }
        #expect(noPolicy?.localizedFailureReason?.contains("NoSuchPolicy") == true)
        let invalid = try failure { try set($0, "Person", "born", "nil") }
        #expect(invalid?.code == NSMigrationError)
        #expect(invalid?.localizedFailureReason?.contains("Person.born of x-coredata://") == true)
        let wrongHash = try failure { $0.entityMappings[0].sourceEntityVersionHash = Data([1]) }
        #expect(wrongHash?.code == NSMigrationError)
        let cancelled = try failure {
            $0.entityMappings[0].entityMigrationPolicyClassName = "CoreDataMigrationTests.CancellingPolicy"
        }
        #expect(cancelled?.code == CocoaError.userCancelled.rawValue)
    }

    @Test func passesKnowOfEachOther() throws {
        let people = try mapping(), rest = try mapping()
        func isPeople(_ mapping: NSEntityMapping) -> Bool {
            ["Person", "Employee"].contains(mapping.destinationEntityName)
        }
        people.entityMappings = people.entityMappings.filter(isPeople)
        for entity in people.entityMappings { entity.relationshipMappings = [] }
        rest.entityMappings = rest.entityMappings.filter { !isPeople($0) }
        let source = try MigrationStore(type: StoreKind.onDisk.type),
            result = try MigrationStore(type: StoreKind.onDisk.type)
        try source.open(first) { Versions.fill($0) }
        let manager = NSMigrationManager(sourceModel: first, destinationModel: second)
        for pass in [people, rest] {
            try manager.migrateStore(
                from: source.url, type: source.kind, mapping: pass, to: result.url, type: result.kind)
        }
        try result.open(second) { context in
            try check(context.texts(context.one("Club", "title", "Chess"), "members", "name"), ["Ann", "Bob"])
            try check(context.texts(context.one("Company", "title", "Acme"), "staff", "name"), ["Bob", "Cem"])
        }
    }
}
