#if PostgreSQL
import CoreDataTestSupport
import Foundation
import PostgreSQLTestSupport
import Testing

@testable import CoreData

/// Migrations of tables with many rows: what is left for after the transaction, and that it is done, also by others.
@Suite("Migrations of large PostgreSQL tables", .enabled(if: TestServer.isAvailable))
struct ServerLargeTableTests {
    private let old = makeModel([
        ("Entry", "title: string?"), ("Note", "text: string?"), ("Shelf", "label: string?"),
    ])
    private let new = Self.indexed("Entry", "Note")

    /// A second version with indexes of some entities, and new relationships.
    private static func indexed(_ entities: String...) -> NSManagedObjectModel {
        let model = makeModel([
            ("Entry", "title: string?; shelf -> Shelf.entries 0..1?"),
            ("Note", "text: string?; shelf -> Shelf.notes 0..1?"),
            ("Shelf", "label: string?; entries -> Entry.shelf 0..0?; notes -> Note.shelf 0..0?"),
        ])
        for entity in entities.compactMap({ model.entitiesByName[$0] }) {
            let name = entity.attributesByName["title"] == nil ? "text" : "title"
            guard let attribute = entity.propertiesByName[name] else { continue }
            let element = NSFetchIndexElementDescription(property: attribute, collationType: .binary)
            entity.indexes = [NSFetchIndexDescription(name: "byText", elements: [element])]
        }
        return model
    }

    /// A store of the first version, with 71 MB of entries if it is large.
    private func filled(isLarge: Bool) throws -> MigrationStore {
        let store = try MigrationStore(type: StoreKind.postgreSQL.type)
        try store.open(old) { context in
            context.insert("Entry", ["title": "first"])
            context.insert("Note", ["text": "first"])
        }
        guard isLarge else { return store }
        try execute(
            store,
            "INSERT INTO entry (id, title) SELECT n, repeat('x', 800) || n "
                + "FROM generate_series(1000001, 1085001) n")
        return store
    }

    private func execute(_ store: MigrationStore, _ statements: String...) throws {
        let schema = store.url.user ?? ""
        try TestServer.execute(
            ["SET search_path = \(schema)", "SET ROLE \(schema)"] + statements + ["RESET ROLE", "RESET search_path"])
    }

    private func texts(_ store: MigrationStore, _ sql: String) throws -> [String] {
        try ServerCatalogue.texts(sql.replacingOccurrences(of: "SCHEMA", with: store.url.user ?? ""))
    }

    private func isPending(_ store: MigrationStore) throws -> Bool {
        try texts(store, "SELECT to_regclass('SCHEMA.coredata_pending') IS NOT NULL") == ["true"]
    }

