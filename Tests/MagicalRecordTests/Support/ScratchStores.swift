import MagicalRecord

#if PostgreSQL
import PostgreSQLTestSupport
#endif

/// Places of stores that the tests do not clean up: SQLite files, or schemas of the server where `COREDATA_TEST_STORE` is
/// `postgreSQL`.
enum ScratchStores {
    static func new(_ name: String) throws -> MagicalRecord.Store {
        ProcessInfo.processInfo.environment["COREDATA_TEST_STORE"] == "postgreSQL" ? try server() : oneWriter(name)
    }

    /// True if the tests were built with the trait PostgreSQL and have a server.
    static var hasServer: Bool {
        #if PostgreSQL
        TestServer.isAvailable
        #else
        false
        #endif
    }

    private struct NoServer: Error {}

    /// A schema of the server.
    static func server() throws -> MagicalRecord.Store {
        #if PostgreSQL
        // Tests run at the same time, many with several stacks, and a server has few connections.
        try .postgreSQL(at: ScratchSchemas.make(), options: [NSPersistentStoreConnectionPoolMaxSizeKey: 3])
        #else
        throw NoServer()
        #endif
    }

    /// A SQLite file, for tests of saves that take turns: those of a server's stores run side by side, and
    /// `SavingSideBySideTests` and `ServerUpsertTests` say what holds there.
    static func oneWriter(_ name: String = "AddressBook.sqlite") -> MagicalRecord.Store { sqlite(name) }

    /// A SQLite file, for tests that expect SQLite's SQL or its comparisons with nil.
    static func sqlite(_ name: String = "AddressBook.sqlite") -> MagicalRecord.Store {
        .sqlite(at: ScratchFiles.new(name))
    }
}
