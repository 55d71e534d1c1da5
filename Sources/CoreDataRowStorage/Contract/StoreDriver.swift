import Foundation
import ModelFormat

/// A type of store: finds, creates and opens its stores, and manages stores that are not open.
///
/// CoreData wraps it in a store class, `EngineBackedStore`, under which programs register it; the object graph uses the
/// ``StoreEngine`` that it opens. Functions may be called from any thread; errors are `NSError`s of the Cocoa domain with
/// Core Data's codes.
package protocol StoreDriver: Sendable {
    /// A store that was found and is not open yet, with the state read from it: a connection, the metadata.
    associatedtype Found
    associatedtype Engine: StoreEngine

    /// The store type in the coordinator's functions and in metadata.
    static var storeType: String { get }
    /// The lower-case URL schemes of stores of this type; none for files.
    static var urlSchemes: [String] { get }
    /// The abilities of all engines of this type.
    static var abilities: StoreAbilities { get }
    /// The names of the options of this type besides those of all stores; nil if any option is accepted, as by Apple's
    /// stores.
    static var optionNames: [String]? { get }

    // MARK: Opening

    /// Finds the store at a place, for reading and, unless its options are read-only, for writing; returns nil if there is
    /// none.
    static func find(_ place: StorePlace) throws -> Found?
    /// Creates an empty store of a model if there is none, or finds the one that another process has created meanwhile.
    static func make(_ place: StorePlace, for model: any StoredModel, _ layouts: ModelLayouts) throws -> Found
    /// Reads a found store again, which another process or a migration may have changed; returns nil if it is gone.
    static func refresh(_ found: Found, at place: StorePlace) throws -> Found?
    /// Returns the metadata of a store as it was found.
    static func metadata(of found: Found) -> FoundMetadata
    /// Reads the archive of the model that a store contains; returns nil if it contains none.
    static func modelArchive(of found: Found) throws -> Data?
    /// Opens a found store that is compatible with the model.
    static func open(_ found: Found, for opening: EngineOpening) throws -> Engine
    /// Releases files, connections and memory. Reads in progress may finish; later calls of the engine throw.
    static func close(_ engine: Engine)
    /// Starts watching for commits by other processes, and by other engines of this process. Returns nil for types without
    /// ``StoreAbilities/remoteChanges``.
    ///
    /// - Parameter onChange: Called on the watch's private queue.
    static func watch(_ engine: Engine, _ onChange: @escaping @Sendable () -> Void) throws -> (any StoreWatch)?

    // MARK: Closed stores

    /// Returns true if there is anything at a place, even an empty store.
    static func isOccupied(_ place: StorePlace) -> Bool
    /// Returns true if there is a store without rows and without model at a place, as destroying one may leave it.
    static func isEmpty(_ place: StorePlace) -> Bool
    static func readMetadata(at place: StorePlace) throws -> [String: Any]
    static func writeMetadata(_ metadata: [String: Any], at place: StorePlace) throws
    /// Returns true if metadata are those of a destroyed store.
    static func areOfDestroyedStore(_ metadata: [String: Any]) -> Bool
    /// Destroys the store at a place; does nothing if there is none.
    static func destroy(_ place: StorePlace) throws
    /// Replaces the destination with a copy of the source, which may be in use.
    static func copy(_ source: StorePlace, to destination: StorePlace) throws
    /// Removes the remains of a failed attempt to create a store, as far as possible.
    ///
    /// - Parameter keepsPlace: True if the place was occupied before: others may have it open, so it remains, empty.
    static func discard(_ place: StorePlace, keepsPlace: Bool)
    /// Removes files that a killed process has left beside a store which is about to be opened for writing.
    static func removeLeftovers(of place: StorePlace)

    // MARK: Migration

    /// Begins the replacement of a store.
    static func replacement(of place: StorePlace) throws -> any StoreReplacement
    /// Returns the place at which a migration object by object reads the source while it writes the destination, which does not
    /// exist yet. The driver may make room for the destination.
    static func migrationSource(_ source: StorePlace, for destination: StorePlace) throws -> StorePlace
    /// Checks that there is space for the copy that a migration creates.
    ///
    /// - Parameter factor: The required space as a multiple of the store's size.
    static func requireSpace(at place: StorePlace, factor: Int64) throws
    /// Checks that the rows of a store are compatible with another version of its model, before anything is written.
    ///
    /// - Throws: 134110 naming entity, property and objects.
    static func checkRows(of found: Found, _ layouts: LayoutCorrespondence) throws
    /// Returns true if the engine can perform a migration itself; else objects are copied one by one into another store.
    static func canMigrate(_ request: EngineMigrationRequest) -> Bool
    /// Migrates a store in place. No other process may be writing to it. Afterwards, `found` is only valid for
    /// ``refresh(_:at:)``.
    ///
    /// - Parameter monitor: Receives the progress, and may cancel the migration.
    /// - Throws: 134111 if rows violate a new constraint; 134110 for rows of an entity that has become abstract, and for
    ///   values that do not fit the new type of their attribute; the error of a cancellation; the engine's errors. The store
    ///   is then unchanged.
    static func migrate(_ found: Found, _ request: EngineMigrationRequest, _ monitor: (any MigrationMonitor)?) throws
    /// Logs the content of a store that copying its objects omits.
    static func noteWhatIsLeftOut(of found: Found)
}

