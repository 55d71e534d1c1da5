#if PostgreSQL
import CoreDataTestSupport
import Foundation
import PostgreSQLTestSupport
import Testing

import struct CoreDataRowStorage.StoreOptions
import struct CoreDataRowStorage.StorePlace

@testable import CoreData
@testable import CoreDataPostgreSQLStorage

/// The lease by which one process at a time migrates a PostgreSQL store.
@Suite("Leases of migrations in a PostgreSQL database", .enabled(if: TestServer.isAvailable))
struct MigrationLeaseTests {
    private let old = Versions.first()
    /// The tables stay as they are.
    private let new = Versions.changed { entities, _ in entities["Club"]?.versionHashModifier = "leased" }

    private func filled() throws -> MigrationStore {
        let store = try MigrationStore(type: StoreKind.postgreSQL.type)
        try store.open(old) { Versions.fill($0) }
        return store
    }

    private func hold(_ store: MigrationStore, for interval: String) throws {
        let schema = store.url.user ?? ""
        try TestServer.execute(
            "SET search_path = \(schema)", "SET ROLE \(schema)",
            "CREATE TABLE IF NOT EXISTS coredata_lease (id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1), holder uuid, "
                + "host text COLLATE \"C\", process text COLLATE \"C\", since timestamptz, "
                + "until timestamptz NOT NULL DEFAULT '-infinity')",
            "INSERT INTO coredata_lease DEFAULT VALUES ON CONFLICT DO NOTHING",
            "UPDATE coredata_lease SET holder = gen_random_uuid(), host = 'elsewhere', process = 'app 7', "
                + "since = '2026-01-02 03:04:05+00', until = clock_timestamp() + interval '\(interval)'",
            "RESET ROLE", "RESET search_path")
    }

    private func tables(_ url: URL) throws -> [String] {
        try ServerCatalogue.texts(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = '\(url.user ?? "")'::regnamespace")
    }

    private func row(_ store: MigrationStore, _ sql: String) throws -> [String] {
        try ServerCatalogue.texts("SELECT \(sql) FROM \(store.url.user ?? "").coredata_lease")
    }

    @Test func `A lease that is held for too long is reported with its holder, and the store stays`() throws {
        let store = try filled()
        try hold(store, for: "1 hour")
        let options = MigrationStore.automatically.merging([NSPersistentStoreTimeoutOption: 0.3]) { $1 }
        var found: NSError?
        do { try store.open(new, options: options) { _ in } } catch { found = error as NSError }
        let error = try #require(found)
        #expect(error.code == NSPersistentStoreTimeoutError, "\(error)")
        let reason = error.localizedFailureReason ?? ""
        for word in ["app 7", "elsewhere", "2026-01-02T03:04:05Z", "0.3 seconds"] { #expect(reason.contains(word)) }
        #expect(error.localizedRecoverySuggestion?.contains("NSPersistentStoreTimeoutOption") == true)
        #expect(!"\(error) \(error.userInfo)".contains(":\(store.url.user ?? "")@"))
        try store.open(old) { try check($0.fetchAll("Person").count, 3) }
        // Once it is over, the next process migrates.
        try hold(store, for: "0.5 seconds")
        try store.migrate(to: new)
        #expect(try row(store, "holder IS NULL AND until = '-infinity'") == ["true"])
        try store.open(new) { try check($0.fetchAll("Person").count, 3) }
    }

    @Test func `A lease is renewed as long as it is needed, and given back`() throws {
        let store = try filled()
        let lease = try #require(try MigrationLease.take(StorePlace(store.url)))
        Thread.sleep(forTimeInterval: MigrationLease.length + 1)
        #expect(try row(store, "until > clock_timestamp() AND host <> '' AND process LIKE '% %'") == ["true"])
        let others = StorePlace(store.url, StoreOptions(timeout: 0))
        #expect(code { _ = try MigrationLease.take(others) } == NSPersistentStoreTimeoutError)
        lease.end()
        let next = try #require(try MigrationLease.take(others))
        next.end()
        #expect(try row(store, "holder IS NULL") == ["true"])
    }

    @Test func `Who waits goes on as soon as the store has the new version`() throws {
        let (store, other) = (try filled(), try filled())
        try other.migrate(to: new)
        try hold(store, for: "1 hour")
        let group = DispatchGroup()
        let (url, type) = (store.url, store.type)
        let model = new
        nonisolated(unsafe) var failure: (any Error)?
        DispatchQueue.global().async(group: group) {
            do {
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                let added = try coordinator.addPersistentStore(
                    ofType: type, configurationName: nil, at: url, options: MigrationStore.automatically)
                try coordinator.remove(added)
            } catch { failure = error }
        }
        #expect(group.wait(timeout: .now() + 1) == .timedOut)
        let (from, to) = (other.url.user ?? "", url.user ?? "")
        try TestServer.execute(
            "UPDATE \(to).coredata_metadata SET (metadata, model) = (SELECT metadata, model FROM \(from).coredata_metadata)"
        )
        #expect(group.wait(timeout: .now() + 5) == .success)
        #expect(failure == nil, "\(failure as Any)")
        #expect(try row(store, "process") == ["app 7"])
    }

    @Test func `No lease is made where there is no store`() throws {
        let url = try TestServer.makeSchema()
        defer { TestServer.removeSchema(url) }
        let lease = try MigrationLease.take(StorePlace(url))
        #expect(lease == nil)
        #expect(try tables(url) == [])
    }

    @Test func `Destroying a store removes its lease`() throws {
        let store = try filled()
        try store.migrate(to: new)
        #expect(try row(store, "id") == ["1"])
        try NSPersistentStoreCoordinator(managedObjectModel: new).destroyPersistentStore(
            at: store.url, ofType: store.type)
        #expect(try tables(store.url) == [])
    }
}
#endif
