import Foundation
import ModelCompiler
import ModelFormat
import Testing

@Suite("Scripts of tables, for any names,")
struct DDLNameTests {
    private func script(_ entities: Entity...) throws -> String {
        try PostgreSQLScript(Model(entities: entities), name: "M").text
    }

    private func entity(_ name: String, _ attributes: [String] = [], userInfo: [String: String] = [:]) -> Entity {
        var entity = Entity(name: name)
        entity.attributes = attributes.map { Attribute(name: $0, type: .integer16, isOptional: true) }
        entity.userInfo = userInfo.mapValues { .string($0) }
        return entity
    }

    @Test("put a table where the model says, with its sequence and its join tables")
    func schemas() throws {
        var (one, two) = (entity("One", userInfo: ["postgresql.schema": "Other"]), entity("Two"))
        one.relationships = [Relationship(name: "twos", destinationName: "Two", inverseName: "ones", isToMany: true)]
        two.relationships = [Relationship(name: "ones", destinationName: "One", inverseName: "twos", isToMany: true)]
        let text = try script(one, two)
        for statement in [
            "CREATE SEQUENCE \"Other\".one_id_seq ", "CREATE TABLE \"Other\".one (",
            "id bigint PRIMARY KEY DEFAULT nextval('\"Other\".one_id_seq'),",
            "ALTER SEQUENCE \"Other\".one_id_seq OWNED BY \"Other\".one.id;", "CREATE TABLE two (",
            "CREATE TABLE \"Other\".one_twos (",
            "ALTER TABLE \"Other\".one_twos ADD CONSTRAINT one_twos_two_fkey FOREIGN KEY (two) REFERENCES two (id) ",
            "ALTER TABLE \"Other\".one_twos ADD CONSTRAINT one_twos_one_fkey FOREIGN KEY (one) REFERENCES \"Other\".one (id) ",
            "CREATE INDEX one_twos_two_idx ON \"Other\".one_twos (two, one);",
        ] { #expect(text.contains(statement)) }
    }

    @Test("give names that differ only in case, or are taken, another one")
    func collisions() throws {
        let text = try script(
            entity("Thing", ["id", "version", "entity", "xmin", "userName", "user_name"]), entity("thing"),
            entity("CoreDataMetadata", userInfo: ["postgresql.name": "coredata_metadata"]), entity("PgClass"),
            entity("ThingIdSeq"), entity("ThingPkey"))
        for name in [
            "thing", "thing_2", "entity_coredata_metadata", "entity_pg_class", "thing_id_seq_2", "thing_pkey_2",
        ] { #expect(text.contains("CREATE TABLE \(name) (")) }
        for column in ["thing_id", "thing_version", "thing_entity", "thing_xmin", "user_name", "thing_user_name"] {
            #expect(text.contains("\n    \(column) smallint"))
        }
    }

    @Test("keep the names of properties that the model sets, whatever others are called")
    func setNames() throws {
        var thing = entity("Thing", ["aaa", "size"])
        thing.attributes[0].name = "size_"
        thing.attributes[1].userInfo = ["postgresql.name": .string("size_")]
        let text = try script(thing)
        #expect(text.contains("\n    size_ smallint,\n    thing_size_ smallint"))
    }

    @Test("shorten names of more than 63 bytes, always alike, and list them")
    func longNames() throws {
        let (one, two) = (String(repeating: "a", count: 100), String(repeating: "a", count: 99) + "b")
        let text = try script(entity(one), entity(two))
        let names = text.components(separatedBy: "\n").filter { $0.hasPrefix("CREATE TABLE a") }
            .map { $0.dropFirst("CREATE TABLE ".count).dropLast(2) }
        #expect(Set(names).count == 2 && names.allSatisfy { $0.utf8.count <= 63 })
        #expect(text.contains("-- Names of more than 63 bytes, shortened:\n--   \(names[0]) = \(one)\n"))
        #expect(try script(entity(two), entity(one)) == text)
    }

    @Test("have comments of one line, and quoted names")
    func hostileNames() throws {
        let name = "a\"; DROP TABLE b; --\nc'\\"
        let text = try script(entity(name, [name]), entity("Child"))
        #expect(text.contains("-- Entity a\"; DROP TABLE b; -- c'\\\n"))
        #expect(text.contains("CREATE TABLE \"a\"\"; drop table b; --\nc'\\\" ("))
        #expect(text.contains("nextval(E'\"a\"\"; drop table b; --\nc''\\\\_id_seq\"')"))
    }

    @Test("have partial indexes for conditions on columns, else full ones")
    func partialIndexes() throws {
        var thing = entity("Thing", ["pages"])
        thing.attributes.append(Attribute(name: "isOld", type: .boolean, isOptional: true))
        thing.attributes.append(Attribute(name: "title", type: .string, isOptional: true))
        for (name, condition) in [
            ("a", "pages > 3 AND isOld == YES"), ("b", "title == 'it''s' OR title == nil"), ("c", "title CONTAINS 'x'"),
        ] {
            var index = FetchIndex(
                name: name, elements: [FetchIndexElement(property: "pages", isAscending: name != "b")])
            index.partialIndexPredicate = condition.replacingOccurrences(of: "''", with: "\\'")
            thing.fetchIndexes.append(index)
        }
        let text = try script(thing)
        for index in [
            "thing_a_idx ON thing (pages NULLS FIRST) WHERE (pages > 3 AND is_old = true);",
            "thing_b_idx ON thing (pages DESC NULLS LAST) WHERE (title = 'it''s' OR title IS NULL);",
            "thing_c_idx ON thing (pages NULLS FIRST);",
        ] { #expect(text.contains("CREATE INDEX \(index)")) }
    }
}