/// The metadata of a found store.
package struct FoundMetadata {
    /// The store's UUID.
    package let identifier: String
    /// The version hashes, if the store has them separately; nil if they are among the values.
    package let versionHashes: EntityHashes?
    /// Decodes all metadata. Called at most once, on any thread; must not access the store.
    package let values: () -> [String: Any]

    package init(identifier: String, versionHashes: EntityHashes? = nil, values: @escaping () -> [String: Any]) {
        self.identifier = identifier
        self.versionHashes = versionHashes
        self.values = values
    }
}

/// The parameters with which a store is opened.
package struct EngineOpening {
    package let layouts: ModelLayouts
    /// The model of the layouts; retained by the engine.
    package let model: (any StoredModel)?
    /// The numbers of the entities that the store is used for.
    package let required: Set<Int>
    /// The store's UUID.
    package let identifier: String
    package let options: StoreOptions
    /// Creates the object that represents a row in predicates, and equals the graph's object there.
    package let objectID: (RowReference) -> NSObject

    package init(
        layouts: ModelLayouts, model: (any StoredModel)?, required: Set<Int>, identifier: String,
        options: StoreOptions = StoreOptions(nil), objectID: @escaping (RowReference) -> NSObject
    ) {
        self.layouts = layouts
        self.model = model
        self.required = required
        self.identifier = identifier
        self.options = options
        self.objectID = objectID
    }
}

/// A watch for changes to a store by others.
package protocol StoreWatch: AnyObject, Sendable {
    /// Marks the beginning of a write by this store, which must not be reported as a change by others.
    func beginOwnWrite()
    /// Marks the end of a write by this store. If it succeeded, the store notifies its listeners itself.
    func endOwnWrite(succeeded: Bool)
    func stop()
}

/// Defaults for types without files and without migrations.
extension StoreDriver {
    package static var urlSchemes: [String] { [] }
    package static var optionNames: [String]? { [] }

    package static func watch(
        _ engine: Engine, _ onChange: @escaping @Sendable () -> Void
    ) throws -> (any StoreWatch)? { nil }

    package static func isEmpty(_ place: StorePlace) -> Bool { false }
    package static func areOfDestroyedStore(_ metadata: [String: Any]) -> Bool { false }
    package static func discard(_ place: StorePlace, keepsPlace: Bool) { try? destroy(place) }
    package static func removeLeftovers(of place: StorePlace) {}
    package static func requireSpace(at place: StorePlace, factor: Int64) throws {}
    package static func checkRows(of found: Found, _ layouts: LayoutCorrespondence) throws {}
    package static func canMigrate(_ request: EngineMigrationRequest) -> Bool { false }
    package static func migrate(
        _ found: Found, _ request: EngineMigrationRequest, _ monitor: (any MigrationMonitor)?
    ) throws {
        throw StoreErrors.unsupported("migrations of its own")
    }
    package static func migrationSource(_ source: StorePlace, for destination: StorePlace) throws -> StorePlace {
        source
    }
    package static func noteWhatIsLeftOut(of found: Found) {}
}
