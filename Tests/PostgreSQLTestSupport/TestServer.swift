#if PostgreSQL
import CoreDataPostgreSQLStorage
import Foundation

/// The server that `MAGICALRECORD_TEST_POSTGRESQL` names, by the URL of a database whose user may create roles. Each store of
/// the tests has a role and a schema of its own there, which is the first of the role's search path.
package enum TestServer {
    /// nil if the tests are to run without a server.
    package static let url: URL? = ProcessInfo.processInfo.environment["MAGICALRECORD_TEST_POSTGRESQL"]
        .flatMap { $0.isEmpty ? nil : URL(string: $0) }

    package static var isAvailable: Bool { url != nil }

    /// True if there is a server, and no pooler before it: the process that a connection belongs to is the server's.
    package static let isDirect: Bool = {
        guard isAvailable, let pool = try? pool.get() else { return false }
        var isSame = false
        try? pool.withConnection(until: Deadline(after: 60)) { connection in
            let query = "SELECT (pg_backend_pid() = \(connection.serverProcess))::integer::text"
            try connection.run([
                PipelineRequest(ServerStatement(query, isPrepared: false)) { isSame = $0.text(0, 0) == "1" }
            ])
        }
        return isSame
    }()

    struct Unavailable: Error {}

    private static let pool: Result<ConnectionPool, any Error> = Result {
        guard let url else { throw Unavailable() }
        return ConnectionPool(try ConnectionSettings(url), size: 2)
    }

    /// Runs statements as the user that owns the database.
    package static func execute(_ statements: String...) throws { try execute(statements) }

    package static func execute(_ statements: [String]) throws {
        try pool.get().withConnection(until: Deadline(after: 60)) { connection in
            try connection.run(statements.map { PipelineRequest(ServerStatement($0, isPrepared: false)) })
        }
    }

    /// Runs one request as that user.
    package static func run(_ request: PipelineRequest) throws {
        try pool.get().withConnection(until: Deadline(after: 60)) { try $0.run([request], until: Deadline(after: 60)) }
    }

    /// Makes an empty schema, and returns the URL of its role.
    package static func makeSchema() throws -> URL {
        guard let url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { throw Unavailable() }
        let name = "t" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "")
        try execute("CREATE ROLE \(name) LOGIN PASSWORD '\(name)'", "CREATE SCHEMA \(name) AUTHORIZATION \(name)")
        parts.user = name
        parts.password = name
        guard let made = parts.url else { throw Unavailable() }
        return made
    }

    /// Removes a schema that ``makeSchema()`` made, with its role.
    package static func removeSchema(_ url: URL) {
        guard let name = url.user, name.hasPrefix("t") else { return }
        try? execute("DROP SCHEMA IF EXISTS \(name) CASCADE", "DROP ROLE IF EXISTS \(name)")
    }
}
#endif
