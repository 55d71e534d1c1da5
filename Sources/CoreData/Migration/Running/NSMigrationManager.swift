import CoreDataRuntimeSupport
import Foundation
import PredicateFormat

/// Makes a store of one version of a model from a store of another, by a mapping model.
///
/// ```swift
/// let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
/// try manager.migrateStore(
///     from: url, type: .sqlite, mapping: mapping, to: newURL, type: .sqlite)
/// ```
/// The source is opened for reading only and stays as it is. All objects of both stores that mappings touch are held in
/// memory while the migration runs, unless the mapping was inferred and both stores are SQLite databases.
///
/// Thread rule: one migration at a time; ``migrationProgress`` and ``cancelMigrationWithError(_:)`` from any thread.
open class NSMigrationManager: NSObject, @unchecked Sendable {
    /// The model of the source.
    open internal(set) var sourceModel: NSManagedObjectModel
    /// The model of the destination.
    open internal(set) var destinationModel: NSManagedObjectModel

    /// Whether a store may migrate its data by itself when the mapping was inferred. True unless set; policies are not
    /// called then, and the contexts stay empty.
    open var usesStoreSpecificMigrationManager = true

    /// Anything policies want to share. Survives ``reset()`` as long as the manager.
    open var userInfo: [AnyHashable: Any]? = [:]

    /// Whether the destination is known to come before the source, which its metadata then do not list as a former version.
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

    /// A manager for stores of these models, which cannot be changed afterwards.
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        self.sourceModel = sourceModel
        self.destinationModel = destinationModel
        super.init()
    }

    // MARK: State

    /// The mapping model being carried out. Traps when none has been.
    open var mappingModel: NSMappingModel {
        guard let runningMapping else {
            fatalError("mappingModel is known once a migration has begun. Call migrateStore first.")
        }
        return runningMapping
    }

    /// The entity mapping being carried out. Traps outside a migration.
    open var currentEntityMapping: NSEntityMapping {
        guard let runningEntityMapping else {
            fatalError("currentEntityMapping is known only while a migration runs.")
        }
        return runningEntityMapping
    }

    /// A context of the source, for reading. Without stores outside a migration.
    ///
    /// Its objects are plain `NSManagedObject`s, as those of the destination are: no code of the program's classes runs.
    open var sourceContext: NSManagedObjectContext { pair.source }

    /// A context of the destination. Without stores outside a migration.
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

    /// How much of the migration is done, from 0 to 1. From any thread. (Off Apple there is no key-value observing: ask.)
    open var migrationProgress: Float { state.withLock { $0.progress } }

    package final func setProgress(_ progress: Float) { state.withLock { $0.progress = max($0.progress, progress) } }

    /// Makes the migration that is running end with the error, at the next object. From any thread, or from a policy.
    open func cancelMigrationWithError(_ error: any Error) {
        state.withLock { $0.cancellation = error }
    }

    package final func checkCancellation() throws {
        if let error = state.withLock({ $0.cancellation }) { throw error }
    }

    /// Forgets associations and contexts. Between passes that shall know of each other, do not call it.
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

    /// The source entity of a mapping; nil for one that adds an entity.
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
    }

    /// The destination entity of a mapping; nil for one that removes an entity.
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
    }

    /// Remembers that a destination object was made from a source object by a mapping.
    ///
    /// Policies that override `createDestinationInstances` call this; without it, relationships are not set and do not
    /// find the object.
    open func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        associations.add(sourceInstance, destinationInstance, mapping: entityMapping.name ?? "")
    }

    /// The objects a mapping made, in the order of the source objects they were made from; nil asks for all.
    open func destinationInstances(
        forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        associations.destinations(mapping: mappingName, of: sourceInstances)
    }

    /// The objects from which a mapping made these objects; nil asks for all.
    open func sourceInstances(
        forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        associations.sources(mapping: mappingName, of: destinationInstances)
    }

    /// The objects made of those a source relationship leads to, whatever the mapping.
    ///
    /// Only those of the entity the relationship being set leads to, where that is known.
    final func destinationInstances(ofRelated instances: [NSManagedObject]) -> [NSManagedObject] {
        let related = instances.flatMap { associations.destinations(of: $0) }
        guard let mapping = runningEntityMapping, let property = runningPropertyMapping?.name,
            let target = destinationEntity(for: mapping)?.relationshipsByName[property]?.destinationEntity
        else { return related }
        return related.filter { $0.entity.isKindOf(entity: target) }
    }

    /// A manager of empty models, for code written against Objective-C's `init`.
    public convenience override init() {
        self.init(sourceModel: NSManagedObjectModel(), destinationModel: NSManagedObjectModel())
    }
}
