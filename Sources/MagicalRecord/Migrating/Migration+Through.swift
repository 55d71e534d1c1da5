import CoreData

extension MagicalRecord.Migration {
    /// Returns a policy that migrates a store from any of these versions to the stack's, by the shortest chain of steps, as
    /// ``MagicalRecord/migrate(_:through:mappings:in:progress:)`` does, and reports progress.
    ///
    /// ```swift
    /// let versions = try MagicalRecord.ModelVersions(named: "Tasks", in: .module)
    /// try await MagicalRecord.setUpInBackground(
    ///     .sqlite(named: "Tasks"),
    ///     migration: .through(versions) { progress in
    ///         show(progress.fraction)
    ///         if userHasEnough { progress.cancel() }
    ///     },
    ///     model: .named("Tasks", in: .module))
    /// ```
    /// Set-up with a cancelled migration throws ``MagicalRecordError/Code/cancelled``; the store is left unchanged. The
    /// versions must include the stack's. `progress` is called on the thread of the set-up when a step begins and ends, and on
    /// another thread during a step; not for a store that is up to date or does not exist.
    public static func through(
        _ versions: MagicalRecord.ModelVersions, mappings: [NSMappingModel] = [], in bundles: [Bundle] = [.main],
        progress: (@Sendable (MagicalRecord.MigrationProgress) -> Void)? = nil
    ) -> MagicalRecord.Migration {
        var migration = MagicalRecord.Migration.automatic
        // Both are only read, on the thread that runs the set-up.
        let (mappings, bundles) = (Unchecked(mappings), Unchecked(bundles))
        migration.preparation = Preparation(through: versions) { store, model in
            guard let url = store.url, url.path != "/dev/null",
                NSPersistentStoreCoordinator.isStoreThere(at: url, type: store.type, options: store.options)
            else { return }
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: store.type, at: url, options: store.options)
            if model.isConfiguration(withName: store.configuration, compatibleWithStoreMetadata: metadata) { return }
            guard let end = versions.index(of: model) else {
                throw MagicalRecordError(
                    .modelNotFound, "The stack's model is none of the \(versions.models.count) versions.",
                    advice: "Give all versions of the model to .through(_:), the present one too.")
            }
            _ = try ProgressiveMigration(store, versions, mappings.value, bundles.value, to: end, progress)?
                .run(replacing: true)
        }
        return migration
    }
}
