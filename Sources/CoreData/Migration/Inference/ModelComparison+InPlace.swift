import CoreDataRowStorage

extension ModelComparison {
    /// The migration as an engine is asked for it.
    ///
    /// - Parameter leadsBack: whether the destination is known to come before the source.
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
