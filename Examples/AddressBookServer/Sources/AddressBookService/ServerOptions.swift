import Foundation
import MagicalRecord

/// The command-line options of the server.
public struct ServerOptions: Sendable {
    /// The path of a SQLite store, or the URL of a PostgreSQL database.
    public var store = "AddressBook.sqlite"
    /// The address to listen on; 0.0.0.0 for all.
    public var host = "127.0.0.1"
    /// The TCP port to listen on.
    public var port = 8080
    /// The number of days after which history is purged: clients that follow the changes may be away for that long.
    public var historyDays = 7

    /// The options and their meaning, as text.
    public static let help = """
        usage: AddressBookServer [--store PATH|URL] [--host ADDRESS] [--port N] [--history DAYS]

          --store PATH|URL  a SQLite file, or postgresql://user@host/database; AddressBook.sqlite by default
          --host ADDRESS    the address to listen on; 127.0.0.1 by default, 0.0.0.0 for all
          --port N          8080 by default
          --history DAYS    how long changes are kept for GET /changes; 7 days by default
        """

    /// A wrong command line.
    public struct Invalid: Error, CustomStringConvertible {
        /// The error, as a sentence.
        public let description: String
    }

    /// Parses the arguments.
    ///
    /// - Throws: ``Invalid`` for an option that does not exist, lacks its value or has an impossible one.
    public init(_ arguments: some Sequence<String>) throws {
        var arguments = arguments.makeIterator()
        while let name = arguments.next() {
            guard ["--store", "--host", "--port", "--history"].contains(name) else {
                throw Invalid(description: "There is no option \(name).")
            }
            guard let value = arguments.next() else { throw Invalid(description: "\(name) needs a value.") }
            switch name {
            case "--store": store = value
            case "--host": host = value
            case "--port": port = try Self.number(value, of: name, in: 0...65_535)
            default: historyDays = try Self.number(value, of: name, in: 1...36_500)
            }
        }
    }

    private static func number(_ text: String, of name: String, in range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw Invalid(
                description: "\(name) needs a number from \(range.lowerBound) to \(range.upperBound), not \(text).")
        }
        return number
    }

    /// True if the store is in a PostgreSQL database.
    public var isPostgreSQL: Bool { store.hasPrefix("postgresql:") || store.hasPrefix("postgres:") }

    /// Returns the description of the store.
    ///
    /// - Throws: ``Invalid`` for a PostgreSQL database if the package was built without its trait.
    public func storeDescription() throws -> MagicalRecord.Store {
        guard isPostgreSQL else { return .sqlite(at: URL(fileURLWithPath: store)) }
        #if PostgreSQL
        return try .postgreSQL(store)
        #else
        throw Invalid(
            description: "This build has no PostgreSQL stores. Build the server with --traits PostgreSQL.")
        #endif
    }
}
