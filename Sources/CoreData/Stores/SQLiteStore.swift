import CoreDataRowStorage
import CoreDataSQLiteStorage

/// The store of type `NSSQLiteStoreType`.
final class SQLiteStore: EngineBackedStore<SQLiteDriver>, @unchecked Sendable {
    // Here the class is known, and the conformance need not be searched.
    override var rowStore: (any RowStore)? { self }

    override var checksAnswers: Bool { false }
}
