#if PostgreSQL
import CCoreDataPostgreSQL
import Foundation

/// The parameters of connections to one database, from a URL `postgresql://…`, libpq's environment and service files.
package struct ConnectionSettings: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The URL as it was given. Contains credentials: never printed.
    private let text: String
    /// Host, port and database for messages, without credentials.
    package let place: String
    /// Seconds until a connection is given up.
    package var connectTimeout = 10.0
    /// The seconds that each of several hosts has to answer; nil for an equal share of ``connectTimeout``.
    package private(set) var hostTimeout: Double?
    /// True if statements are prepared by name.
    package var preparesStatements = true

    /// - Throws: 08001 without a part of the URL, which may be one of a password that is not encoded.
    package init(_ url: URL) throws {
        text = url.absoluteString
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &message) else {
            PQfreemem(message)
            throw Self.invalid
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
        // Characters of a password that are not encoded move a part of it into the host or the port.
        let path = text.prefix { $0 != "?" }.split(separator: "/", maxSplits: 2).dropFirst(2).first ?? ""
        let isMoved = host.split(separator: ",").contains { !$0.hasPrefix("/") && $0.dropFirst().contains("@") }
        guard !path.contains("@"), !isMoved,
            port.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ",") })
        else { throw Self.invalid }
        let name = values["dbname"] ?? environment["PGDATABASE"] ?? values["service"] ?? "the default database"
        place = "\(name) on \(host), port \(port)"
        let seconds = (values["connect_timeout"] ?? environment["PGCONNECT_TIMEOUT"]).flatMap(Double.init)
        if let seconds, seconds > 0 {
            // For each host, as in libpq.
            hostTimeout = seconds
            connectTimeout = seconds * Double(host.split(separator: ",").count)
        }
    }

    private static var invalid: PostgreSQLError {
        PostgreSQLError(
            state: "08001",
            message: "the URL is not valid: characters of user and password other than letters and digits are to be "
                + "percent-encoded, and the port is a number")
    }

    /// Keywords and values for `PQconnectStartParams`; the URL stands for `dbname`, as `expand_dbname` allows, and has
    /// precedence over what comes before it.
    var parameters: [(String, String)] {
        [
            ("keepalives", "1"), ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "60000"), ("fallback_application_name", "MagicalRecord"), ("dbname", text),
            ("client_encoding", "UTF8"),
        ]
    }

    package var description: String { place }
    package var customMirror: Mirror { Mirror(self, children: ["place": place]) }
}
#endif
