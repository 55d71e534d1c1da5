#if PostgreSQL
import CoreDataTestSupport
import Foundation
import PostgreSQLTestSupport
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQLStorage

/// Mapping models over PostgreSQL, object by object in one transaction. The tables afterwards are those of a new store, as asked
/// from the server.
@Suite("Mapping models in a PostgreSQL database", .enabled(if: TestServer.isAvailable))
struct ServerMappingTests {
    private let first = Versions.first()
    private let second = Versions.changed { entities, _ in
        entities["Club"]?.properties += [LibraryModel.attribute("note", .stringAttributeType)]
    }

    private func filled(_ options: [AnyHashable: Any]? = nil) throws -> MigrationStore {
        let store = try MigrationStore(type: StoreKind.postgreSQL.type)
        try store.open(first, options: options) { Versions.fill($0) }
        return store
    }

    private func texts(_ store: MigrationStore, _ sql: String) throws -> [String] {
        try ServerCatalogue.texts(sql.replacingOccurrences(of: "SCHEMA", with: store.url.user ?? ""))
    }

    private func execute(_ store: MigrationStore, _ statement: String) throws {
        try TestServer.execute(statement.replacingOccurrences(of: "SCHEMA", with: store.url.user ?? ""))
    }

    private func failure(_ body: () throws -> Void) -> NSError? {
        do {
            try body()
            return nil
        } catch { return error as NSError }
    }

    /// A mapping between two versions that was edited, so that objects are copied.
    private func mapping(
        _ from: NSManagedObjectModel, _ to: NSManagedObjectModel, _ edit: ([NSEntityMapping]) -> Void = { _ in }
    ) throws -> NSMappingModel {
        let inferred = try NSMappingModel.inferredMappingModel(forSourceModel: from, destinationModel: to)
        let mapping = try #require(inferred.copy() as? NSMappingModel)
        for entity in mapping.entityMappings { entity.userInfo = ["edited": true] }
        edit(mapping.entityMappings)
        return mapping
    }

    /// Migrates a store over versions, as chains do.
    private func migrate(
        _ store: MigrationStore, over models: [NSManagedObjectModel], by mappings: [NSMappingModel],
        options: [String: Any] = [:], replaces: Bool = true
    ) throws {
        let replacement = try NSPersistentStoreCoordinator.replacement(
            ofStoreAt: store.url, type: store.type, options: options)
        try replacement.hold()
        var source = store.url
        for (index, mapping) in mappings.enumerated() {
            let isLast = index == mappings.count - 1
            let next = isLast ? replacement.successor : try replacement.place(ofStep: index + 1)
            try NSMigrationManager(sourceModel: models[index], destinationModel: models[index + 1]).migrateStore(
                from: source, sourceType: store.type, options: options, with: mapping, toDestinationURL: next,
                destinationType: store.type, destinationOptions: options)
            if index > 0 { replacement.removeStep(index) }
            source = next
        }
        if replaces { try replacement.swap() }
    }

    /// Expects the tables of a new store.
    private func expectTables(of model: NSManagedObjectModel, in store: MigrationStore) throws {
        let difference = try store.schema().symmetricDifference(
            MigrationStore.schema(ofNewStore: model, type: store.type))
        #expect(difference == [])
    }

    private func expectContent(_ store: MigrationStore, _ model: NSManagedObjectModel) throws {
        try store.open(model) { context in
            try check(context.texts("Person", "name"), ["Ann", "Bob", "Cem"])
            try check(context.texts(context.one("Club", "title", "Chess"), "members", "name"), ["Ann", "Bob"])
            try check(context.texts(context.one("Club", "title", "Rowing"), "members", "name"), ["Ann"])
            try check(context.texts(context.one("Company", "title", "Acme"), "staff", "name"), ["Bob", "Cem"])
            let owners = try context.fetchAll("Card").map { $0.value(forKeyPath: "owner.name") as? String ?? "" }
            #expect(owners.sorted() == ["Ann", "Cem"])
        }
    }

    // MARK: Results

