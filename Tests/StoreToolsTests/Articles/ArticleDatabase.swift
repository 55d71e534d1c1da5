#if PostgreSQL
import Foundation
import PostgreSQLTestSupport

/// A database and a role for the commands of one article, in place of the article's `addressbook`.
final class ArticleDatabase {
    /// The name in the articles. ``name`` is as long, so that tables of `psql` have the same columns.
    static let shownName = "addressbook"
    let name: String
    private let server: URL
    /// The URL of the database, for the role.
    let url: URL

    struct NoURL: Error {}

    init() throws {
        name = "a" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "").prefix(10)
        guard let server = TestServer.url, var parts = URLComponents(url: server, resolvingAgainstBaseURL: false)
        else { throw NoURL() }
        self.server = server
        (parts.user, parts.password, parts.path) = (name, name, "/\(name)")
        guard let url = parts.url else { throw NoURL() }
        self.url = url
    }

    deinit {
        try? TestServer.execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
        try? TestServer.execute("DROP ROLE IF EXISTS \(name)")
    }

    /// True if the program `psql` is installed.
    static let hasPsql: Bool = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/psql") }

    /// Returns lines of an article with the names of this database.
    func code(_ lines: [String]) -> String {
        lines.joined(separator: "\n")
            .replacingOccurrences(
                of: "postgresql://[^ ]*/\(Self.shownName)", with: url.absoluteString, options: .regularExpression
            )
            .replacingOccurrences(of: "\\b\(Self.shownName)\\b", with: name, options: .regularExpression)
            .replacingOccurrences(of: "PASSWORD '…'", with: "PASSWORD '\(name)'")
    }

    /// Returns an output with the article's names.
    func shown(_ output: String) -> String { output.replacingOccurrences(of: name, with: Self.shownName) }

    /// Runs a script with `psql`.
    ///
    /// - Parameter asOwner: True for the user that owns the server.
    func run(_ script: String, asOwner: Bool) throws -> ProgramResult {
        try ProgramResult.of(
            ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", (asOwner ? server : url).absoluteString],
            input: script)
    }
}
#endif
