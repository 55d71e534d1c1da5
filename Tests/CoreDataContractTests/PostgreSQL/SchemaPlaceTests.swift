#if PostgreSQL
import CoreDataPostgreSQLStorage
import CoreDataRowStorage
import Foundation
import PostgreSQLTestSupport
import Testing

@Suite("Stores and other objects of a database", .enabled(if: TestServer.isAvailable))
struct SchemaPlaceTests {
    /// Everything in a schema, as `psql` would list it.
    private func objects(in schema: String) throws -> Set<String> {
        var found: Set<String> = []
        let sql = """
            SELECT relname::text FROM pg_class WHERE relnamespace = '\(schema)'::regnamespace UNION ALL \
            SELECT proname::text FROM pg_proc WHERE pronamespace = '\(schema)'::regnamespace
            """
        try TestServer.run(
            PipelineRequest(ServerStatement(sql, isPrepared: false)) { rows in
                for row in 0..<rows.count { found.insert(rows.text(row, 0)) }
            })
        return found
    }

    @Test func `A destroyed store leaves nothing in its schema`() throws {
        let store = try RawStore()
        #expect(try objects(in: store.schema).isSuperset(of: ["sample", "coredata_fold", "coredata_upper"]))
        try PostgreSQLDriver.destroy(StorePlace(store.url))
        #expect(try objects(in: store.schema) == [])
        let again = try PostgreSQLDriver.find(StorePlace(store.url))
        #expect(again == nil)
    }

    @Test func `A destroyed store leaves what is not its own, and the functions that this needs`() throws {
        let store = try RawStore()
        try store.alter(
            "CREATE TABLE SCHEMA.mine (name text)",
            "CREATE INDEX mine_folded ON SCHEMA.mine (SCHEMA.coredata_fold(name, 3))",
            "CREATE FUNCTION SCHEMA.coredata_mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'")
        try PostgreSQLDriver.destroy(StorePlace(store.url))
        #expect(try objects(in: store.schema) == ["mine", "mine_folded", "coredata_fold", "coredata_mine"])
    }

    /// Makes a store, and an empty schema before its own in the search path of another role.
    private func withTwoSchemas(_ body: (_ other: RawStore, _ url: URL) throws -> Void) throws {
        let other = try RawStore()
        let url = try TestServer.makeSchema()
        defer { TestServer.removeSchema(url) }
        let role = url.user ?? ""
        try other.insert("Sample", [["text": "theirs"]])
        try TestServer.execute(
            "ALTER ROLE \(role) SET search_path = \(role), \(other.schema)",
            "GRANT USAGE ON SCHEMA \(other.schema) TO \(role)",
            "GRANT ALL ON ALL TABLES IN SCHEMA \(other.schema) TO \(role)")
        try body(other, url)
    }

    @Test func `A store in another schema of the search path is not the one that is looked for`() throws {
        try withTwoSchemas { other, url in
            #expect(!PostgreSQLDriver.isOccupied(StorePlace(url)))
            let found = try PostgreSQLDriver.find(StorePlace(url))
            #expect(found == nil)
            try PostgreSQLDriver.destroy(StorePlace(url))
            #expect(try other.count("Sample") == 1)
        }
    }

    @Test func `A missing table is missed, and not dropped, where another schema of the path has one`() throws {
        try withTwoSchemas { other, url in
            let store = try RawStore(at: url)
            #expect(try store.count("Sample") == 0)
            #expect(store.identifier != other.identifier)
            try store.alter("DROP TABLE SCHEMA.sample CASCADE")
            let error = cocoaError { try store.reopen() }
            #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
            #expect(error?.localizedFailureReason?.contains("no table sample") == true, "\(error as Any)")
            try PostgreSQLDriver.destroy(StorePlace(url))
            #expect(try objects(in: store.schema) == [])
            #expect(try other.count("Sample") == 1)
        }
    }

    @Test func `No keys are reserved without a round trip`() throws {
        let store = try ServerStore()
        let trips = try store.roundTrips {
            let keys = try store.engine.reserveKeys(count: 0, of: Bookshop.layout("Book"))
            #expect(Array(keys) == [] && keys.count == 0)
        }
        #expect(trips == 0)
    }
}
#endif
