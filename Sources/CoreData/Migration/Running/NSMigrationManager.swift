import CoreDataRuntimeSupport
import Foundation
import PredicateFormat

/// Migrates a store of one version of a model into a store of another version, by a mapping model.
///
/// ```swift
/// let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
/// try manager.migrateStore(
///     from: url, type: .sqlite, mapping: mapping, to: newURL, type: .sqlite)
/// ```
/// The source is opened read-only and is not changed. All objects of both stores that have mappings are kept in memory during
/// the migration, unless the mapping was inferred and both stores are SQLite databases.
///
/// Thread rule: one migration at a time; ``migrationProgress`` and ``cancelMigrationWithError(_:)`` may be used on any thread.
open class NSMigrationManager: NSObject, @unchecked Sendable {
    /// The model of the source.
    open internal(set) var sourceModel: NSManagedObjectModel
    /// The model of the destination.
    open internal(set) var destinationModel: NSManagedObjectModel

    /// Whether a store may migrate its data without the manager's contexts if the mapping was inferred. True unless set;
    /// policies are not called in this case, and the contexts remain empty.
    open var usesStoreSpecificMigrationManager = true

    /// Arbitrary information shared by policies. Not cleared by ``reset()``.
    open var userInfo: [AnyHashable: Any]? = [:]

    /// Whether the destination is known to be an older version than the source; its metadata then does not list the source as a
    /// former version.
    package final var leadsBack = false

    final var associations = Associations()
    final var savedAssociations: Associations.Saved?
    final var runningMapping: NSMappingModel?
    final var runningEntityMapping: NSEntityMapping?
    final var runningPropertyMapping: NSPropertyMapping?
    final var contexts: (source: NSManagedObjectContext, destination: NSManagedObjectContext)?
    final let state = Locked(State())

    struct State {
        var progress: Float = 0
        var cancellation: (any Error)?
    }

    /// Creates a manager for stores of these models.
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        self.sourceModel = sourceModel
        self.destinationModel = destinationModel
        super.init()
    }

    // MARK: State

    /// The mapping model being performed. Traps before the first migration.
    open var mappingModel: NSMappingModel {
        guard let runningMapping else {
            fatalError("mappingModel is known once a migration has begun. Call migrateStore first.")
        }
        return runningMapping
    }

    /// The entity mapping being performed. Traps outside a migration.
    open var currentEntityMapping: NSEntityMapping {
        guard let runningEntityMapping else {
            fatalError("currentEntityMapping is known only while a migration runs.")
        }
        return runningEntityMapping
    }

    /// A context of the source, for reading. It has no stores outside a migration.
    ///
    /// Its objects are plain `NSManagedObject`s, as are those of the destination: code of the program's classes does not run.
    open var sourceContext: NSManagedObjectContext { pair.source }

    /// A context of the destination. It has no stores outside a migration.
    open var destinationContext: NSManagedObjectContext { pair.destination }

    private final var pair: (source: NSManagedObjectContext, destination: NSManagedObjectContext) {
        if let contexts { return contexts }
        func make(_ model: NSManagedObjectModel) -> NSManagedObjectContext {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            context.undoManager = nil
            context.makesPlainObjects = true
            return context
        }
        let made = (make(sourceModel), make(destinationModel))
        contexts = made
        return made
    }

    /// The migrated fraction, from 0 to 1. May be read on any thread. (Off Apple's platforms there is no key-value observing:
    /// poll it.)
    open var migrationProgress: Float { state.withLock { $0.progress } }

    package final func setProgress(_ progress: Float) { state.withLock { $0.progress = max($0.progress, progress) } }

    /// Ends the running migration with an error, before the next object. May be called on any thread, or by a policy.
    open func cancelMigrationWithError(_ error: any Error) {
        state.withLock { $0.cancellation = error }
    }

    package final func checkCancellation() throws {
        if let error = state.withLock({ $0.cancellation }) { throw error }
    }

    /// Discards associations and contexts. Do not call it between passes that share associations.
    open func reset() {
        associations = Associations()
        savedAssociations = nil
        runningMapping = nil
        runningEntityMapping = nil
        runningPropertyMapping = nil
        contexts = nil
        state.withLock { $0 = State() }
    }

    // MARK: Entities and associations

    /// Returns the source entity of a mapping; nil for one that adds an entity.
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
    }

    /// Returns the destination entity of a mapping; nil for one that removes an entity.
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
    }

    /// Associates a destination object with the source object from which a mapping created it.
    ///
    /// Policies that override `createDestinationInstances` must call this; otherwise the object's relationships are not set,
    /// and relationships to it are not found.
    open func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        associations.add(sourceInstance, destinationInstance, mapping: entityMapping.name ?? "")
    }

    /// Returns the objects that a mapping created, in the order of their source objects; nil means all source objects.
    open func destinationInstances(
        forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        associations.destinations(mapping: mappingName, of: sourceInstances)
    }

    /// Returns the source objects from which a mapping created these objects; nil means all destination objects.
    open func sourceInstances(
        forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        associations.sources(mapping: mappingName, of: destinationInstances)
    }

    /// Returns the destination objects created from related source objects by any mapping.
    ///
    /// If the relationship being set is known, only those of its destination entity.
    final func destinationInstances(ofRelated instances: [NSManagedObject]) -> [NSManagedObject] {
        let related = instances.flatMap { associations.destinations(of: $0) }
        guard let mapping = runningEntityMapping, let property = runningPropertyMapping?.name,
            let target = destinationEntity(for: mapping)?.relationshipsByName[property]?.destinationEntity
        else { return related }
        return related.filter { $0.entity.isKindOf(entity: target) }
    }

    /// Creates a manager with empty models, for code that uses Objective-C's `init`.
    public convenience override init() {
        self.init(sourceModel: NSManagedObjectModel(), destinationModel: NSManagedObjectModel())
    }
}
