import CoreDataFileStorage
import CoreDataRowStorage
import CoreDataRuntimeSupport
import CoreDataStoreFiles
import Foundation
import ModelFormat
import Synchronization

/// A place where objects are kept: a file, memory, or a back end of your own. The base class of all stores.
///
/// Stores are made and owned by an ``NSPersistentStoreCoordinator``. Subclass ``NSAtomicStore`` or ``NSIncrementalStore``
/// to write your own.
open class NSPersistentStore: NSObject, @unchecked Sendable {
    /// Names a kind of store, as ``NSPersistentStoreCoordinator`` registers it.
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A SQLite database, the default: ``NSSQLiteStoreType``.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// A file read and written as a whole: ``NSBinaryStoreType``.
        public static let binary = StoreType(rawValue: NSBinaryStoreType)
        /// Memory only: ``NSInMemoryStoreType``.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
        /// An XML file read and written as a whole: ``NSXMLStoreType``.
        public static let xml = StoreType(rawValue: NSXMLStoreType)
    }

    private struct State {
        var coordinator: WeakHandle<NSPersistentStoreCoordinator>?
        var url: URL?
        var identifier: String?
        var metadata: [String: Any] = [:]
        /// Makes the metadata, when somebody asks for it.
        var makeMetadata: (() -> [String: Any])?
        var metadataIsUnsaved = false
        var isReadOnly: Bool
    }

    /// How object IDs refer to the store without keeping it alive.
    final let handle = WeakHandle<NSPersistentStore>()
    private let state: Lock = Lock()
    @exclusivity(unchecked) private nonisolated(unsafe) final var guarded: State
    /// What the store was added with. Set while the store is made.
    private final var storedOptions: StoreOptions
    /// The configuration of the model that the store holds; nil for all entities, under whatever name they were requested.
    final let requestedConfiguration: String?
    /// The configuration's name as it was given.
    private final let givenConfigurationName: String?
    /// Advances when sessions that were begun before are of no use any more.
    final var sessionAge: Int { sessionBeginnings.load(ordering: .relaxed) }
    /// Contexts look at it whenever they read, on threads of their own.
    private final let sessionBeginnings = Atomic<Int>(0)
    /// The model of the coordinator, laid out; set before the store is opened.
    package final private(set) var layouts: ModelLayouts?
    /// By entity number, from 1 on. Set once, before any other thread sees the store.
    private final var identities: ContiguousArray<ObjectIdentity> = []

    /// Called by the coordinator; does not touch the file.
    ///
    /// - Parameters:
    ///   - root: The coordinator the store will belong to.
    ///   - name: The configuration whose entities the store holds; nil for all entities.
    ///   - url: Where the store is.
    ///   - options: The options given to the coordinator.
    public init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        storedOptions = StoreOptions(options)
        guarded = State(
            coordinator: root?.handle, url: url, isReadOnly: storedOptions.flag(NSReadOnlyPersistentStoreOption))
        givenConfigurationName = name
        requestedConfiguration =
            root.map { $0.managedObjectModel.usedConfiguration(name) }
            ?? (NSManagedObjectModel.meansAllEntities(name) ? nil : name)
        super.init()
        handle.set(self)
    }

    deinit { handle.clear() }

    /// Makes a store of this class, whatever class that is, by its designated initializer.
    class func make(_ source: _StoreSource) -> NSPersistentStore { construct(source) }

    /// Another name of ``init(_source:)``, as it is called through a class value; see `NSManagedObject.make(_:)`. Stops the
    /// program, as at Apple, for a class that has designated initializers of its own and does not override Apple's.
    @_silgen_name("$s8CoreData17NSPersistentStoreC7_sourceAcA01_D6SourceVh_tcfC")
    private static func construct(_ source: __shared _StoreSource) -> Self

    /// Calls the class's own designated initializer. Called by ``construct(_:)`` alone.
    @usableFromInline convenience init(_source source: __shared _StoreSource) {
        self.init(
            persistentStoreCoordinator: source.coordinator, configurationName: source.configuration, at: source.url,
            options: source.options.values)
    }

    /// A store that belongs to no coordinator, for code written against Objective-C's `init`.
    public convenience override init() {
        self.init(persistentStoreCoordinator: nil, configurationName: nil, at: StoreOpening.nowhere)
    }

    /// Has contexts begin new sessions. Called while the store is opened, moved or closed, when it is not used.
    final func noteNewSessions() { sessionBeginnings.wrappingAdd(1, ordering: .relaxed) }

    /// Takes the options as they were given, for stores that are made without converting them.
    final func take(_ options: StoreOptions) {
        storedOptions = options
        isReadOnly = options.flag(NSReadOnlyPersistentStoreOption)
    }

    private final func locked<T>(_ body: (inout State) -> T) -> T {
        state.lock()
        defer { state.unlock() }
        return body(&guarded)
    }

    // MARK: Properties

    /// The coordinator the store belongs to; nil after the store was removed.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? { locked { $0.coordinator }?.object }

    /// The name of the configuration whose entities the store holds, as it was given; the internal name of the default
    /// configuration if none was.
    open var configurationName: String { givenConfigurationName ?? NSManagedObjectModel.defaultConfigurationName }

    /// The options the store was added with.
    open var options: [AnyHashable: Any]? { storedOptions.values }

    /// The options, ready to be read.
    final var givenOptions: StoreOptions { storedOptions }

    /// Where the store is. Set through ``NSPersistentStoreCoordinator/setURL(_:for:)`` only.
    open var url: URL? {
        get { locked { $0.url } }
        set { locked { $0.url = newValue } }
    }

    /// The UUID of the store, part of every object ID's URI; setting nil makes a new one.
    open var identifier: String! {
        get {
            locked { state in
                if let identifier = state.identifier { return identifier }
                let made = UUID().uuidString
                state.identifier = made
                return made
            }
        }
        set {
            locked { state in
                state.identifier = newValue ?? UUID().uuidString
                state.metadataIsUnsaved = true
            }
        }
    }

    /// False until somebody has set or read the identifier.
    final var hasIdentifier: Bool { locked { $0.identifier != nil } }

    /// The type the store is registered under.
    open var type: String { StoreRegistry.type(of: Swift.type(of: self)) ?? "" }

    /// True when saves that touch the store must fail.
    open var isReadOnly: Bool {
        get { locked { $0.isReadOnly } }
        set { locked { $0.isReadOnly = newValue } }
    }

    /// Facts kept along with the objects, as property-list values; always with the store's type and UUID.
    ///
    /// Changes are written by the next save that touches the store.
    open var metadata: [String: Any]! {
        get {
            let (type, identifier) = (self.type, self.identifier)
            var result = locked { state in
                if let make = state.makeMetadata {
                    state.metadata = make()
                    state.makeMetadata = nil
                }
                return state.metadata
            }
            result[NSStoreTypeKey] = type
            result[NSStoreUUIDKey] = identifier
            return result
        }
        set {
            locked { state in
                state.metadata = newValue ?? [:]
                state.makeMetadata = nil
                if let identifier = newValue?[NSStoreUUIDKey] as? String { state.identifier = identifier }
                state.metadataIsUnsaved = true
            }
        }
    }

    /// Takes over metadata that was loaded, which is made of what was read when somebody asks for it.
    ///
    /// - Parameter make: Called once at most, on any thread, and not to touch the store.
    final func takeMetadata(identifier: String, _ make: @escaping () -> [String: Any]) {
        locked { state in
            state.makeMetadata = make
            state.identifier = identifier
        }
    }

    /// The metadata, if it changed since the store was loaded or saved last.
    package final var unsavedMetadata: [String: Any]? {
        locked { $0.metadataIsUnsaved } ? metadata : nil
    }

    /// Called by whoever wrote or read the metadata.
    package final func noteMetadataSaved() {
        locked { $0.metadataIsUnsaved = false }
    }

    // MARK: For subclasses

    /// Reads the metadata, or makes it for a new store. Called by the coordinator before anything else.
    ///
    /// - Throws: An error of the Cocoa domain when the location cannot hold the store.
    open func loadMetadata() throws {
        throw CoreDataError.make(
            NSPersistentStoreOpenError, description: "The store class \(Swift.type(of: self)) cannot load metadata.",
            reason: "A subclass of NSPersistentStore must override loadMetadata().")
    }

    /// Reads the metadata of the store at a location without opening it. Subclasses override this.
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw CoreDataError.make(
            NSPersistentStoreOperationError, description: "The store class \(self) cannot read metadata by itself.",
            reason: "The class does not override metadataForPersistentStore(with:).")
    }

    /// Writes the metadata of the store at a location without opening it. Subclasses override this.
    open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        throw CoreDataError.make(
            NSPersistentStoreOperationError, description: "The store class \(self) cannot write metadata by itself.",
            reason: "The class does not override setMetadata(_:forPersistentStoreAt:).")
    }

    /// Called after the store was added.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

    /// Called before the store is removed.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

    // MARK: For the stores of this framework

    /// Opens the store for use: called once, after the metadata was found to fit the model and before the store is added.
    package func openStore() throws {}

    /// The hashes of the model in the metadata just loaded, where the store has them by themselves. Gone once it is open.
    package var loadedVersionHashes: EntityHashes? { nil }

    /// Gives back files and memory, after the store was removed. Reads that are still under way may finish.
    package func closeStore() {}

    /// The store as contexts use it. A class that knows answers faster than a cast, which searches the whole program first.
    package var rowStore: (any RowStore)? { self as? any RowStore }

    /// Whether the store opens models with uniqueness constraints although it does not enforce them.
    package class var ignoresUniquenessConstraints: Bool { false }

    /// Whether rows can be read and written without a context.
    package var copiesRows: Bool { true }

    /// Whether the version of a row is still the same when the store has been closed and opened again.
    package var keepsVersions: Bool { true }

    /// Whether a fetch may ask for values along with identities; otherwise they are read one object at a time, when needed.
    package var deliversRows: Bool { true }

    /// Whether the store wants to know which of its rows contexts hold objects of.
    package var notesRegistration: Bool { false }

    /// A context made an object for a row. Called on the context's queue.
    package func noteRegistration(of id: NSManagedObjectID) {}

    /// A context's object for a row is gone. Called on any thread.
    package func noteUnregistration(of id: NSManagedObjectID) {}

    /// Moves to a location that has been prepared. False when the store cannot.
    package func relocate(to url: URL) -> Bool {
        self.url = url
        return true
    }

    /// The keys of the store's reference objects; nil for stores that number their rows themselves.
    var referenceKeys: ReferenceKeys? { nil }

    /// Returns the last component of an object ID's URI, without its prefix.
    final func referenceText(forKey key: Int64, of layout: EntityLayout) -> String {
        referenceKeys?.reference(for: key, of: layout).map(ReferenceKeys.text) ?? String(key)
    }

    /// Returns the key for the last component of an object ID's URI, or nil if the text names no row.
    final func key(forReferenceText text: String, of layout: EntityLayout) -> Int64? {
        if let referenceKeys { return referenceKeys.key(forText: text, of: layout) }
        guard let key = Int64(text), key > 0 else { return nil }
        return key
    }

    // MARK: Stores that are not open

    /// True where stores of this class are at places of their own in a format of this framework, where they can be made, copied
    /// and replaced.
    package class var hasOwnPlace: Bool { false }

    /// The schemes of the URLs of the stores besides `file`; nil for a class that takes any URL.
    package class var urlSchemes: [String]? { nil }

    /// The names of the options that stores of this class know besides those of all stores; nil where any is taken.
    package class var optionNames: [String]? { nil }

    /// The abilities of all stores of this class.
    package class var abilities: StoreAbilities { [] }

    /// Tells whether there is anything at a place, be it an empty store. The default looks for a file.
    package class func isOccupied(_ place: StorePlace) -> Bool { StoreFiles.exists(place.url) }

    /// Tells whether there is a store without rows or model at a place, as destroying one may leave it.
    package class func isEmpty(_ place: StorePlace) -> Bool { false }

    /// Reads the metadata of the store at a place. The default does without options.
    package class func readMetadata(at place: StorePlace) throws -> [String: Any] {
        try metadataForPersistentStore(with: place.url)
    }

    /// Tells whether metadata are those that destroying a store of this class leaves.
    package class func areOfDestroyedStore(_ metadata: [String: Any]) -> Bool { false }

    /// Empties or deletes the store at a place. The default deletes the file.
    package class func destroyStore(at place: StorePlace) throws { try StoreFiles.remove(place.url) }

    /// Puts a copy of one store, which may be in use, in place of another. The default copies the file.
    package class func copyStore(at source: StorePlace, to destination: StorePlace) throws {
        try StoreFiles.replace(destination.url, with: source.url)
    }

    /// Takes away what an attempt to make a store has left, as far as that is possible. The default deletes the file.
    ///
    /// - Parameter keepsPlace: True where something was at the place before, which others may have open: it stays there, empty.
    package class func discardStore(at place: StorePlace, keepsPlace: Bool) { try? StoreFiles.remove(place.url) }

    /// Takes away what a process that was killed has left beside a store that is to be opened for writing.
    package class func removeLeftovers(of place: StorePlace) {}

    /// Begins to replace a store. The default is for stores that are one file.
    ///
    /// - Throws: `NSPersistentStoreTimeoutError` when another process replaces it for longer than the timeout.
    package class func makeReplacement(of place: StorePlace) throws -> any StoreReplacement {
        try FileReplacement(of: place.url, WholeFiles.self, timeout: place.timeout)
    }

    /// As ``makeReplacement(of:)``, once nothing that this thread does could be in its way.
    ///
    /// - Throws: also `NSPersistentStoreOperationError` for a store to which this thread writes exclusively.
    final class func replacement(of place: StorePlace) throws -> any StoreReplacement {
        CurrentContexts.restSessions()
        try ExclusiveWrites.requireNone(of: place.url, toBe: "migrated")
        return try makeReplacement(of: place)
    }

    /// Checks that a migration which makes a copy will find room for it. The default looks at the file's disk.
    ///
    /// - Parameter factor: How many times the size of the store is needed besides.
    package class func requireSpace(at place: StorePlace, factor: Int64) throws {
        try FreeSpace.check(for: place.url, suffixes: [""], factor: factor)
    }

    /// Tells whether the engine carries out a migration by itself; else objects are copied one by one into another store.
    package class func canMigrate(_ request: EngineMigrationRequest) -> Bool { false }

    // MARK: Stores that were found, and are not open yet

    /// The place where the store was looked for.
    final var place: StorePlace { StorePlace(url ?? StoreOpening.nowhere, givenOptions) }

    /// Reads the metadata again, which others or a migration may have changed.
    package func reloadMetadata() throws { takeReadMetadata(try Swift.type(of: self).readMetadata(at: place)) }

    /// Takes over metadata that was read.
    final func takeReadMetadata(_ metadata: [String: Any]) {
        self.metadata = metadata
        noteMetadataSaved()
    }

    /// Reads the archive of the model that the store keeps of itself; nil where it keeps none.
    package func modelArchive() throws -> Data? { nil }

    /// Checks that the rows of the store fit another version of its model, before anything is written.
    ///
    /// - Throws: 134110 naming entity, property and objects.
    package func checkRows(_ layouts: LayoutCorrespondence) throws {}

    /// Has the engine migrate the store in its place; see ``canMigrate(_:)``. The metadata is that of before until it is
    /// reloaded.
    package func migrate(_ request: EngineMigrationRequest, _ monitor: (any MigrationMonitor)?) throws {
        throw StoreErrors.unsupported("migrations of its own")
    }

    /// Names in the log what copying the objects of the store leaves out.
    package func noteWhatIsLeftOut() {}

    // MARK: Identities

    /// Prepares for a model: from then on there is an identity for every entity.
    final func prepare(for layouts: ModelLayouts) {
        let uuid: String = identifier
        self.layouts = layouts
        var identities: ContiguousArray<ObjectIdentity> = []
        identities.reserveCapacity(layouts.byNumber.count)
        // Entities are numbered from 1, super-entities before those below them.
        for layout in layouts.all {
            identities.append(
                ObjectIdentity(
                    layout: layout, store: self, storeUUID: uuid,
                    superidentity: layout.superlayout.map { identities[$0.number - 1] }))
        }
        self.identities = identities
    }

    /// What the IDs of an entity's objects in this store share. Costs an array access.
    @inline(__always)
    package final func identity(for layout: EntityLayout) -> ObjectIdentity {
        identity(forEntityNumber: layout.number)
    }

    @inline(__always)
    package final func identity(forEntityNumber number: Int) -> ObjectIdentity {
        guard number > 0, number <= identities.count else {
            preconditionFailure("The store \(self) has not been added to a coordinator whose model has that entity.")
        }
        return identities[number - 1]
    }

    /// The ID of a row of this store.
    package final func objectID(for reference: RowReference) -> NSManagedObjectID {
        NSManagedObjectID(identity: identity(forEntityNumber: reference.entityNumber), key: reference.key)
    }

    final func detach() {
        locked { $0.coordinator = nil }
    }

    open override var description: String {
        "<\(Swift.type(of: self)): \(type) \(url?.absoluteString ?? "without a URL")>"
    }
}

/// What the coordinator makes a store from.
@usableFromInline struct _StoreSource {
    let coordinator: NSPersistentStoreCoordinator?
    let configuration: String?
    let url: URL
    let options: StoreOptions
}
