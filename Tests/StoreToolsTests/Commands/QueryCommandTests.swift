import CoreDataTestSupport
import Foundation
import StoreToolCommands
import Testing

@Suite struct QueryCommandTests {
    @Test func rowsComeAsTables() throws {
        let store = try CommandStore()
        let result = CommandRunner.run(
            "query", store.path, "Author where rating > 1 sort -name show name, rating, born, books.@count", "--format",
            "table")
        #expect(
            result.output == """
                name  rating  born                  books.@count
                A2       2.5  2001-01-03T00:00:00Z             2
                A1       1.5  2001-01-02T00:00:00Z             2

                """)
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
    }

    @Test func terminalsGetTablesCutToTheirWidth() throws {
        let store = try CommandStore()
        let result = CommandRunner.run("query", store.path, "Book", isTerminal: true, width: 60)
        let lines = result.output.split(separator: "\n")
        #expect(lines.dropLast().allSatisfy { DisplayWidth.of($0) <= 90 })
        #expect(lines.last == "6 rows")
        #expect(!result.output.contains("\u{1b}"))
        let colored = CommandRunner.run("query", store.path, "Book", isTerminal: true, usesColor: true)
        #expect(colored.output.hasPrefix("\u{1b}[1mobjectID\u{1b}[0m"))
    }

    @Test func otherProgramsGetCSV() throws {
        let store = try CommandStore(authors: 1)
        let result = CommandRunner.run("query", store.path, "Book sort title show title, pages, price, isbn")
        #expect(
            result.output
                == "title,pages,price,isbn\r\n\"B0-0, \"\"x\"\"\",100,9.5,\r\n\"B0-1, \"\"x\"\"\",100,9.5,\r\n")
    }

    @Test func linesOfJSONKeepTheOrderOfColumns() throws {
        let store = try CommandStore(authors: 1)
        let result = CommandRunner.run(
            "query", store.path, "Book sort title limit 1 show title, price, isbn, inPrint", "--format", "ndjson")
        #expect(
            result.output == #"{"title":"B0-0, \"x\"","price":"9.5","isbn":null,"inPrint":true}"# + "\n")
    }

    @Test func resultsWithoutRowsAreWellFormed() throws {
        let store = try CommandStore(authors: 1)
        let words = "Book where pages > 1000 show title, pages"
        #expect(CommandRunner.run("query", store.path, words, "--json").output == "[]\n")
        #expect(CommandRunner.run("query", store.path, words).output == "title,pages\r\n")
        #expect(CommandRunner.run("query", store.path, words, "--format", "table").output == "title  pages\n")
        #expect(CommandRunner.run("query", store.path, words, "--count").output == "0\n")
    }

    @Test func jsonIsOneList() throws {
        let store = try CommandStore()
        let result = CommandRunner.run("query", store.path, "Author sort name", "--json")
        let list = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
        #expect(list?.map { $0["name"] as? String } == ["A0", "A1", "A2"])
        #expect((list?.first?["objectID"] as? String)?.hasSuffix("/Author/p1") == true)
    }

    @Test func theStatementIsShownOnRequest() throws {
        let store = try CommandStore(authors: 1)
        let result = CommandRunner.run("query", store.path, "Book where pages > 3", "--sql")
        #expect(result.output.hasPrefix("SELECT ") && result.output.contains("ZBOOK"))
    }

    @Test func errorsPointAtThePredicate() throws {
        let store = try CommandStore(authors: 1)
        let result = CommandRunner.run("query", store.path, "Book where pages >")
        #expect(result.status == 2)
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[1] == "  pages >")
        #expect(lines[2].hasSuffix("^"))
    }

    @Test func oneObjectIsShownWithAllProperties() throws {
        let store = try CommandStore(authors: 1)
        let result = CommandRunner.run("get", store.path, "Author/p1")
        #expect(result.output.hasPrefix("Author/p1  x-coredata://"))
        #expect(result.output.contains("name           A0\n"))
        #expect(result.output.contains("books.@count   2\n"))
        let uri = try #require(result.output.split(separator: "\n").first?.split(separator: " ").last)
        #expect(CommandRunner.run("get", store.path, String(uri)).output == result.output)
        let missing = CommandRunner.run("get", store.path, "Author/p99")
        #expect(missing.status == 1)
        #expect(missing.errors == "storetool: There is no object Author/p99.\n")
        #expect(CommandRunner.run("get", store.path, "Autor/p1").errors.contains("Did you mean Author?"))
    }

    @Test func relationshipsAreFollowed() throws {
        let store = try CommandStore()
        let result = CommandRunner.run("follow", store.path, "Author/p2", "books", "--json")
        let list = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
        #expect(list?.count == 2)
        let uris = Set(list?.compactMap { $0["author"] as? String } ?? [])
        #expect(uris.count == 1 && uris.first?.hasSuffix("/Author/p2") == true)
    }

    @Test func aReaderThatHasEnoughEndsTheQueryQuietly() throws {
        let store = try CommandStore(authors: 50)
        let result = CommandRunner.run("query", store.path, "Book", closesAfter: 200)
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
    }

    @Test func anInterruptionEndsWithItsStatus() throws {
        let store = try CommandStore(authors: 1)
        for words in ["query \(store.path) Book", "info \(store.path)", "check \(store.path)"] {
            let (output, errors) = (TextSink(), TextSink())
            let console = Console(output: output, errors: errors, isInterrupted: { true })
            #expect(StoreTool.run(words.split(separator: " ").map(String.init), console) == 130)
            #expect(errors.text.isEmpty)
        }
    }

    @Test func readingChangesNoByteAndMakesNoFile() throws {
        let store = try CommandStore()
        let before = try store.contents()
        for words in [
            ["info", store.path], ["query", store.path, "Book"], ["get", store.path, "Book/p1"],
            ["follow", store.path, "Author/p1", "books"], ["check", store.path],
        ] {
            let errors = TextSink()
            #expect(StoreTool.run(words, Console(output: TextSink(), errors: errors)) == 0, "\(words) \(errors.text)")
        }
        #expect(try store.contents() == before)
    }
}
