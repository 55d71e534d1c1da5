import MagicalRecord

#if PostgreSQL
import PostgreSQLTestSupport
#endif

/// Places of stores that the tests do not clean up: SQLite files, or schemas of the server where `COREDATA_TEST_STORE` is
/// `postgreSQL`.
enum ScratchStores {
    static func new(_ name: String) throws -> MagicalRecord.Store {
        #if PostgreSQL
        if ProcessInfo.processInfo.environment["COREDATA_TEST_STORE"] == "postgreSQL" {
            return try .postgreSQL(at: ScratchSchemas.make())
        }
        #endif
        return oneWriter(name)
    }

    /// A SQLite file, for tests of saves that take turns: those of a server's stores run side by side, and
    /// `SavingSideBySideTests` and `ServerUpsertTests` say what holds there.
    static func oneWriter(_ name: String = "AddressBook.sqlite") -> MagicalRecord.Store { sqlite(name) }

    /// A SQLite file, for tests that expect SQLite's SQL or its comparisons with nil.
    static func sqlite(_ name: String = "AddressBook.sqlite") -> MagicalRecord.Store {
        .sqlite(at: ScratchFiles.new(name))
    }
}
