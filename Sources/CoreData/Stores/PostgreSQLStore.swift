#if PostgreSQL
import CoreDataPostgreSQLStorage
import CoreDataRowStorage

/// The store of type ``CoreDataPostgreSQLStoreType``.
final class PostgreSQLStore: EngineBackedStore<PostgreSQLDriver>, @unchecked Sendable {
    override var checksAnswers: Bool { false }
}
#endif
