import Foundation

/// One stage of a staged migration. Abstract: use its subclasses.
open class NSMigrationStage: NSObject, @unchecked Sendable {
    private var storedLabel: String?

    /// A name for logs; the class's name by default, and again after setting nil.
    open var label: String! {
        get { storedLabel ?? String(describing: type(of: self)) }
        set { storedLabel = newValue }
    }

    public override init() {
        super.init()
    }
}

/// A sequence of model versions connected by lightweight migrations.
open class NSLightweightMigrationStage: NSMigrationStage, @unchecked Sendable {
    /// The version checksums, oldest first.
    open internal(set) var versionChecksums: [String]

    private init(versionChecksums: [String]) {
        self.versionChecksums = versionChecksums
        super.init()
    }

    /// Creates a stage of the versions with these checksums (`NSManagedObjectModel.versionChecksum`), oldest first.
    public convenience init(_ checksums: [String]) {
        self.init(versionChecksums: checksums)
    }

    open override var description: String {
        "<NSLightweightMigrationStage> \(label ?? "") \(versionChecksums.joined(separator: ", "))"
    }

    /// Creates a stage without versions.
    public convenience override init() { self.init([]) }
}

/// A lightweight migration with code before and after it.
open class NSCustomMigrationStage: NSMigrationStage, @unchecked Sendable {
    /// The model before the stage.
    open internal(set) var currentModel: NSManagedObjectModelReference
    /// The model after the stage.
    open internal(set) var nextModel: NSManagedObjectModelReference

    /// A closure called before the migration; the manager's container has the store with the current model. An error that it
    /// throws ends the migration.
    open var willMigrateHandler:
        ((_ migrationManager: NSStagedMigrationManager, _ migrationStage: NSCustomMigrationStage) throws -> Void)?
    /// A closure called after the migration; the manager's container has the store with the next model. An error that it throws
    /// ends the migration.
    open var didMigrateHandler:
        ((_ migrationManager: NSStagedMigrationManager, _ migrationStage: NSCustomMigrationStage) throws -> Void)?

    private init(current: NSManagedObjectModelReference, next: NSManagedObjectModelReference) {
        currentModel = current
        nextModel = next
        super.init()
    }

    /// Creates a stage from one version to the next.
    public convenience init(
        migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference
    ) {
        self.init(current: currentModel, next: nextModel)
    }

    open override var description: String {
        "<NSCustomMigrationStage> \(label ?? "") \(currentModel.versionChecksum) to \(nextModel.versionChecksum)"
    }

    /// Creates a stage between references to empty models.
    public convenience override init() {
        self.init(migratingFrom: NSManagedObjectModelReference(), to: NSManagedObjectModelReference())
    }
}
