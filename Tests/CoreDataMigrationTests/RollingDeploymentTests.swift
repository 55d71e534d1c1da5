#if PostgreSQL
import CoreDataTestSupport
import Foundation
import PostgreSQLTestSupport
import Testing

@testable import CoreData

/// Programs with two versions of a model over one PostgreSQL store, as while the hosts of a service are updated one by one.
@Suite("Two versions of a model side by side", .enabled(if: TestServer.isAvailable))
struct RollingDeploymentTests {
    private let first = Versions.first()

    /// A program with one version, which has the store open.
    private final class Program {
        let context: NSManagedObjectContext
        private let coordinator: NSPersistentStoreCoordinator

        init(_ store: MigrationStore, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any] = [:]) throws {
            coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(
                ofType: store.type, configurationName: nil, at: store.url,
                options: MigrationStore.automatically.merging(options) { $1 })
            context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
        }

        deinit { for store in coordinator.persistentStores { try? coordinator.remove(store) } }

        func perform<T>(_ body: (NSManagedObjectContext) throws -> T) throws -> T {
            try context.performAndWait { try body(context) }
        }

        func insert(_ entity: String, _ values: [String: Any]) throws {
            try perform {
                $0.insert(entity, values)
                do { try $0.save() } catch {
                    $0.rollback()
                    throw error
                }
            }
        }

        func names() throws -> [String] {
            try perform {
                $0.reset()
                return try $0.texts("Person", "name")
            }
        }

