import Foundation
import ModelCompiler
import ModelFormat
import Testing

/// The script of a model's tables in PostgreSQL. The expected text was written by hand, from the rules for names and types.
@Suite("Scripts of tables")
struct DDLTests {
    static let library = """
        <entity name="Person">
        <attribute name="big" optional="YES" attributeType="Integer 64"/>
        <attribute name="born" attributeType="Date"/>
        <attribute name="count32" optional="YES" attributeType="Integer 32"/>
        <attribute name="displayName" attributeType="String"/>
        <attribute name="height" optional="YES" attributeType="Float"/>
        <attribute name="home" optional="YES" attributeType="Composite" composite="Place"/>
        <attribute name="homePageURL" optional="YES" attributeType="URI"/>
        <attribute name="isMember" attributeType="Boolean" defaultValueString="NO"/>
        <attribute name="mood" optional="YES" transient="YES" attributeType="String"/>
        <attribute name="order" optional="YES" attributeType="Integer 16"/>
        <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
        <attribute name="settings" optional="YES" attributeType="Transformable"/>
        <attribute name="token" optional="YES" attributeType="UUID"/>
        <attribute name="wealth" optional="YES" attributeType="Decimal"/>
        <attribute name="weight" optional="YES" attributeType="Double"/>
        <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book" inverseName="author"/>
        <relationship name="favourites" optional="YES" toMany="YES" ordered="YES" destinationEntity="Tag" inverseName="fans"/>
        <relationship name="friends" optional="YES" toMany="YES" destinationEntity="Person" inverseName="friends"/>
        <relationship name="mentor" optional="YES" maxCount="1" destinationEntity="Person"/>
        <relationship name="notes" optional="YES" toMany="YES" ordered="YES" destinationEntity="Tag"/>
        <fetchIndex name="byName"><fetchIndexElement property="displayName" type="Binary" order="descending"/>
        <fetchIndexElement property="born" type="Binary" order="ascending"/></fetchIndex>
        <uniquenessConstraints>
        <uniquenessConstraint><constraint value="displayName"/></uniquenessConstraint>
        <uniquenessConstraint><constraint value="home"/></uniquenessConstraint>
        </uniquenessConstraints>
        </entity>
        <entity name="Book">
        <attribute name="title" attributeType="String"/>
        <relationship name="author" optional="YES" maxCount="1" destinationEntity="Person" inverseName="books"/>
        <userInfo><entry key="postgresql.name" value="publication"/></userInfo>
        </entity>
        <entity name="Novel" parentEntity="Book">
        <attribute name="chapters" attributeType="Integer 32"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="title"/></uniquenessConstraint></uniquenessConstraints>
        </entity>
        <entity name="Tag">
        <attribute name="word" attributeType="String">
        <userInfo><entry key="postgresql.name" value="Word"/></userInfo>
        </attribute>
        <relationship name="fans" optional="YES" toMany="YES" destinationEntity="Person" inverseName="favourites"/>
        </entity>
        <composite name="Place">
        <attribute name="city" optional="YES" attributeType="String"/>
        <attribute name="zip" optional="YES" attributeType="Integer 32"/>
        </composite>
        """

    private static let script = #"""
        -- Tables of the model Library in PostgreSQL, as a store creates them in the first schema of the
        -- user's search path. Keys come in blocks of 1000: an INSERT without id takes
        -- the first key of a block.

        BEGIN;

        -- Metadata: the store's UUID, its model, and the names of its tables and sequences
        CREATE TABLE coredata_metadata (
            id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
            store_uuid text NOT NULL,
            metadata bytea NOT NULL,
            model bytea,
            tables text[] NOT NULL,
            sequences text[] NOT NULL,
            schema_version integer NOT NULL DEFAULT 1
        );

        -- Marks of saves, by which their outcome is found out after a lost connection
        CREATE TABLE coredata_save (
            id uuid PRIMARY KEY,
            saved_at timestamptz NOT NULL DEFAULT now()
        );

        -- Entities Book, Novel
        CREATE SEQUENCE publication_id_seq INCREMENT BY 1000 MAXVALUE 281474976709655;
        CREATE TABLE publication (
            id bigint PRIMARY KEY DEFAULT nextval('publication_id_seq'),
            version bigint NOT NULL DEFAULT 1,
            entity text COLLATE "C" NOT NULL CHECK (entity IN ('Book', 'Novel')),
            title text COLLATE "C" NOT NULL,
            author bigint,
            chapters integer
        );
        ALTER SEQUENCE publication_id_seq OWNED BY publication.id;

