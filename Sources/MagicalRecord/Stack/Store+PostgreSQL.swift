#if !canImport(Darwin)
import CoreData

extension MagicalRecord.Store {
    /// Returns a store in a PostgreSQL database, for a URL in libpq's form: `postgresql://user@host:port/database`.
    ///
    /// ```swift
    /// try MagicalRecord.setUp(.postgreSQL("postgresql:///addressbook"), shape: .server)
    /// ```
    ///
    /// The parts that the URL lacks come from libpq's environment, service and password files. The tables are in the
    /// first schema of the user's search path. Stacks of servers have the shape ``MagicalRecord/Shape/server``: their saves
    /// run side by side. In shapes with parent contexts, saves without conflict handling take turns.
    ///
    /// The program must be built with the package's trait `PostgreSQL`; otherwise setting up the stack fails with an error that
    /// says so.
    ///
    /// - Throws: ``MagicalRecordError/Code/invalidArgument`` for a text that is no such URL. The error does not repeat the text,
    ///   which may contain a password.
    public static func postgreSQL(
        _ text: String, configuration: String? = nil, options: [String: Any] = [:]
    ) throws -> Self {
        guard let url = URL(string: text) else {
            throw MagicalRecordError(
                .invalidArgument, "The text given to postgreSQL(_:) is no URL.",
                advice: "Percent-encode special characters of user and password, and write several hosts as "
                    + "parameters: postgresql:///database?host=a,b&port=5432,5433.")
        }
        return try postgreSQL(at: url, configuration: configuration, options: options)
    }

    /// Returns a store in a PostgreSQL database, as ``postgreSQL(_:configuration:options:)``.
    public static func postgreSQL(
        at url: URL, configuration: String? = nil, options: [String: Any] = [:]
    ) throws -> Self {
        guard ["postgresql", "postgres"].contains(url.scheme?.lowercased()) else {
            throw MagicalRecordError(
                .invalidArgument, "The URL given to postgreSQL(_:) has the scheme \"\(url.scheme ?? "")\".",
                advice: "Begin it with postgresql://, as in postgresql:///addressbook.")
        }
        return Self(
            type: CoreDataPostgreSQLStoreType, location: .url(url), configuration: configuration, options: options)
    }
}
#endif
