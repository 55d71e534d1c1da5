import Foundation
import Testing

@testable import ModelCompiler

/// The script of a migration in PostgreSQL.
@Suite("Scripts of migrations")
struct MigrationScriptTests {
    /// Pairs of versions.
    static let pairs: [String: (old: String, new: String)] = [
        "renamed": (
            """
            <entity name="Person">
            <attribute name="name" optional="YES" attributeType="String"/>
            <attribute name="age" optional="YES" attributeType="Integer 64"/>
            <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book" inverseName="author"/>
            <relationship name="mentor" optional="YES" maxCount="1" destinationEntity="Person"/>
            </entity>
            <entity name="Book"><attribute name="title" optional="YES" attributeType="String"/>
            <relationship name="author" optional="YES" maxCount="1" destinationEntity="Person" inverseName="books"/></entity>
            <entity name="Gone"/>
            """,
            """
            <entity name="Human" elementID="Person">
            <attribute name="called" elementID="name" optional="YES" attributeType="String"/>
            <attribute name="age" optional="YES" attributeType="Integer 16"/>
            <attribute name="rank" attributeType="Integer 16" defaultValueString="3"/>
            <attribute name="count" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="books.@count"/>
            <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book" inverseName="author"/>
            <relationship name="mentor" optional="YES" maxCount="1" destinationEntity="Human"/>
            <uniquenessConstraints><uniquenessConstraint><constraint value="called"/></uniquenessConstraint></uniquenessConstraints>
            </entity>
            <entity name="Book"><attribute name="title" optional="YES" attributeType="String"/>
            <relationship name="author" optional="YES" maxCount="1" destinationEntity="Human" inverseName="books"/>
            <fetchIndex name="byTitle"><fetchIndexElement property="title" type="Binary" order="ascending"/></fetchIndex></entity>
            """
        ),
        "parent": (
            """
            <entity name="Car"><attribute name="plate" optional="YES" attributeType="String"/></entity>
            <entity name="Van"><attribute name="load" optional="YES" attributeType="Double"/></entity>
            """,
            """
            <entity name="Vehicle" isAbstract="YES"/>
            <entity name="Car" parentEntity="Vehicle"><attribute name="plate" optional="YES" attributeType="String"/></entity>
            <entity name="Van"><attribute name="load" optional="YES" attributeType="Float"/></entity>
            """
        ),
        "links": (
            """
            <entity name="Club"><relationship name="members" optional="YES" toMany="YES" destinationEntity="Member"
            inverseName="clubs"/></entity>
            <entity name="Member"><relationship name="clubs" optional="YES" toMany="YES" destinationEntity="Club"
            inverseName="members"/></entity>
            """,
            """
            <entity name="Club"><relationship name="members" optional="YES" toMany="YES" ordered="YES"
            destinationEntity="Member" inverseName="clubs"/></entity>
            <entity name="Member"><relationship name="clubs" optional="YES" toMany="YES" destinationEntity="Club"
            inverseName="members"/><relationship name="leads" optional="YES" maxCount="1" destinationEntity="Club"/></entity>
            """
        ),
    ]

    static func script(_ models: TemporaryModels, _ pair: (old: String, new: String)) throws -> String {
        let (old, new) = (try models.model("Old", pair.old), try models.model("New", pair.new))
        let result = models.run("diff", old, new, "--dialect", "postgresql")
        #expect(result.status == 0, "\(result.errors)")
        return result.output
    }

    @Test("say what is checked before, what is computed again, and what each statement does")
    func comments() throws {
        let models = try TemporaryModels()
        let pair = try #require(Self.pairs["renamed"])
        let text = try Self.script(models, pair)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("-- Migration of a PostgreSQL store from Old to New") == true)
        #expect(lines.contains("--   values of Human.age that Integer 16 cannot hold"))
        #expect(lines.contains("-- Computed again: Human.count."))
        // Each statement follows its description, and locks come before all.
        func index(_ line: String) -> Int { lines.firstIndex(of: line) ?? -1 }
        #expect(index("BEGIN;") > 0)
        #expect(index("SET LOCAL lock_timeout = '3s';") > index("BEGIN;"))
        #expect(index("LOCK TABLE book, gone, person IN ACCESS EXCLUSIVE MODE;") > index("BEGIN;"))
        let rename = index("-- Renames person to human.")
        #expect(rename > index("LOCK TABLE book, gone, person IN ACCESS EXCLUSIVE MODE;"))
        #expect(lines[rename + 1] == "ALTER TABLE person RENAME TO human;")
        #expect(lines[index("-- Drops the tables of entities that do not continue.") + 1] == "DROP TABLE gone;")
        #expect(lines.contains { $0.hasPrefix("-- UPDATE coredata_change") && $0.contains("('Person', 'Human'") })
        #expect(lines.last == "COMMIT;")
        let names = models.run("diff", models.path("Old.xcdatamodel"), models.path("New.xcdatamodel"), "--dialect", "x")
        #expect(names.status != 0)
    }

    @Test("are refused with the reasons where nothing can be inferred")
    func refusal() throws {
        let models = try TemporaryModels()
        let old = try models.model("Old", "<entity name='A'><attribute name='x' attributeType='String'/></entity>")
        let new = try models.model("New", "<entity name='A'><attribute name='x' attributeType='Date'/></entity>")
        let result = models.run("diff", old, new, "--dialect", "postgresql")
        #expect(result.status == 3)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("changed its type from String to Date"), "\(result.errors)")
    }

    @Test("have no statement where the tables stay")
    func same() throws {
        let models = try TemporaryModels()
        let pair = try #require(Self.pairs["parent"])
        let text = try Self.script(models, (pair.old, pair.old))
        #expect(text.contains("-- The tables stay as they are."))
        #expect(text.contains("-- No check of the rows is needed."))
        #expect(!text.contains("ALTER TABLE") && !text.contains("coredata_change"))
    }

    @Test("as JSON are the same statements")
    func json() throws {
        let models = try TemporaryModels()
        let pair = try #require(Self.pairs["renamed"])
        let text = try Self.script(models, pair)
        let result = models.run(
            "diff", models.path("Old.xcdatamodel"), models.path("New.xcdatamodel"), "--dialect", "postgresql", "--json")
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        let statements = object?["statements"] as? [[String: String]] ?? []
        #expect(statements.count > 5)
        for statement in statements {
            #expect(text.contains("-- \(statement["description"] ?? "?")\n\(statement["sql"] ?? "?");\n"))
        }
        #expect(object?["derived"] as? [String] == ["Human.count"])
    }

    /// For `.ci/postgresql-lint`.
    @Test("are written for a linter where the environment names a folder")
    func files() throws {
        guard let folder = ProcessInfo.processInfo.environment["POSTGRESQL_MIGRATIONS"] else { return }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, pair) in Self.pairs {
            let text = try Self.script(try TemporaryModels(), pair)
            try text.write(toFile: "\(folder)/\(name).sql", atomically: true, encoding: .utf8)
        }
    }
}