        -- Entity Person
        CREATE SEQUENCE person_id_seq INCREMENT BY 1000 MAXVALUE 281474976709655;
        CREATE TABLE person (
            id bigint PRIMARY KEY DEFAULT nextval('person_id_seq'),
            version bigint NOT NULL DEFAULT 1,
            big bigint,
            born timestamptz NOT NULL,
            count32 integer,
            display_name text COLLATE "C" NOT NULL,
            height real,
            home_city text COLLATE "C",
            home_zip integer,
            home_page_url text COLLATE "C",
            is_member boolean NOT NULL,
            "order" smallint,
            photo bytea,
            settings bytea,
            token uuid,
            wealth numeric,
            weight double precision,
            mentor bigint
        );
        ALTER SEQUENCE person_id_seq OWNED BY person.id;

        -- Entity Tag
        CREATE SEQUENCE tag_id_seq INCREMENT BY 1000 MAXVALUE 281474976709655;
        CREATE TABLE tag (
            id bigint PRIMARY KEY DEFAULT nextval('tag_id_seq'),
            version bigint NOT NULL DEFAULT 1,
            "Word" text COLLATE "C" NOT NULL,
            person_notes bigint,
            person_notes_order bigint
        );
        ALTER SEQUENCE tag_id_seq OWNED BY tag.id;

        -- Relationship Person.friends and Person.friends
        CREATE TABLE person_friends (
            source bigint NOT NULL,
            target bigint NOT NULL,
            PRIMARY KEY (source, target)
        );

        -- Relationship Person.favourites and Tag.fans
        CREATE TABLE person_favourites (
            person bigint NOT NULL,
            tag bigint NOT NULL,
            tag_order bigint,
            PRIMARY KEY (person, tag)
        );

