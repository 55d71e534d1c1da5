import CoreDataRowStorage
import CoreDataSQLiteStorage

/// The store of type `NSSQLiteStoreType`.
final class SQLiteStore: EngineBackedStore<SQLiteDriver>, @unchecked Sendable {
    // Returns the store directly: a dynamic cast would search for the conformance.
    override var rowStore: (any RowStore)? { self }

    override var checksAnswers: Bool { false }
}