        var store: NSPersistentStore? { coordinator.persistentStores.first }
    }

    private func filled() throws -> MigrationStore {
        let store = try MigrationStore(type: StoreKind.postgreSQL.type)
        try store.open(first) { Versions.fill($0) }
        return store
    }

    private func failure(_ body: () throws -> Void) -> NSError? {
        do {
            try body()
            return nil
        } catch { return error as NSError }
    }

    /// The first version with more that may be nil: attributes, an entity, relationships, an index.
    private static func widened(_ model: NSManagedObjectModel, _ word: String) -> NSManagedObjectModel {
        Versions.changed(from: model) { entities, model in
            let note = LibraryModel.entity("Note\(word)")
            note.properties = [LibraryModel.attribute("text", .stringAttributeType, optional: false, default: "")]
            model.entities += [note]
            guard let person = entities["Person"], let club = entities["Club"] else { return }
            person.properties += [LibraryModel.attribute("nick\(word)", .stringAttributeType)]
            club.properties += [LibraryModel.attribute("seats\(word)", .integer32AttributeType, default: 7)]
            LibraryModel.relate(person, "notes\(word)", many: true, note, "author", many: false)
            LibraryModel.relate(club, "notes\(word)", many: true, note, "clubs", many: true)
        }
    }

    // MARK: Where the difference allows it

    @Test func `A program that has the store open goes on after attributes and entities are added`() throws {
        let store = try filled()
        let tracking = [NSPersistentHistoryTrackingKey: true]
        let older = try Program(store, first, tracking)
        let newer = try Program(store, Self.widened(first, "One"), tracking)
        try older.insert("Person", ["name": "Dan"])
        try newer.perform { context in
            let note = context.insert("NoteOne", ["text": "new"])
            let ann = try context.one("Person", "name", "Ann")
            ann.setValue(Set([note]), forKey: "notesOne")
            ann.setValue("Annie", forKey: "nickOne")
            try context.save()
        }
        try older.perform { context in
            let ann = try context.one("Person", "name", "Ann")
            ann.setValue(31, forKey: "age")
            for number in 0..<100 { context.insert("Person", ["name": "many \(number)"]) }
            try context.save()
            let batch = NSBatchUpdateRequest(entityName: "Club")
            batch.propertiesToUpdate = ["title": "A club"]
            try context.execute(batch)
            // Its history has what the newer program wrote to entities that it knows.
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
            let changed = transactions.flatMap { $0.changes ?? [] }.map { $0.changedObjectID.entity.name ?? "" }
            #expect(Set(changed).isSubset(of: ["Person", "Employee", "Club"]))
            #expect(changed.count > 100)
        }
        try newer.perform { context in
            context.reset()
            let ann = try context.one("Person", "name", "Ann")
            #expect(ann.value(forKey: "age") as? Int == 31)
            #expect(ann.value(forKey: "nickOne") as? String == "Annie")
            #expect((ann.value(forKey: "notesOne") as? NSSet)?.count == 1)
            try check(context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Person")), 104)
            try check(context.texts("Club", "title"), ["A club", "A club"])
        }
        // A deletion by the older program clears what only the newer one knows.
        try older.perform { context in
            context.delete(try context.one("Person", "name", "Ann"))
            try context.save()
        }
        try newer.perform { context in
            context.reset()
            try check(context.texts("NoteOne", "text"), ["new"])
            #expect(try context.fetchAll("NoteOne").first?.value(forKey: "author") == nil)
        }
    }

    @Test func `A program with the former version opens the store, and nothing is migrated back`() throws {
        let store = try filled()
        let second = Self.widened(first, "One")
        try store.open(second, options: MigrationStore.automatically) { _ in }
        let schema = try store.schema()
        // With and without migration in the options.
        try store.open(first) { $0.insert("Person", ["name": "Dan"]) }
        let older = try Program(store, first)
        try older.insert("Person", ["name": "Eve"])
        #expect(try older.names() == ["Ann", "Bob", "Cem", "Dan", "Eve"])
        #expect(try store.schema() == schema)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: store.type, at: store.url)
        #expect(second.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        // Only the option migrates it back.
        try store.open(
            first, options: MigrationStore.automatically.merging([NSMigratePersistentStoresBackwardOption: true]) { $1 }
        ) { try check($0.texts("Person", "name").count, 5) }
        #expect(try store.schema() != schema)
    }

    @Test func `Metadata that an older program saves keep the version of the store`() throws {
        let store = try filled()
        let older = try Program(store, first)
        let second = Self.widened(first, "One")
        try store.open(second, options: MigrationStore.automatically) { _ in }
        try older.perform { context in
            older.store?.metadata["owner"] = "Ann"
            context.insert("Person", ["name": "Dan"])
            try context.save()
        }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: store.type, at: store.url)
        #expect(metadata["owner"] as? String == "Ann")
        #expect(second.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        try store.open(second) { try check($0.texts("Person", "name"), ["Ann", "Bob", "Cem", "Dan"]) }
    }

    @Test func `Several versions run side by side until one excludes them`() throws {
        let store = try filled()
        let oldest = try Program(store, first)
        let second = Self.widened(first, "One"), third = Self.widened(second, "Two")
        let older = try Program(store, second)
        let newest = try Program(store, third)
        try oldest.insert("Person", ["name": "Dan"])
        try older.insert("NoteOne", ["text": "older"])
        try newest.insert("NoteTwo", ["text": "newest"])
        let fourth = Versions.changed(from: third) { entities, _ in
            entities["Person"]?.uniquenessConstraints = [["name"]]
        }
        let unique = try Program(store, fourth)
        for program in [oldest, older, newest] {
            let error = failure { try program.insert("Person", ["name": "Ann"]) }
            #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError, "\(error as Any)")
            #expect(error?.localizedFailureReason?.contains("The uniqueness of Person.name is new") == true)
        }
        #expect(try unique.names() == ["Ann", "Bob", "Cem", "Dan"])
    }

    // MARK: Where it does not

    struct Obstacle: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable ([String: NSEntityDescription], NSManagedObjectModel) -> Void

        init(
            _ text: String, _ change: @escaping @Sendable ([String: NSEntityDescription], NSManagedObjectModel) -> Void
        ) {
            testDescription = text
            self.change = change
        }
    }

    static let obstacles: [Obstacle] = [
        Obstacle("Person.note is new and required") { entities, _ in
            entities["Person"]?.properties += [
                LibraryModel.attribute("note", .stringAttributeType, optional: false, default: "")
            ]
        },
        Obstacle("Person.age is removed or renamed") { entities, _ in
            entities["Person"]?.properties.removeAll { $0.name == "age" }
        },
        Obstacle("Person.age is removed or renamed") { entities, _ in
            entities["Person"]?.attributesByName["age"]?.renamingIdentifier = "age"
            entities["Person"]?.attributesByName["age"]?.name = "years"
        },
        Obstacle("Person.age gets another type") { entities, _ in
            entities["Person"]?.attributesByName["age"]?.attributeType = .integer64AttributeType
        },
        Obstacle("Person.born is optional in one version only") { entities, _ in
            entities["Person"]?.attributesByName["born"]?.isOptional = true
        },
        Obstacle("The uniqueness of Card.number is new") { entities, _ in
            entities["Card"]?.uniquenessConstraints = [["number"]]
        },
        Obstacle("Company.size is new and derived") { entities, _ in
            entities["Company"]?.properties += [Versions.derived("size", "staff.@count")]
        },
        Obstacle("The entity Club is removed or renamed") { entities, _ in
            entities["Club"]?.renamingIdentifier = "Club"
            entities["Club"]?.name = "Society"
        },
        Obstacle("The hierarchy of the entity Person changes") { entities, model in
            let child = LibraryModel.entity("Child")
            entities["Person"]?.subentities += [child]
            model.entities += [child]
        },
        Obstacle("Card.stamps is new, and its delete rule is cascade") { entities, model in
            let stamp = LibraryModel.entity("Stamp")
            model.entities += [stamp]
            guard let card = entities["Card"] else { return }
            LibraryModel.relate(card, "stamps", many: true, stamp, "card", many: false)
            card.relationshipsByName["stamps"]?.deleteRule = .cascadeDeleteRule
        },
        Obstacle("Company.staff gets another destination, inverse or order") { entities, _ in
            entities["Company"]?.relationshipsByName["staff"]?.isOrdered = true
        },
    ]

    @Test(arguments: obstacles) func `Programs that cannot go on are told why`(_ obstacle: Obstacle) throws {
        let store = try filled()
        let older = try Program(store, first)
        let second = Versions.changed(obstacle.change)
        try store.open(second, options: MigrationStore.automatically) { _ in }
        let failures = [
            failure { try older.insert("Person", ["name": "Dan"]) },
            failure {
                try older.perform { context in
                    for number in 0..<100 { context.insert("Person", ["name": "many \(number)"]) }
                    defer { context.rollback() }
                    try context.save()
                }
            },
            failure {
                try older.perform { context in
                    let batch = NSBatchInsertRequest(entityName: "Person", objects: [["name": "Dan"]])
                    try context.execute(batch)
                }
            },
        ]
        for error in failures {
            #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError, "\(error as Any)")
            #expect(
                error?.localizedFailureReason?.contains(obstacle.testDescription) == true,
                "\(error?.localizedFailureReason ?? "")")
            #expect(error?.localizedRecoverySuggestion?.contains("add it again") == true)
        }
        let opening = failure { _ = try Program(store, first) }
        #expect(opening?.code == NSMigrationMissingSourceModelError, "\(opening as Any)")
        #expect("\(opening as Any)".contains(obstacle.testDescription), "\(opening as Any)")
        try store.open(second) { context in
            try check(context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Person")), 3)
        }
    }
}
#endif
