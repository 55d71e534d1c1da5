#if PostgreSQL
import CoreDataTestSupport
import Foundation
import PostgreSQLTestSupport
import StoreToolCommands
import Testing

/// The article "A tour of storetool" shows what copies to a database and back print. ``TourTests`` runs the rest of it.
@Suite(.enabled(if: TestServer.isAvailable)) struct CopyTourTests {
    private static let article = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/StoreTools/StoreTools.docc/Storetool.md")

    /// Returns the lines of the first block of a language.
    private static func block(_ language: String, in text: String) -> [String] {
        let lines = text.components(separatedBy: "\n")
        guard let start = lines.firstIndex(of: "```" + language) else { return [] }
        return Array(lines[(start + 1)...].prefix { $0 != "```" })
    }

    @Test func copiesPrintWhatTheArticleShows() throws {
        let text = try String(contentsOf: Self.article, encoding: .utf8)
        let folder = try TemporaryFolder()
        _ = try TourStore(at: folder.file("AddressBook.sqlite"))
        try DatabaseCopyTests.withSchema { database in
            let shown = "postgresql://ann@localhost/addressbook"
            var output = ""
            let commands = Self.block("bash", in: text)
            #expect(commands.count == 2)
            for command in commands {
                let words = CommandRunner.shellWords(command).dropFirst().map { word in
                    word == shown
                        ? database.absoluteString : word.hasSuffix(".sqlite") ? folder.file(word).path : word
                }
                let result = CommandRunner.run(words: Array(words))
                #expect(result.status == 0, "\(result.errors)")
                output += result.output
            }
            let name = try #require(output.split(separator: " ").first { $0.hasPrefix("postgresql://") })
            let printed = output.replacingOccurrences(of: name, with: shown)
                .replacingOccurrences(of: folder.url.path + "/", with: "")
            #expect(printed == Self.block("console", in: text).map { $0 + "\n" }.joined())
        }
    }
}
#endif
