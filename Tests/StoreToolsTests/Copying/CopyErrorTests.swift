import CoreData
import CoreDataTestSupport
import Foundation
import StoreToolCommands
import StoreTools
import Testing
#if PostgreSQL
import PostgreSQLTestSupport

/// What keeps a store from being copied to a database or from one: named, with a remedy, without passwords.
@Suite(.enabled(if: TestServer.isAvailable)) struct CopyErrorTests {
    /// Runs a copy that must fail with a message.
    private static func check(
        _ words: [String], _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let result = CommandRunner.run(words: ["copy"] + words)
        #expect(result.status == 2, "\(result.output)", sourceLocation: sourceLocation)
        for part in parts { #expect(result.errors.contains(part), "\(result.errors)", sourceLocation: sourceLocation) }
        #expect(!(result.errors + result.output).contains("verysecret"), sourceLocation: sourceLocation)
    }

    /// Gives the role of a schema a password that occurs nowhere else.
    private static func withSecret<Result>(_ body: (URL) throws -> Result) throws -> Result {
        try DatabaseCopyTests.withSchema { url in
            try TestServer.execute("ALTER ROLE \(url.user ?? "") PASSWORD 'verysecret'")
            var parts = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
            parts.password = "verysecret"
            return try body(try #require(parts.url))
        }
    }

    @Test func passwordsAreNotShown() throws {
        let store = try CommandStore()
        try Self.withSecret { database in
            for options in [[], ["--json"]] {
                try TestServer.execute(
                    "DROP OWNED BY \(database.user ?? "") CASCADE",
                    "CREATE SCHEMA IF NOT EXISTS \(database.user ?? "") AUTHORIZATION \(database.user ?? "")")
                let result = CommandRunner.run(words: ["copy", store.path, database.absoluteString] + options)
                #expect(result.status == 0, "\(result.errors)")
                #expect(!(result.errors + result.output).contains("verysecret"))
                #expect(result.output.contains(database.user ?? "?"))
            }
        }
    }

    @Test func destinationsThatAreOccupied() throws {
        let (store, other) = (try CommandStore(), try CommandStore())
        try Self.withSecret { database in
            #expect(CommandRunner.run("copy", store.path, database.absoluteString).status == 0)
            Self.check([store.path, database.absoluteString], "There is a complete copy of the store in")
            Self.check([other.path, database.absoluteString], "There is a store in", "Name another database")
            // Not even with the option that removes unfinished copies.
            Self.check([other.path, database.absoluteString, "--restart"], "There is a store in")
            let file = store.folder.file("Taken.sqlite")
            try Data("mine".utf8).write(to: file)
            Self.check([database.absoluteString, file.path], "There is a file at")
            #expect(try Data(contentsOf: file) == Data("mine".utf8))
        }
    }

    @Test func tablesOfOthersAreNotTouched() throws {
        let store = try CommandStore()
        try Self.withSecret { database in
            let schema = database.user ?? ""
            try TestServer.execute(
                "CREATE TABLE \(schema).book (mine text)", "INSERT INTO \(schema).book VALUES ('kept')")
            Self.check([store.path, database.absoluteString], "book")
            let rows = try CopyValueTests.texts("SELECT mine FROM \(schema).book")
            #expect(rows == ["kept"])
        }
    }

    @Test func sourcesThatAreMissing() throws {
        let folder = try TemporaryFolder()
        try Self.withSecret { database in
            Self.check([folder.file("None.sqlite").path, database.absoluteString], "does not exist. Check the path.")
            Self.check([database.absoluteString, folder.file("B.sqlite").path], "There is no store in")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test func modelsThatAreNotTheStores() throws {
        let store = try CommandStore()
        let other = store.folder.file("Other.sqlite")
        try QuerySample.open(other, QuerySample.model()) { context in context.insert("Tag", ["word": "x"]) }
        try Self.withSecret { database in
            Self.check([store.path, database.absoluteString, "--model", other.path], "The given model is not that of")
            #expect(CommandRunner.run("copy", store.path, database.absoluteString).status == 0)
            Self.check(
                [database.absoluteString, store.folder.file("B.sqlite").path, "--model", other.path],
                "The given model is not that of")
        }
    }

    @Test func usersWithoutRights() throws {
        let store = try CommandStore()
        try Self.withSecret { database in
            let schema = database.user ?? ""
            try TestServer.execute(
                "ALTER SCHEMA \(schema) OWNER TO CURRENT_USER", "GRANT USAGE ON SCHEMA \(schema) TO \(schema)")
            Self.check([store.path, database.absoluteString], "permission denied")
            try TestServer.execute("ALTER SCHEMA \(schema) OWNER TO \(schema)")
            #expect(CommandRunner.run("copy", store.path, database.absoluteString).status == 0)
            try TestServer.execute(
                "ALTER TABLE \(schema).book OWNER TO CURRENT_USER", "REVOKE ALL ON \(schema).book FROM \(schema)")
            Self.check([database.absoluteString, store.folder.file("B.sqlite").path], "permission denied")
        }
    }

    @Test func serversThatCannotBeReached() throws {
        let store = try CommandStore()
        Self.check([store.path, "postgresql://me:verysecret@127.0.0.1:1/x"], "127.0.0.1")
        Self.check(["postgresql://me:verysecret@127.0.0.1:1/x", store.folder.file("B.sqlite").path], "127.0.0.1")
    }

    @Test func optionsOfOtherCopies() throws {
        let store = try CommandStore()
        Self.check([store.path, store.folder.file("B.sqlite").path, "--lossy"], "--lossy is for copies between")
    }

    /// A source that is changed between two runs is noticed, not mixed.
    @Test func sourcesThatWereChangedMeanwhile() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Store.sqlite")
        let model = SameAnswerModel.make()
        try QuerySample.open(url, model) { context in
            for number in 0..<40 { context.insert("Person", ["serial": number, "name": "before"]) }
        }
        try Self.withSecret { database in
            let worker = try Worker("copy", url, [database.absoluteString, "3"])
            #expect(!worker.finish())
            try QuerySample.open(url, model) { context in
                for person in try context.fetchAll("Person") { person.setValue("after", forKey: "name") }
            }
            Self.check([url.path, database.absoluteString], "differs from the source", "--restart")
            let restarted = CommandRunner.run("copy", url.path, database.absoluteString, "--restart")
            #expect(restarted.status == 0, "\(restarted.errors)")
        }
    }
}
#else
@Suite struct CopyErrorTests {
    @Test func databasesNeedTheTrait() throws {
        let store = try CommandStore()
        for words in [
            [store.path, "postgresql://me:verysecret@localhost/x"],
            ["postgres://me:verysecret@localhost/x", "b.sqlite"],
        ] {
            let result = CommandRunner.run(words: ["copy"] + words)
            #expect(result.status == 2)
            #expect(result.errors.contains("swift build --traits PostgreSQL"), "\(result.errors)")
            #expect(!result.errors.contains("verysecret"))
        }
    }
}
#endif