        -- Foreign keys, checked when a transaction commits
        ALTER TABLE publication ADD CONSTRAINT publication_author_fkey FOREIGN KEY (author) REFERENCES person (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED;
        ALTER TABLE person ADD CONSTRAINT person_mentor_fkey FOREIGN KEY (mentor) REFERENCES person (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED;
        ALTER TABLE tag ADD CONSTRAINT tag_person_notes_fkey FOREIGN KEY (person_notes) REFERENCES person (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED;
        ALTER TABLE person_friends ADD CONSTRAINT person_friends_source_fkey FOREIGN KEY (source) REFERENCES person (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
        ALTER TABLE person_friends ADD CONSTRAINT person_friends_target_fkey FOREIGN KEY (target) REFERENCES person (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
        ALTER TABLE person_favourites ADD CONSTRAINT person_favourites_person_fkey FOREIGN KEY (person) REFERENCES person (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
        ALTER TABLE person_favourites ADD CONSTRAINT person_favourites_tag_fkey FOREIGN KEY (tag) REFERENCES tag (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;

        -- Uniqueness constraints
        ALTER TABLE publication ADD CONSTRAINT publication_title_key UNIQUE (title) DEFERRABLE INITIALLY DEFERRED;
        ALTER TABLE person ADD CONSTRAINT person_display_name_key UNIQUE (display_name) DEFERRABLE INITIALLY DEFERRED;
        CREATE UNIQUE INDEX person_home_city_home_zip_key ON person (coalesce(home_city, ''), (home_city IS NULL), coalesce(home_zip, 0), (home_zip IS NULL)) WHERE (home_city IS NOT NULL OR home_zip IS NOT NULL);

        -- Indexes
        CREATE INDEX publication_author_idx ON publication (author NULLS FIRST);
        CREATE INDEX publication_entity_idx ON publication (entity NULLS FIRST);
        CREATE INDEX person_mentor_idx ON person (mentor NULLS FIRST);
        CREATE INDEX person_by_name_idx ON person (display_name DESC NULLS LAST, born NULLS FIRST);
        CREATE INDEX tag_person_notes_idx ON tag (person_notes NULLS FIRST);
        CREATE INDEX person_friends_target_idx ON person_friends (target, source);
        CREATE INDEX person_favourites_tag_idx ON person_favourites (tag, person);

        COMMIT;

        """#

    /// The script without its last part, the functions, which are long and tested on a server.
    private static func tables(of script: String) -> String {
        guard let start = script.range(of: "-- Functions\n"),
            let end = script.range(of: "COMMIT;", options: .backwards), start.upperBound < end.lowerBound
        else { return script }
        return String(script[..<start.lowerBound] + script[end.lowerBound...])
    }

    @Test("have every kind of property as a column, a table or an index")
    func wholeScript() throws {
        let models = try TemporaryModels()
        let path = try models.model("Library", Self.library)
        let result = models.run("ddl", path, "--dialect", "postgresql")
        #expect(result.status == 0 && result.errors.isEmpty)
        let (lines, expected) = (
            Self.tables(of: result.output).components(separatedBy: "\n"), Self.script.components(separatedBy: "\n")
        )
        for (line, wanted) in zip(lines, expected) { #expect(line == wanted) }
        #expect(lines.count == expected.count)
        for name in ["fold", "found", "decimal", "upper", "lower"].map({ "coredata_\($0)" }) {
            #expect(result.output.contains("CREATE OR REPLACE FUNCTION \(name)("))
        }
    }

    @Test("are the same for a compiled model, and each time")
    func compiled() throws {
        let models = try TemporaryModels()
        let path = try models.model("Library", Self.library)
        #expect(models.run("compile", path, "-o", models.path("Library.momd")).status == 0)
        let first = models.run("ddl", models.path("Library.momd"), "--dialect=postgresql").output
        #expect(Self.tables(of: first) == Self.script)
        #expect(models.run("ddl", path, "--dialect", "postgresql", "--version", "Library").output == first)
    }

    @Test("have the same statements as JSON")
    func json() throws {
        let models = try TemporaryModels()
        let path = try models.model("Library", Self.library)
        let output = models.run("ddl", path, "--dialect", "postgresql", "--json").output
        let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
        let all = try #require(object?["statements"] as? [[String: String]])
        let statements = all.filter { $0["kind"] != "function" }
        #expect(all.count > statements.count)
        for statement in statements { #expect(Self.script.contains("\(statement["sql"] ?? "?");\n")) }
        #expect(statements.count == 30)
        #expect(statements[0]["name"] == "coredata_metadata" && statements[1]["name"] == "coredata_save")
        #expect(statements[2]["kind"] == "sequence")
    }

    @Test("need a dialect that exists")
    func dialects() throws {
        let models = try TemporaryModels()
        let path = try models.model("Library", Self.library)
        #expect(models.run("ddl", path).status == 2)
        let sqlite = models.run("ddl", path, "--dialect", "sqlite")
        #expect(sqlite.status == 2 && sqlite.errors.contains("tables of SQLite stores are not printed"))
        let other = models.run("ddl", path, "--dialect", "oracle")
        #expect(other.status == 2 && other.errors.contains("--dialect oracle: use postgresql"))
        #expect(models.run("ddl", "--dialect", "postgresql").status == 2)
        let missing = models.run("ddl", models.path("None.momd"), "--dialect", "postgresql")
        #expect(missing.status == 3 && missing.output.isEmpty)
        let version = models.run("ddl", path, "--dialect", "postgresql", "--version", "9")
        #expect(version.status == 3 && version.errors.contains("there is no version 9"))
    }

    @Test("are not written for a column type that a store does not offer")
    func types() throws {
        let models = try TemporaryModels()
        let path = try models.model(
            "Dates",
            """
            <entity name="Day"><attribute name="start" optional="YES" attributeType="Date">
            <userInfo><entry key="postgresql.type" value="real"/></userInfo></attribute></entity>
            """)
        let result = models.run("ddl", path, "--dialect", "postgresql")
        #expect(result.status == 3 && result.output.isEmpty)
        let reason = "cannot have the type real in PostgreSQL: its column is timestamptz, or double precision"
        #expect(result.errors.contains(reason), "\(result.errors)")
    }

    @Test("have a column for every bit of a date where the model asks for it")
    func everyBit() throws {
        let models = try TemporaryModels()
        let path = try models.model(
            "Dates",
            """
            <entity name="Day"><attribute name="start" optional="YES" attributeType="Date">
            <userInfo><entry key="postgresql.type" value="Double Precision"/></userInfo></attribute>
            <attribute name="end" optional="YES" attributeType="Date"/></entity>
            """)
        let result = models.run("ddl", path, "--dialect", "postgresql")
        #expect(result.output.contains("start double precision"), "\(result.errors)")
        #expect(result.output.contains("\"end\" timestamptz"))
    }
}
