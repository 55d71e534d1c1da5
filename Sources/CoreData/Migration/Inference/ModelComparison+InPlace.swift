import CoreDataRowStorage

extension ModelComparison {
    /// Returns the migration as a request to the store's engine.
    ///
    /// - Parameter leadsBack: whether the destination is known to be an older version than the source.
    func engineRequest(leadsBack: Bool) -> EngineMigrationRequest {
        let source = source
        return EngineMigrationRequest(
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