    /// Notes what a migration that was killed after its transaction has left, the index being half made.
    private func leaveHalf(_ store: MigrationStore) throws {
        try execute(
            store, "ALTER TABLE entry DROP CONSTRAINT entry_shelf_fkey",
            "ALTER TABLE entry ADD CONSTRAINT entry_shelf_fkey FOREIGN KEY (shelf) REFERENCES shelf (id) "
                + "ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED NOT VALID",
            "CREATE TABLE coredata_pending (position integer NOT NULL, sql text NOT NULL, index_name text)",
            "DROP INDEX entry_shelf_idx",
            """
            INSERT INTO coredata_pending VALUES \
            (0, 'ALTER TABLE entry VALIDATE CONSTRAINT entry_shelf_fkey', NULL), \
            (1, 'CREATE INDEX entry_shelf_idx ON entry (shelf NULLS FIRST)', 'entry_shelf_idx'), \
            (2, 'CREATE INDEX entry_by_text_idx ON entry (title NULLS FIRST)', 'entry_by_text_idx')
            """)
        // A creation that is interrupted leaves such an index.
        try TestServer.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = '\(store.url.user ?? "").entry_by_text_idx'::regclass"
        )
        #expect(try store.schema() != MigrationStore.schema(ofNewStore: new, type: store.type))
    }

    private var invalid: String {
        "SELECT indexrelid::regclass FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
            + "WHERE c.relnamespace = 'SCHEMA'::regnamespace AND NOT indisvalid"
    }

    @Test func `Indexes of large tables are created after the transaction, those of others in it`() throws {
        let store = try filled(isLarge: true)
        try store.open(new, options: MigrationStore.automatically) { context in
            context.insert("Entry", ["title": "last", "shelf": context.insert("Shelf", ["label": "a"])])
        }
        #expect(try store.schema() == MigrationStore.schema(ofNewStore: new, type: store.type))
        #expect(try !isPending(store))
        #expect(try texts(store, invalid) == [])
        #expect(try texts(store, "SELECT count(*) FROM SCHEMA.entry") == ["85003"])
        // The rows of the catalogue have the transactions that wrote them.
        let made = """
            SELECT c.relname || ' ' || (c.xmin::text = m.xmin::text) FROM pg_class c, SCHEMA.coredata_metadata m \
            WHERE relnamespace = 'SCHEMA'::regnamespace AND relname ~ '^(entry|note)_.*idx$' ORDER BY 1
            """
        #expect(
            try texts(store, made) == [
                "entry_by_text_idx false", "entry_shelf_idx false", "note_by_text_idx true", "note_shelf_idx true",
            ])
    }

    @Test func `The next process that opens the store does what a killed migration has left`() throws {
        let store = try filled(isLarge: false)
        try store.migrate(to: new)
        try leaveHalf(store)
        try store.open(new, options: [NSReadOnlyPersistentStoreOption: true]) { _ in }
        #expect(try isPending(store))
        try store.open(new) { try check($0.fetchAll("Entry").count, 1) }
        #expect(try store.schema() == MigrationStore.schema(ofNewStore: new, type: store.type))
        #expect(try texts(store, invalid) == [])
        #expect(try !isPending(store))
    }

    @Test func `The next migration does it in its transaction`() throws {
        let store = try filled(isLarge: false)
        try store.migrate(to: new)
        try leaveHalf(store)
        let third = Self.indexed("Entry")
        third.entitiesByName["Entry"]?.renamingIdentifier = "Entry"
        third.entitiesByName["Entry"]?.name = "Line"
        third.entitiesByName["Note"]?.versionHashModifier = "3"
        try store.migrate(to: third)
        #expect(try store.schema() == MigrationStore.schema(ofNewStore: third, type: store.type))
        #expect(try texts(store, invalid) == [])
        #expect(try !isPending(store))
    }

    @Test func `A statement that fails leaves the store in use, and is tried again`() throws {
        let store = try filled(isLarge: false)
        try store.migrate(to: new)
        try execute(
            store, "CREATE TABLE coredata_pending (position integer NOT NULL, sql text NOT NULL, index_name text)",
            "INSERT INTO coredata_pending VALUES (0, 'CREATE INDEX again ON entry ((1 / (id - id)))', 'again'), "
                + "(1, 'CREATE INDEX other ON entry (id)', 'other')")
        try store.open(new) { context in context.insert("Entry", ["title": "second"]) }
        #expect(try texts(store, "SELECT sql FROM SCHEMA.coredata_pending").count == 1)
        #expect(try texts(store, "SELECT count(*) FROM SCHEMA.entry") == ["2"])
        try execute(store, "UPDATE coredata_pending SET sql = 'CREATE INDEX again ON entry (id)'")
        try store.open(new) { _ in }
        #expect(try !isPending(store))
        #expect(try texts(store, invalid) == [])
    }

    @Test func `Another process that does it is not waited for`() throws {
        let store = try filled(isLarge: false)
        try store.migrate(to: new)
        try leaveHalf(store)
        try execute(
            store, "UPDATE coredata_lease SET holder = gen_random_uuid(), until = clock_timestamp() + interval '1 hour'"
        )
        try store.open(new) { try check($0.fetchAll("Entry").count, 1) }
        #expect(try isPending(store))
    }
}
#endif