    @Test func `A mapping model among the resources migrates a store that is opened`() throws {
        let pair = VersionPair()
        let store = try pair.store(type: StoreKind.postgreSQL.type)
        try NSPersistentStoreCoordinator.setMetadata(
            NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: store.type, at: store.url)
                .merging(["owner": "Ann"]) { $1 }, forPersistentStoreOfType: store.type, at: store.url)
        try execute(store, "CREATE TABLE SCHEMA.others AS SELECT 1 AS one")
        let file = try ResourceFile(pair.mapping())
        defer { withExtendedLifetime(file) {} }
        try store.migrate(to: pair.second)
        try store.open(pair.second) { context in
            try check(context.texts("Piece", "stars"), ["4"])
            context.insert("Piece", ["title": "Fugue", "stars": 5])
        }
        try store.open(pair.second) { try check($0.texts("Piece", "title"), ["Fugue", "Prelude"]) }
        #expect(try texts(store, "SELECT stars::text FROM SCHEMA.piece ORDER BY id") == ["4", "5"])
        #expect(try texts(store, "SELECT one::text FROM SCHEMA.others") == ["1"])
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: store.type, at: store.url)
        #expect(metadata["owner"] as? String == "Ann")
        try execute(store, "DROP TABLE SCHEMA.others")
        try expectTables(of: pair.second, in: store)
    }

    @Test func `Objects keep their links, and the tables are those of a new store`() throws {
        let store = try filled()
        try migrate(store, over: [first, second], by: [mapping(first, second)])
        try expectContent(store, second)
        try expectTables(of: second, in: store)
    }

    @Test func `A chain copies objects, alters tables and copies again in one transaction`() throws {
        let third = Versions.changed(from: second) { entities, _ in
            entities["Person"]?.properties += [LibraryModel.attribute("nick", .stringAttributeType)]
        }
        let fourth = Versions.changed(from: third) { entities, _ in
            entities["Company"]?.properties += [LibraryModel.attribute("town", .stringAttributeType)]
        }
        let store = try filled()
        let altering = try NSMappingModel.inferredMappingModel(forSourceModel: second, destinationModel: third)
        let mappings = [try mapping(first, second), altering, try mapping(third, fourth)]
        let before = try store.schema()
        try migrate(store, over: [first, second, third, fourth], by: mappings, replaces: false)
        #expect(try store.schema() == before)
        try expectContent(store, first)
        try migrate(store, over: [first, second, third, fourth], by: mappings)
        try expectContent(store, fourth)
        try expectTables(of: fourth, in: store)
    }

    /// A store that is made object by object is another one, with a history of its own.
    @Test func `History begins with the insertion of everything`() throws {
        let tracking = [NSPersistentHistoryTrackingKey: true]
        let store = try filled(tracking)
        let uuid = try texts(store, "SELECT store_uuid FROM SCHEMA.coredata_metadata")
        try migrate(
            store, over: [first, second], by: [mapping(first, second)],
            options: [NSPersistentHistoryTrackingKey: true])
        #expect(try texts(store, "SELECT store_uuid FROM SCHEMA.coredata_metadata") != uuid)
        try store.open(second, options: tracking) { context in
            // Open transactions of others hold back what is reported.
            var all: [NSPersistentHistoryTransaction] = []
            let end = Date(timeIntervalSinceNow: 600)
            while all.isEmpty, Date() < end {
                let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
                let result = try context.execute(request) as? NSPersistentHistoryResult
                all = result?.result as? [NSPersistentHistoryTransaction] ?? []
            }
            #expect(all.count == 1)
            #expect(all.first?.changes?.count == 8)
            #expect(all.first?.changes?.allSatisfy { $0.changeType == .insert } == true)
        }
    }

    // MARK: Failures

    @Test func `A policy that throws leaves the store as it was`() throws {
        let store = try filled()
        let before = try store.schema()
        let rows = try texts(store, "SELECT p::text FROM SCHEMA.person p ORDER BY id")
        let error = failure {
            try migrate(
                store, over: [first, second],
                by: [
                    mapping(first, second) {
                        $0.first?.entityMigrationPolicyClassName = "CoreDataMigrationTests.CancellingPolicy"
                    }
                ])
        }
        #expect(error?.code == CocoaError.userCancelled.rawValue, "\(error as Any)")
        #expect(try store.schema() == before)
        #expect(try texts(store, "SELECT p::text FROM SCHEMA.person p ORDER BY id") == rows)
        try expectContent(store, first)
    }

    @Test func `A view of the old tables is named, and the store stays`() throws {
        let store = try filled()
        try execute(store, "CREATE VIEW SCHEMA.names AS SELECT name FROM SCHEMA.person")
        let before = try store.schema()
        let mapping = try mapping(first, second)
        let error = failure { try migrate(store, over: [first, second], by: [mapping]) }
        #expect(error?.code == NSMigrationError, "\(error as Any)")
        #expect(error?.localizedFailureReason?.contains("names") == true, "\(error as Any)")
        #expect(error?.localizedRecoverySuggestion?.contains("view") == true, "\(error as Any)")
        #expect(try store.schema() == before)
        try expectContent(store, first)
        try execute(store, "DROP VIEW SCHEMA.names")
        try migrate(store, over: [first, second], by: [mapping])
        try expectContent(store, second)
    }

    @Test func `A table that was dropped by hand is named as the model names it`() throws {
        let store = try filled()
        try execute(store, "DROP TABLE SCHEMA.card CASCADE")
        let mapping = try mapping(first, second)
        let error = failure { try migrate(store, over: [first, second], by: [mapping]) }
        let text = "\(error as Any)"
        #expect(text.contains("There is no table card for the entity Card"), "\(text)")
        #expect(!text.contains("coredata_former"), "\(text)")
        #expect(try texts(store, "SELECT count(*)::text FROM SCHEMA.person") == ["3"])
    }

    @Test func `Transactions of others keep their tables until they end`() throws {
        let store = try filled()
        let mapping = try mapping(first, second)
        let other = try PostgreSQLConnection(ConnectionSettings(store.url))
        try other.run([.plain("BEGIN"), .plain("SELECT count(*) FROM person")])
        let ending = Thread { [other] in
            Thread.sleep(forTimeInterval: 4)
            try? other.run([.plain("COMMIT")])
        }
        ending.start()
        try migrate(store, over: [first, second], by: [mapping])
        try expectContent(store, second)
    }
}
#endif
