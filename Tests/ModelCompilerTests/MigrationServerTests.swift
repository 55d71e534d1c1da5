#if PostgreSQL
import Foundation
import ModelFormat
import PostgreSQLTestSupport
import Testing

@testable import ModelCompiler

/// Scripts of migrations, run by `psql` on the tables of the old version: afterwards the catalogue is that of the new version.
@Suite("Scripts of migrations on a server", .enabled(if: TestServer.isAvailable && PSQL.isInstalled))
struct MigrationServerTests {
    private func catalogue(_ script: String...) throws -> Set<String> {
        var lines: Set<String> = []
        try PSQL.withSchema { psql in
            for text in script { try psql.run(text) }
            lines = try ServerCatalogue.lines(psql.url)
        }
        return lines
    }

    @Test("of pairs of versions lead to the tables of the new one", arguments: MigrationScriptTests.pairs.keys.sorted())
    func pairs(_ name: String) throws {
        let models = try TemporaryModels()
        let pair = try #require(MigrationScriptTests.pairs[name])
        let script = try MigrationScriptTests.script(models, pair)
        func tables(_ model: String) -> String {
            models.run("ddl", models.path("\(model).xcdatamodel"), "--dialect", "postgresql").output
        }
        let (old, new) = (tables("Old"), tables("New"))
        #expect(try catalogue(old, script) == catalogue(new))
    }

    @Test("between models with any names lead to the tables of the new one")
    func hostileNames() throws {
        var random = ModelNoise(seed: 70)
        var count = 0
        for number in 0..<40 {
            var (old, new) = (random.model(), random.model())
            // What both have in common: without it, every entity would be dropped.
            for index in new.entities.indices where index < old.entities.count {
                new.entities[index].renamingIdentifier = old.entities[index].name
            }
            old.entities = Array(old.entities)
            let script: String
            do {
                script = try PostgreSQLMigrationScript(from: old, to: new, names: (random.name(), random.name())).text
            } catch is PostgreSQLMigrationScript.Refusal { continue }
            count += 1
            let (before, after) = (try PostgreSQLScript(old, name: "a").text, try PostgreSQLScript(new, name: "b").text)
            do {
                let (found, expected) = (try catalogue(before, script), try catalogue(after))
                #expect(found == expected, "model \(number): \(found.symmetricDifference(expected))")
            } catch {
                Issue.record("model \(number): \(error)\n\(script.prefix(3000))")
                return
            }
        }
        #expect(count > 5)
    }
}
#endif
