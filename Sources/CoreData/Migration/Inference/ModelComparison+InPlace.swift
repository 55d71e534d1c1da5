import CoreDataRowStorage
import CoreDataSQLiteStorage

extension ModelComparison {
    /// The migration that SQLite carries out by itself; nil where the versions differ in more than SQL can say.
    ///
    /// - Parameter leadsBack: whether the destination is known to come before the source.
    func inPlaceMigration(leadsBack: Bool) -> InPlaceMigration? {
        let source = source
        return InPlaceMigration(
            layouts,
            from: { metadata in
                source.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
                    || source.configurations.contains {
                        source.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata)
                    }
            }, to: destination, leadsBack ? .back : direction)
    }
}

extension NSMigrationManager: MigrationMonitor {
    package final var isCancelled: Bool { state.withLock { $0.cancellation } != nil }
}
