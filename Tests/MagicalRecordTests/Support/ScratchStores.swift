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

    /// A store whose saves take turns, which is always a SQLite file: those of a server's stores run side by side, and
    /// `SavingSideBySideTests` and `ServerUpsertTests` say what holds there.
    static func oneWriter(_ name: String = "AddressBook.sqlite") -> MagicalRecord.Store {
        .sqlite(at: ScratchFiles.new(name))
    }
}
