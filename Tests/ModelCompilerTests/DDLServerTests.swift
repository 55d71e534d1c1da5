#if PostgreSQL
import CoreDataModelLayouts
import CoreDataPostgreSQLStorage
import CoreDataRowStorage
import Foundation
import ModelFormat
import PostgreSQLTestSupport
import Testing

@testable import ModelCompiler

/// Scripts of tables, run by `psql`, and the same tables made by the driver.
@Suite("Scripts of tables on a server", .enabled(if: TestServer.isAvailable && PSQL.isInstalled))
struct DDLServerTests {
    private func library() throws -> String {
        let models = try TemporaryModels()
        let path = try models.model("Library", DDLTests.library)
        return models.run("ddl", path, "--dialect", "postgresql").output
    }

    @Test("run without an error and without a notice")
    func runs() throws {
        try PSQL.withSchema { psql in
            #expect(try psql.run(library()) == [])
            let types = try psql.run(
                """
                SELECT attname, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute
                WHERE attrelid = 'person'::regclass AND attnum > 0 ORDER BY attnum
                """)
            #expect(types.count == 18)
            #expect(types.prefix(3) == ["id|bigint|t", "version|bigint|t", "big|bigint|f"])
            #expect(types.contains("wealth|numeric|f") && types.contains("born|timestamp with time zone|t"))
        }
    }

    /// An INSERT takes a whole block of keys, and uses its first.
    @Test("give rows that are inserted by hand keys that no block contains")
    func keys() throws {
        try PSQL.withSchema { psql in
            try psql.run(library())
            let insert = "INSERT INTO tag (\"Word\") VALUES ('x') RETURNING id;"
            let block = "SELECT nextval('tag_id_seq');"
            let keys = try psql.run([insert, block, insert, insert, block, insert].joined()).compactMap { Int($0) }
            let (byHand, blocks) = ([keys[0], keys[2], keys[3], keys[5]], [keys[1], keys[4]])
            #expect(Set(byHand).count == 4)
            for first in blocks { #expect(!byHand.contains { (first..<first + 1000).contains($0) }) }
            #expect(try psql.run("SELECT count(*) FROM tag WHERE version = 1") == ["4"])
        }
    }

    @Test("give rows of a hierarchy only the names of its entities")
    func entities() throws {
        try PSQL.withSchema { psql in
            try psql.run(library())
            try psql.run("INSERT INTO publication (entity, title) VALUES ('Novel', 'x')")
            #expect(throws: PSQL.Failure.self) {
                try psql.run("INSERT INTO publication (entity, title) VALUES ('Tag', 'y')")
            }
        }
    }

    /// Two objects swap their names: no statement sees a violation.
    @Test("check references and uniqueness when a transaction commits")
    func deferred() throws {
        try PSQL.withSchema { psql in
            try psql.run(library())
            try psql.run(
                """
                BEGIN;
                INSERT INTO publication (id, entity, title, author) VALUES (1, 'Book', 'x', 7), (2, 'Book', 'y', NULL);
                INSERT INTO person (id, born, display_name, is_member) VALUES (7, now(), 'Ann', false);
                UPDATE publication SET title = CASE title WHEN 'x' THEN 'y' ELSE 'x' END;
                COMMIT;
                """)
            #expect(try psql.run("SELECT title FROM publication ORDER BY id") == ["y", "x"])
            #expect(throws: PSQL.Failure.self) { try psql.run("UPDATE publication SET title = 'z'") }
            #expect(throws: PSQL.Failure.self) { try psql.run("UPDATE publication SET author = 8") }
            #expect(try psql.run("DELETE FROM person; SELECT count(author) FROM publication") == ["0"])
        }
    }

    @Test("drop the sequence of a table with the table")
    func sequences() throws {
        try PSQL.withSchema { psql in
            try psql.run(library())
            try psql.run("DROP TABLE tag CASCADE")
            let sequences = try psql.run(
                "SELECT relname FROM pg_class WHERE relkind = 'S' AND relnamespace = '\(psql.schema)'::regnamespace ORDER BY 1"
            )
            #expect(sequences == ["person_id_seq", "publication_id_seq"])
        }
    }

