#if PostgreSQL
import Foundation
import PostgreSQLTestSupport
import Testing

/// Every command of the articles about PostgreSQL runs, copies of stores among them, and prints what the article shows.
///
/// With `MAGICALRECORD_WRITE_ARTICLES=1` the articles are written with what their commands print now.
@Suite(
    .enabled(if: TestServer.isAvailable, "MAGICALRECORD_TEST_POSTGRESQL names no server."),
    .enabled(if: ArticleDatabase.hasPsql, "psql is not installed: apt-get install postgresql-client"))
struct CopyArticleTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
            "Sources/CoreData/CoreData.docc")
    private static let setUpArticle = "PostgreSQLStore"

    private static func text(of article: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent("\(article).md"), encoding: .utf8)
    }

    private static func setUpBlock() throws -> ArticleBlock {
        try #require(
            ArticleBlock.all(in: try text(of: setUpArticle)).first {
                $0.code.contains { $0.hasPrefix("CREATE DATABASE") }
            })
    }

    /// Runs the blocks of a text; returns the problems, and the text with what the commands print.
    private static func run(_ text: String, name: String, hasSetUp: Bool) throws -> (problems: [String], text: String) {
        var run = try ArticleRun(setUp: hasSetUp ? nil : setUpBlock())
        var problems: [String] = []
        var lines = text.components(separatedBy: "\n")
        var edits: [(Range<Int>, [String])] = []
        for block in ArticleBlock.all(in: text) {
            let (output, failure) = try run.run(block)
            let place = "\(name).md, line \(block.line)"
            if let failure {
                problems.append("\(place): \(failure)")
            } else if let difference = block.difference(from: output) {
                problems.append("\(place) \(difference)")
                guard let shown = block.shown, !shown.contains("…") else { continue }
                let end = block.line - 1 + block.code.count
                let start = try #require(lines[end...].firstIndex(of: "```text")) + 1
                edits.append(
                    (start..<(start + shown.count), ArticleBlock.trimmed(output.components(separatedBy: "\n"))))
            }
        }
        for (range, new) in edits.reversed() { lines.replaceSubrange(range, with: new) }
        return (problems, lines.joined(separator: "\n"))
    }

    @Test(arguments: ["OutgrowingOneFile", "PostgreSQLSchema", "PoolersAndKin", setUpArticle])
    func everyCommandOfAnArticleRuns(_ article: String) throws {
        let text = try Self.text(of: article)
        let (problems, written) = try Self.run(text, name: article, hasSetUp: article == Self.setUpArticle)
        #expect(problems == [], "\(problems.joined(separator: "\n\n"))")
        guard ProcessInfo.processInfo.environment["MAGICALRECORD_WRITE_ARTICLES"] == "1" else { return }
        try Data(written.utf8).write(to: Self.folder.appendingPathComponent("\(article).md"))
    }

    @Test func articlesHaveCommands() throws {
        let counts = try ["OutgrowingOneFile", "PostgreSQLSchema", "PoolersAndKin", Self.setUpArticle].map {
            ArticleBlock.all(in: try Self.text(of: $0)).count
        }
        #expect(zip(counts, [3, 8, 1, 3]).allSatisfy(>=), "\(counts)")
    }

    @Test func failuresAreProblems() throws {
        let broken = """
            ```sh
            storetool info Missing.sqlite
            ```

            ```sql
            SELECT name FROM message;
            ```

            ```sql
            SELECT 1 AS number;
            ```

            ```text
             number
            --------
                  2
            (1 row)
            ```

            ```sql
            SELECT 2 AS number;
            ```

            ```text
             number
            …
            (1 row)
            ```
            """
        let problems = try Self.run(broken, name: "Broken", hasSetUp: false).problems
        #expect(problems.count == 3)
        #expect(problems.first?.contains("Missing.sqlite") == true)
        #expect(problems.dropFirst().first?.contains("\"name\" does not exist") == true)
        #expect(problems.last?.contains("not\n number") == true)
    }
}
#endif
