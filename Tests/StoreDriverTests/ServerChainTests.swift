#if PostgreSQL
import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecord
import PostgreSQLTestSupport
import Testing

/// Chains of migrations of PostgreSQL stores: one transaction, over all steps.
@Suite("Chains of migrations in a PostgreSQL database", .enabled(if: TestServer.isAvailable))
struct ServerChainTests {
    private let models: [NSManagedObjectModel] = {
        let first = Versions.first()
        let second = Versions.changed(from: first) { entities, _ in
            entities["Club"]?.properties += [LibraryModel.attribute("note", .stringAttributeType, default: "x")]
        }
        // Without the second version, there would be no value.
        let third = Versions.changed(from: second) { entities, _ in
            entities["Club"]?.attributesByName["note"]?.isOptional = false
            entities["Club"]?.attributesByName["note"]?.defaultValue = nil
            entities["Club"]?.uniquenessConstraints = [["title"]]
        }
        return [first, second, third]
    }()

    private func filled() throws -> (store: MigrationStore, description: MagicalRecord.Store) {
        let store = try MigrationStore(type: StoreKind.postgreSQL.type)
        try store.open(models[0]) { Versions.fill($0) }
        return (store, try .postgreSQL(at: store.url))
    }

    @Test func `Where one step cannot be, a chain goes by the versions between`() throws {
        let (store, description) = try filled()
        let report = try MagicalRecord.migrate(description, through: MagicalRecord.ModelVersions(models))
        #expect(report.steps.count == 2)
        #expect(report.steps.map { $0.rowsIn["Club"] } == [2, 2])
        #expect(report.steps.map { $0.rowsOut["Club"] } == [2, 2])
        try store.open(models[2]) { try check($0.texts("Club", "note"), ["x", "x"]) }
        #expect(try store.schema() == MigrationStore.schema(ofNewStore: models[2], type: store.type))
        #expect(try MagicalRecord.migrate(description, through: MagicalRecord.ModelVersions(models)).steps.isEmpty)
    }

    @Test func `A chain that fails leaves the store, and so does a rehearsal`() throws {
        let (store, description) = try filled()
        let schema = try store.schema()
        let rehearsal = try MagicalRecord.rehearseMigration(
            of: description, through: MagicalRecord.ModelVersions(models))
        #expect(rehearsal.steps.count == 2)
        #expect(try store.schema() == schema)
        try store.open(models[0]) { $0.insert("Club", ["title": "Chess"]) }
        var found: NSError?
        do {
            try MagicalRecord.migrate(description, through: MagicalRecord.ModelVersions(models))
        } catch { found = error as NSError }
        #expect(found?.code == NSMigrationConstraintViolationError, "\(found as Any)")
        // The place of a step is not one for people.
        let text = "\(found as Any) \(found?.userInfo as Any)"
        #expect(!text.contains("coredata-stages"), "\(text)")
        #expect(try store.schema() == schema)
        try store.open(models[0]) { try check($0.texts("Club", "title"), ["Chess", "Chess", "Rowing"]) }
    }
}
#endif