    @Test("put tables into other schemas")
    func schemas() throws {
        try PSQL.withSchema { psql in
            try PSQL.withSchema { other in
                try other.run("GRANT ALL ON SCHEMA \(other.schema) TO \(psql.schema)")
                var (one, two) = (Entity(name: "One"), Entity(name: "Two"))
                one.userInfo = ["postgresql.schema": .string(other.schema)]
                one.relationships = [
                    Relationship(name: "twos", destinationName: "Two", inverseName: "one", isToMany: true)
                ]
                two.relationships = [Relationship(name: "one", destinationName: "One", inverseName: "twos")]
                let model = Model(entities: [one, two])
                try psql.run(PostgreSQLScript(model, name: "M").text)
                let select = "SELECT relnamespace::regnamespace, relname FROM pg_class WHERE relname IN ('one', 'two') "
                let tables = try psql.run(select + "AND relowner = '\(psql.schema)'::regrole ORDER BY relname")
                #expect(tables == ["\(other.schema)|one", "\(psql.schema)|two"])
                try psql.run("DROP TABLE two, \(other.schema).one, coredata_metadata, coredata_save")
                try Self.makeAndDestroy(model, psql)
                #expect(try psql.run(select + "AND relowner = '\(psql.schema)'::regrole") == [])
            }
        }
    }

    // MARK: Hostile names

    /// Names that end a statement would show as other tables than those of the model, or as an error.
    @Test("of models with any names create their tables and nothing else")
    func hostileNames() throws {
        try PSQL.withSchema { psql in
            var random = ModelNoise(seed: 68)
            for number in 0..<500 {
                let model = random.model()
                let script = try PostgreSQLScript(model, name: random.name()).text
                let rows: [String]
                do {
                    rows = try psql.run(script + Self.census(psql.schema) + Self.cleaning + Self.census(psql.schema))
                } catch {
                    Issue.record("model \(number): \(error)\n\(script)")
                    return
                }
                let tables = ModelNoise.tableCount(of: model)
                #expect(rows == ["\(tables.all + 2)|\(tables.entities)|0", "0|0|0"], "model \(number)")
                if rows.count != 2 || !rows[0].hasPrefix("\(tables.all + 2)|") { return }
            }
        }
    }

    @Test("of models with any names are made and destroyed by the driver")
    func driver() throws {
        try PSQL.withSchema { psql in
            var random = ModelNoise(seed: 86)
            for _ in 0..<100 { try Self.makeAndDestroy(random.model(), psql) }
            #expect(try psql.run(Self.census(psql.schema)) == ["0|0|0"])
        }
    }

    /// The tables and sequences of a role, and what else it owns in any schema, without the functions of every store.
    private static func census(_ role: String) -> String {
        """

        SELECT count(*) FILTER (WHERE relkind = 'r'), count(*) FILTER (WHERE relkind = 'S'),
            (SELECT count(*) FROM pg_proc WHERE proowner = '\(role)'::regrole AND proname !~ '^coredata_')
            + count(*) FILTER (WHERE relkind NOT IN ('r', 'S', 'i', 't') OR relnamespace <> '\(role)'::regnamespace)
        FROM pg_class WHERE relowner = '\(role)'::regrole AND relkind <> 't' AND relname !~ '^pg_toast';
        """
    }

    private static let cleaning = """

        DO $$
        DECLARE name text;
        BEGIN
            SET LOCAL client_min_messages = warning;
            FOR name IN SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' AND relowner = current_role::regrole LOOP
                EXECUTE 'DROP TABLE ' || name || ' CASCADE';
            END LOOP;
        END $$;
        """

    private final class NoModel: StoredModel {
        var versionMetadata: [String: Any] { [:] }
        func archive() -> Data? { nil }
    }

    private static func makeAndDestroy(_ model: Model, _ psql: PSQL) throws {
        let layouts = try StoreLayouts(model)
        try withExtendedLifetime(layouts) {
            let place = StorePlace(psql.url)
            let found = try PostgreSQLDriver.make(place, for: NoModel(), layouts.layouts)
            PostgreSQLDriver.close(
                try PostgreSQLDriver.open(
                    found,
                    for: EngineOpening(
                        layouts: layouts.layouts, model: nil, required: [], identifier: "x",
                        objectID: { _ in NSObject() })))
            let tables = ModelNoise.tableCount(of: model)
            let count = try psql.run(
                "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relowner = '\(psql.schema)'::regrole")
            #expect(count == ["\(tables.all + 2)"])
            try PostgreSQLDriver.destroy(place)
        }
    }
}
#endif
