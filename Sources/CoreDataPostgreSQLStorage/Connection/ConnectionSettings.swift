#if PostgreSQL
import CCoreDataPostgreSQL
import Foundation

/// The parameters of connections to one database, from a URL `postgresql://…`, libpq's environment and service files.
package struct ConnectionSettings: Sendable, Hashable {
    /// The URL as it was given. Contains credentials: never printed.
    private let text: String
    /// Host, port and database for messages, without credentials.
    package let place: String
    /// Seconds until a connection is given up.
    package var connectTimeout = 10.0
    /// True if statements are prepared by name.
    package var preparesStatements = true

    package init(_ url: URL) throws {
        text = url.absoluteString
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &message) else {
            let reason = message.map { String(cString: $0).trimmedLines } ?? "it cannot be parsed"
            PQfreemem(message)
            // The reason may quote a part of the URL, but no value of a password.
            throw PostgreSQLError(state: "08001", message: "The URL is not valid: \(reason)")
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        let environment = ProcessInfo.processInfo.environment
        let host = values["host"] ?? values["hostaddr"] ?? environment["PGHOST"] ?? "the local server"
        let port = values["port"] ?? environment["PGPORT"] ?? "5432"
        let name = values["dbname"] ?? environment["PGDATABASE"] ?? values["service"] ?? "the default database"
        place = "\(name) on \(host), port \(port)"
    }

    /// Keywords and values for `PQconnectStartParams`; the URL stands for `dbname`, as `expand_dbname` allows.
    var parameters: [(String, String)] {
        [
            ("dbname", text), ("client_encoding", "UTF8"), ("fallback_application_name", "MagicalRecord"),
            ("keepalives", "1"), ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
        ]
    }
}
#endif
