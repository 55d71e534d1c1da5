#if PostgreSQL
import CoreData
import CoreDataPostgreSQLStorage
import CoreDataTestSupport
import Foundation
import PostgreSQLTestSupport
import StoreToolCommands
import StoreTools
import Testing

/// What lies in the database, and values that one of the databases cannot hold.
@Suite(.enabled(if: TestServer.isAvailable)) struct CopyValueTests {
    /// Makes a store of ``SameAnswerModel`` with one person who has a value.
    private static func store(_ key: String, _ value: Any, in folder: TemporaryFolder) throws -> URL {
        let url = folder.file("Store.sqlite")
        try QuerySample.open(url, SameAnswerModel.make()) { $0.insert("Person", ["serial": 1, key: value]) }
        return url
    }

    /// Selects one column of text, as the user that owns the database.
    static func texts(_ sql: String) throws -> [String] {
        var result: [String] = []
        try TestServer.run(
            PipelineRequest(ServerStatement(sql, isPrepared: false)) { rows in
                result = (0..<rows.count).map { rows.isNull($0, 0) ? "NULL" : rows.text($0, 0) }
            })
        return result
    }

    private static func tables(_ database: URL) throws -> [String] {
        try texts("SELECT tablename::text FROM pg_tables WHERE schemaname = '\(database.user ?? "")'")
    }

    /// Copies a store to a database: by default it refuses, naming the value, and makes nothing; with `--lossy` it writes.
    private static func check(
        _ url: URL, _ reason: String, select sql: String, gives expected: String
    ) throws {
        try DatabaseCopyTests.withSchema { database in
            let refused = CommandRunner.run("copy", url.path, database.absoluteString)
            #expect(refused.status == 2)
            #expect(refused.errors.contains(reason), "\(refused.errors)")
            #expect(refused.errors.contains("--lossy"), "\(refused.errors)")
            let made = try tables(database)
            #expect(made == [])
            let copied = CommandRunner.run("copy", url.path, database.absoluteString, "--lossy")
            #expect(copied.status == 0, "\(copied.errors)")
            #expect(copied.output.contains("1 value was written otherwise: \(reason)"), "\(copied.output)")
            let query = sql.replacingOccurrences(of: "FROM ", with: "FROM \(database.user ?? "").")
            let found = try texts(query)
            #expect(found == [expected])
        }
    }

    @Test func textWithAZero() throws {
        let folder = try TemporaryFolder()
        let url = try Self.store("name", "a\u{0}b", in: folder)
        try Self.check(
            url, "Person.name of Person/p1 contains U+0000", select: "SELECT name FROM person", gives: "a\u{FFFD}b")
    }

    @Test func datesBeyondTheCalendar() throws {
        let folder = try TemporaryFolder()
        let url = try Self.store("seen", Date(timeIntervalSinceReferenceDate: 1e16), in: folder)
        try Self.check(
            url, "Person.seen of Person/p1 is a date that PostgreSQL does not have",
            select: "SELECT extract(year from seen AT TIME ZONE 'UTC')::text FROM person", gives: "294276")
    }

    @Test func referencesToMissingRows() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Store.sqlite")
        try QuerySample.open(url, SameAnswerModel.make()) { context in
            let place = context.insert("Place", ["serial": 1])
            context.insert("Person", ["serial": 1, "home": place])
        }
        try QuerySample.execute("DELETE FROM ZPLACE", at: url)
        try Self.check(
            url, "Person.home of Person/p1 refers to a row that does not exist",
            select: "SELECT home::text FROM person", gives: "NULL")
    }

    @Test func filesOfValuesThatAreMissing() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Store.sqlite")
        try QuerySample.open(url) { $0.insert("Book", ["scan": Data(repeating: 1, count: 500_000)]) }
        try FileManager.default.removeItem(at: folder.file(".Store_SUPPORT"))
        try Self.check(
            url, "Book.scan of Book/p1 is in a file that is missing", select: "SELECT scan::text FROM book",
            gives: "NULL")
    }

    @Test func requiredValuesThatAreMissing() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Store.sqlite")
        let model = SameAnswerModel.make()
        model.entitiesByName["Place"]?.attributesByName["serial"]?.isOptional = false
        try QuerySample.open(url, model) { $0.insert("Place", ["serial": 1]) }
        try QuerySample.execute("UPDATE ZPLACE SET ZSERIAL = NULL", at: url)
        try DatabaseCopyTests.withSchema { database in
            let refused = CommandRunner.run("copy", url.path, database.absoluteString, "--lossy")
            #expect(refused.status == 2)
            #expect(refused.errors.contains("Place.serial of Place/p1 has no value, which the model requires"))
        }
    }

    @Test func datesAreRoundedAndCounted() throws {
        let folder = try TemporaryFolder()
        let url = try Self.store("seen", Date(timeIntervalSinceReferenceDate: 0.123_456_789), in: folder)
        try DatabaseCopyTests.withSchema { database in
            let copied = CommandRunner.run("copy", url.path, database.absoluteString)
            #expect(copied.status == 0, "\(copied.errors)")
            #expect(
                copied.output.contains("1 date was rounded to microseconds, such as Person.seen of Person/p1."),
                "\(copied.output)")
            let schema = database.user ?? ""
            let seen = try Self.texts("SELECT (seen AT TIME ZONE 'UTC')::text FROM \(schema).person")
            #expect(seen == ["2001-01-01 00:00:00.123457"])
        }
    }

    @Test func numbersThatAFileDoesNotHold() throws {
        let folder = try TemporaryFolder()
        let url = try Self.store("price", NSDecimalNumber(string: "1.5"), in: folder)
        try DatabaseCopyTests.withSchema { database in
            #expect(CommandRunner.run("copy", url.path, database.absoluteString).status == 0)
            let schema = database.user ?? ""
            try TestServer.execute("UPDATE \(schema).person SET price = 0.1234567890123456789012345, ratio = 'NaN'")
            let back = folder.file("Back.sqlite")
            let refused = CommandRunner.run("copy", database.absoluteString, back.path)
            #expect(refused.status == 2)
            #expect(refused.errors.contains("2 values cannot be held by an SQLite store"), "\(refused.errors)")
            #expect(refused.errors.contains("Person.ratio of Person/p1 is not a number"), "\(refused.errors)")
            #expect(refused.errors.contains("Person.price of Person/p1 has more digits than a floating-point number"))
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            #expect(files.allSatisfy { !$0.contains("Back") })
            let copied = CommandRunner.run("copy", database.absoluteString, back.path, "--lossy", "--json")
            #expect(copied.status == 0, "\(copied.errors)")
            #expect(copied.output.contains("\"changedValues\": 2"), "\(copied.output)")
            let values = try QuerySample.open(back, SameAnswerModel.make()) { context in
                try context.fetchAll("Person").map {
                    ["\($0.value(forKey: "price") ?? "-")", "\($0.value(forKey: "ratio") ?? "-")"]
                }
            }
            #expect(values.first?[0].hasPrefix("0.12345678901234") == true)
            #expect(values.first?[1] == "-")
        }
    }

    @Test func extremeValues() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Store.sqlite")
        let maker = try #require(ValueStores.named.first { $0.name == "extreme values" })
        let model = try maker.make(url)
        try DatabaseCopyTests.withSchema { database in
            let out = CommandRunner.run("copy", url.path, database.absoluteString, "--lossy")
            #expect(out.status == 0, "\(out.errors)")
            #expect(out.output.contains("1 value was written otherwise"), "\(out.output)")
            let first = try GraphContent.of(url, model, roundsDates: true).objects
            let second = try GraphContent.of(database, model, roundsDates: true).objects
            let differences = GraphContent.differences(first, second)
            // The text with U+0000, and nothing else.
            #expect(differences.count == 1 && differences.allSatisfy { $0.contains(".name: a") }, "\(differences)")
        }
    }

    @Test func keysContinueAfterTheHighestThatWasEverUsed() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Store.sqlite")
        let model = SameAnswerModel.make()
        try QuerySample.open(url, model) { context in
            let people = (0..<20).map { context.insert("Person", ["serial": $0]) }
            try context.save()
            for person in people.suffix(15) { context.delete(person) }
        }
        let schemaKeys = "SELECT p.id::text FROM %@.person p ORDER BY p.id"
        try DatabaseCopyTests.withSchema { database in
            #expect(CommandRunner.run("copy", url.path, database.absoluteString).status == 0)
            let schema = database.user ?? ""
            let before = try Self.texts(schemaKeys.replacingOccurrences(of: "%@", with: schema))
            try TestServer.execute("INSERT INTO \(schema).person (entity) VALUES ('Person')")
            let after = try Self.texts(schemaKeys.replacingOccurrences(of: "%@", with: schema))
            #expect(before.count == 5 && after.count == 6)
            let new = try #require(after.last.flatMap { Int($0) })
            #expect(new > 20)
            let back = folder.file("Back.sqlite")
            #expect(CommandRunner.run("copy", database.absoluteString, back.path).status == 0)
            let next = try QuerySample.open(back, model) { context in
                let person = context.insert("Person", ["serial": 99])
                try context.save()
                return person.objectID.uriRepresentation().lastPathComponent
            }
            #expect(Int(next.dropFirst()) ?? 0 > new)
        }
    }

    @Test func relationshipsAndPositionsInTheDatabase() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Store.sqlite")
        try QuerySample.open(url) { context in
            let books = (0..<4).map { context.insert("Book", ["title": "\($0)"]) }
            try context.save()
            let tags = ["red", "green"].map { context.insert("Tag", ["word": $0]) }
            books[1].setValue(Set(tags), forKey: "tags")
            let shelf = context.insert("Shelf", ["label": "Top"])
            shelf.setValue(NSOrderedSet(array: [books[2], books[0], books[3]]), forKey: "books")
        }
        let titles = try QuerySample.open(url) { context in
            let shelf = try context.fetchAll("Shelf")[0]
            return (shelf.value(forKey: "books") as? NSOrderedSet)?.array.compactMap {
                ($0 as? NSManagedObject)?.value(forKey: "title") as? String
            } ?? []
        }
        #expect(titles == ["2", "0", "3"])
        try DatabaseCopyTests.withSchema { database in
            #expect(CommandRunner.run("copy", url.path, database.absoluteString).status == 0)
            let schema = database.user ?? ""
            let order = try Self.texts(
                "SELECT column_name::text FROM information_schema.columns WHERE table_schema = '\(schema)' "
                    + "AND table_name = 'book' AND column_name LIKE 'shelf%' ORDER BY 1")
            let position = try #require(order.last)
            #expect(
                try Self.texts("SELECT title FROM \(schema).book WHERE shelf IS NOT NULL ORDER BY \(position)")
                    == ["2", "0", "3"])
            #expect(
                try Self.texts(
                    "SELECT t.word FROM \(schema).book b JOIN \(schema).book_tags l ON l.book = b.id "
                        + "JOIN \(schema).tag t ON t.id = l.tag WHERE b.title = '1' ORDER BY 1")
                    == ["green", "red"])
        }
    }
}
#endif
