import Foundation

/// One part of a staged migration. Use its subclasses.
open class NSMigrationStage: NSObject, @unchecked Sendable {
    private var storedLabel: String?

    /// A name for logs; the class's name unless set, and again after setting nil.
    open var label: String! {
        get { storedLabel ?? String(describing: type(of: self)) }
        set { storedLabel = newValue }
    }

    public override init() {
        super.init()
    }
}

/// Versions of a model that follow each other by lightweight migration.
open class NSLightweightMigrationStage: NSMigrationStage, @unchecked Sendable {
    /// The version checksums, oldest first.
    open internal(set) var versionChecksums: [String]

    private init(versionChecksums: [String]) {
        self.versionChecksums = versionChecksums
        super.init()
    }

    /// A stage of the versions with these checksums (`NSManagedObjectModel.versionChecksum`), oldest first.
    public convenience init(_ checksums: [String]) {
        self.init(versionChecksums: checksums)
    }

    open override var description: String {
        "<NSLightweightMigrationStage> \(label ?? "") \(versionChecksums.joined(separator: ", "))"
    }

    /// A stage without versions.
    public convenience override init() { self.init([]) }
}

/// A lightweight migration with code before and after it.
open class NSCustomMigrationStage: NSMigrationStage, @unchecked Sendable {
    /// The model the stage starts from.
    open internal(set) var currentModel: NSManagedObjectModelReference
    /// The model it leads to.
    open internal(set) var nextModel: NSManagedObjectModelReference

    /// Called before the migration; the manager's container has the store with the current model. Throwing ends the
    /// migration.
    open var willMigrateHandler:
        ((_ migrationManager: NSStagedMigrationManager, _ migrationStage: NSCustomMigrationStage) throws -> Void)?
    /// Called after the migration; the manager's container has the store with the next model. Throwing ends the migration.
    open var didMigrateHandler:
        ((_ migrationManager: NSStagedMigrationManager, _ migrationStage: NSCustomMigrationStage) throws -> Void)?

    private init(current: NSManagedObjectModelReference, next: NSManagedObjectModelReference) {
        currentModel = current
        nextModel = next
        super.init()
    }

    /// A stage from one version to the next.
    public convenience init(
        migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference
    ) {
        self.init(current: currentModel, next: nextModel)
    }

    open override var description: String {
        "<NSCustomMigrationStage> \(label ?? "") \(currentModel.versionChecksum) to \(nextModel.versionChecksum)"
    }

    /// A stage between references to empty models.
    public convenience override init() {
        self.init(migratingFrom: NSManagedObjectModelReference(), to: NSManagedObjectModelReference())
    }
}
