import Foundation

/// Migrates a store through several versions of its model, with custom code in between.
///
/// Set it in the store's options under `NSPersistentStoreStagedMigrationManagerOptionKey`. The stages together must be a
/// sequence of versions that ends with the coordinator's model.
///
/// Off Apple's platforms the stages migrate a copy, which replaces the store when the last stage is done: a migration that
/// fails or is killed leaves the store unchanged.
open class NSStagedMigrationManager: NSObject, @unchecked Sendable {
    /// The stages, oldest first.
    open internal(set) var stages: [NSMigrationStage]

    /// A container with the store being migrated, while a handler of a custom stage runs; otherwise nil.
    open internal(set) var container: NSPersistentContainer?

    private init(stages: [NSMigrationStage]) {
        self.stages = stages
        super.init()
    }

    /// Creates a manager with these stages, oldest first.
    public convenience init(_ stages: [NSMigrationStage]) {
        self.init(stages: stages)
    }

    /// Creates a manager without stages.
    public convenience override init() { self.init([]) }
}
