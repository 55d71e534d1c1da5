import Foundation
import ModelFormat

/// A kind of store: how its stores are found, made and opened, and looked after while they are not open.
///
/// CoreData makes a store class of it, `EngineBackedStore`, under which programs register it; the object graph uses the
/// ``StoreEngine`` that it opens. Functions may be called from any thread; errors are `NSError`s of the Cocoa domain with Core
/// Data's codes.
package protocol StoreDriver: Sendable {
    /// A store that was found at its place and is not used yet, with what was read of it: a connection, the metadata.
    associatedtype Found
    associatedtype Engine: StoreEngine

    /// The type of the stores in the coordinator's functions and in their metadata.
    static var storeType: String { get }
    /// The schemes, in small letters, of the URLs that name stores of this kind; none for files.
    static var urlSchemes: [String] { get }
    /// The abilities of all engines of this kind.
    static var abilities: StoreAbilities { get }
    /// The names of the options that stores of this kind know besides those of all stores; nil where any is taken, as Apple's
    /// stores do.
    static var optionNames: [String]? { get }

    // MARK: Opening

    /// Finds the store at a place, for reading and, unless its options say otherwise, for writing; nil where there is none.
    static func find(_ place: StorePlace) throws -> Found?
    /// Makes an empty store of a model where there is none, or finds the one that another process has made meanwhile.
    static func make(_ place: StorePlace, for model: any StoredModel, _ layouts: ModelLayouts) throws -> Found
    /// Looks again at a store that was found, which others or a migration may have changed; nil where it is gone.
    static func refresh(_ found: Found, at place: StorePlace) throws -> Found?
    /// The metadata of a store as it was found.
    static func metadata(of found: Found) -> FoundMetadata
    /// Reads the archive of the model that a store keeps of itself; nil where it keeps none.
    static func modelArchive(of found: Found) throws -> Data?
    /// Opens a store that was found to be of the model, for use.
    static func open(_ found: Found, for opening: EngineOpening) throws -> Engine
    /// Gives back files, connections and memory. Reads that are still under way may finish; what is asked of the engine
    /// afterwards is an error.
    static func close(_ engine: Engine)
    /// Begins to look out for what others write: other processes, and other engines of this one. nil from kinds without
    /// ``StoreAbilities/remoteChanges``.
    ///
    /// - Parameter onChange: Called on a queue of the watch's own.
    static func watch(_ engine: Engine, _ onChange: @escaping @Sendable () -> Void) throws -> (any StoreWatch)?

    // MARK: Stores that are not open

    /// Tells whether there is anything at a place, be it an empty store.
    static func isOccupied(_ place: StorePlace) -> Bool
    /// Tells whether there is a store without rows or model at a place, as destroying one may leave it.
    static func isEmpty(_ place: StorePlace) -> Bool
    static func readMetadata(at place: StorePlace) throws -> [String: Any]
    static func writeMetadata(_ metadata: [String: Any], at place: StorePlace) throws
    /// Tells whether metadata are those that destroying a store leaves.
    static func areOfDestroyedStore(_ metadata: [String: Any]) -> Bool
    /// Destroys the store at a place; a missing one is no error.
    static func destroy(_ place: StorePlace) throws
    /// Makes the destination a copy of the source, which may be in use.
    static func copy(_ source: StorePlace, to destination: StorePlace) throws
    /// Takes away what an attempt to make a store has left, as far as that is possible.
    ///
    /// - Parameter keepsPlace: True where something was at the place before, which others may have open: it stays there, empty.
    static func discard(_ place: StorePlace, keepsPlace: Bool)
    /// Takes away what a process that was killed has left beside a store that is to be opened for writing.
    static func removeLeftovers(of place: StorePlace)

    // MARK: Migration

    /// Begins to replace a store.
    static func replacement(of place: StorePlace) throws -> any StoreReplacement
    /// Checks that a migration which makes a copy will find room for it.
    ///
    /// - Parameter factor: How many times the size of the store is needed besides.
    static func requireSpace(at place: StorePlace, factor: Int64) throws
    /// Checks that the rows of a store fit another version of its model, before anything is written.
    ///
    /// - Throws: 134110 naming entity, property and objects.
    static func checkRows(of found: Found, _ layouts: LayoutCorrespondence) throws
    /// Tells whether the engine carries out a migration by itself; else objects are copied one by one into another store.
    static func canMigrate(_ request: EngineMigrationRequest) -> Bool
    /// Migrates a store in its place, which others must not be writing. What was found is of no use for anything but
    /// ``refresh(_:at:)`` afterwards.
    ///
    /// - Parameter monitor: Is told of the progress, and asked whether to go on.
    /// - Throws: 134111 when rows break a constraint that is new; 134110 for rows of an entity that has become abstract, and for
    ///   values that do not fit the new type of their attribute; the error of a cancellation; the engine's errors. The store is
    ///   then as it was.
    static func migrate(_ found: Found, _ request: EngineMigrationRequest, _ monitor: (any MigrationMonitor)?) throws
    /// Names in the log what copying the objects of a store leaves out.
    static func noteWhatIsLeftOut(of found: Found)
}

/// The metadata of a store that was found.
package struct FoundMetadata {
    /// The store's UUID.
    package let identifier: String
    /// The version hashes by themselves, where the store has them so; nil where they stand among the values.
    package let versionHashes: EntityHashes?
    /// Makes all of the metadata. Called once at most, on any thread, and not to touch the store.
    package let values: () -> [String: Any]

    package init(identifier: String, versionHashes: EntityHashes? = nil, values: @escaping () -> [String: Any]) {
        self.identifier = identifier
        self.versionHashes = versionHashes
        self.values = values
    }
}

/// The use that a store is opened for.
package struct EngineOpening {
    package let layouts: ModelLayouts
    /// The model the layouts are of; kept alive by the engine.
    package let model: (any StoredModel)?
    /// Numbers of the entities the store is used for.
    package let required: Set<Int>
    /// The store's UUID.
    package let identifier: String
    package let options: StoreOptions
    /// Makes what stands for a row in predicates, and equals the graph's object of it there.
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

/// A look-out for changes of a store by others.
package protocol StoreWatch: AnyObject, Sendable {
    /// This store begins to write: what it changes is not to be taken for a change by others.
    func beginOwnWrite()
    /// This store has written. When that succeeded, its listeners are told by itself.
    func endOwnWrite(succeeded: Bool)
    func stop()
}

/// For kinds without files, and without migrations of their own.
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
    package static func noteWhatIsLeftOut(of found: Found) {}
}
