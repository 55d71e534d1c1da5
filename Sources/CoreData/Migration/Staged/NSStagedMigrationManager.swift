import Foundation

/// Leads a store through several versions of its model, with code in between.
///
/// Put it into the store's options under `NSPersistentStoreStagedMigrationManagerOptionKey`. The stages together must be a
/// sequence of versions that ends with the coordinator's model.
///
/// Off Apple's platforms the stages work on a copy of the store, which takes the store's place when the last one is done: a
/// migration that fails or is killed leaves the store as it was.
open class NSStagedMigrationManager: NSObject, @unchecked Sendable {
    /// The stages, oldest first.
    open internal(set) var stages: [NSMigrationStage]

    /// While a handler of a custom stage runs: a container whose store is the one being migrated.
    open internal(set) var container: NSPersistentContainer?

    private init(stages: [NSMigrationStage]) {
        self.stages = stages
        super.init()
    }

    /// A manager of these stages, oldest first.
    public convenience init(_ stages: [NSMigrationStage]) {
        self.init(stages: stages)
    }

    /// A manager without stages.
    public convenience override init() { self.init([]) }
}
