import CoreDataFileStorage
import CoreDataRowStorage
import CoreDataRuntimeSupport
import CoreDataStoreFiles
import Foundation
import ModelFormat
import Synchronization

/// A place where objects are saved: a file, memory, or a custom back end. The base class of all stores.
///
/// An ``NSPersistentStoreCoordinator`` creates and owns its stores. Subclass ``NSAtomicStore`` or ``NSIncrementalStore``
/// for custom stores.
open class NSPersistentStore: NSObject, @unchecked Sendable {
    /// The name of a kind of store, as ``NSPersistentStoreCoordinator`` registers it.
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An SQLite database, the default: ``NSSQLiteStoreType``.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// A file read and written as a whole: ``NSBinaryStoreType``.
        public static let binary = StoreType(rawValue: NSBinaryStoreType)
        /// Memory only: ``NSInMemoryStoreType``.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
        /// An XML file read and written as a whole: ``NSXMLStoreType``.
        public static let xml = StoreType(rawValue: NSXMLStoreType)
        /// The tables of a PostgreSQL database: ``CoreDataPostgreSQLStoreType``. Not part of Apple's API.
        public static let postgreSQL = StoreType(rawValue: CoreDataPostgreSQLStoreType)
    }

    private struct State {
        var coordinator: WeakHandle<NSPersistentStoreCoordinator>?
        var url: URL?
        var identifier: String?
        var metadata: [String: Any] = [:]
        /// Creates the metadata on first access.
        var makeMetadata: (() -> [String: Any])?
        var metadataIsUnsaved = false
        var isReadOnly: Bool
    }

    /// The weak reference to the store that object IDs use.
    final let handle = WeakHandle<NSPersistentStore>()
    private let state: Lock = Lock()
    @exclusivity(unchecked) private nonisolated(unsafe) final var guarded: State
    /// The options the store was added with. Set while the store is created.
    private final var storedOptions: StoreOptions
    /// The store's configuration of the model; nil for all entities, under any name that denotes them.
    final let requestedConfiguration: String?
    /// The configuration's name as passed to the initializer.
    private final let givenConfigurationName: String?
    /// A number that grows when existing sessions become invalid.
    final var sessionAge: Int { sessionBeginnings.load(ordering: .relaxed) }
    /// The storage of ``sessionAge``. Contexts load it at every read, on any thread.
    private final let sessionBeginnings = Atomic<Int>(0)
    /// The layouts of the coordinator's model; set before the store is opened.
    package final private(set) var layouts: ModelLayouts?
    /// The shared part of object IDs by entity number, from 1 on. Set once, before any other thread sees the store.
    private final var identities: ContiguousArray<ObjectIdentity> = []

    /// Creates a store. Called by the coordinator; does not access the file.
    ///
    /// - Parameters:
    ///   - root: The coordinator the store will belong to.
    ///   - name: The configuration of the store, which defines its entities; nil for all entities.
    ///   - url: The location of the store.
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

    /// Creates a store of this class, which may be a subclass of the program, by its designated initializer.
    class func make(_ source: _StoreSource) -> NSPersistentStore { construct(source) }

    /// Calls ``init(_source:)`` through a class value; see `NSManagedObject.make(_:)`. Traps, as in Apple's framework, for a
    /// class that adds designated initializers and does not override Apple's.
    @_silgen_name("$s8CoreData17NSPersistentStoreC7_sourceAcA01_D6SourceVh_tcfC")
    private static func construct(_ source: __shared _StoreSource) -> Self

    /// Calls the class's designated initializer. Called only by ``construct(_:)``.
    @usableFromInline convenience init(_source source: __shared _StoreSource) {
        self.init(
            persistentStoreCoordinator: source.coordinator, configurationName: source.configuration, at: source.url,
            options: source.options.values)
    }

    /// Creates a store that belongs to no coordinator, for code written against Objective-C's `init`.
    public convenience override init() {
        self.init(persistentStoreCoordinator: nil, configurationName: nil, at: StoreOpening.nowhere)
    }

    /// Invalidates the sessions of contexts. Called while the store is opened, moved or closed, when no context uses it.
    final func noteNewSessions() { sessionBeginnings.wrappingAdd(1, ordering: .relaxed) }

    /// Sets the options without converting them, for stores created by the coordinator.
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

    /// The configuration that the store was added with, which has the store's entities; the internal name of the default
    /// configuration if none was given.
    open var configurationName: String { givenConfigurationName ?? NSManagedObjectModel.defaultConfigurationName }

    /// The options the store was added with.
    open var options: [AnyHashable: Any]? { storedOptions.values }

    /// The options in parsed form.
    final var givenOptions: StoreOptions { storedOptions }

    /// The location of the store. Set it only with ``NSPersistentStoreCoordinator/setURL(_:for:)``.
    open var url: URL? {
        get { locked { $0.url } }
        set { locked { $0.url = newValue } }
    }

    /// The UUID of the store, part of every object ID's URI. Setting nil assigns a new one.
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

    /// True once the identifier has been set or read.
    final var hasIdentifier: Bool { locked { $0.identifier != nil } }

    /// The type the store is registered under.
    open var type: String { StoreRegistry.type(of: Swift.type(of: self)) ?? "" }

    /// Whether saves to the store must fail.
    open var isReadOnly: Bool {
        get { locked { $0.isReadOnly } }
        set { locked { $0.isReadOnly = newValue } }
    }

    /// The metadata saved along with the objects, as property-list values, with the store's type and UUID.
    ///
    /// Changes are written by the next save of the store.
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

    /// Sets metadata that was loaded, in a form that is decoded on first access.
    ///
    /// - Parameter make: Decodes the metadata. Called at most once, on any thread; must not use the store.
    final func takeMetadata(identifier: String, _ make: @escaping () -> [String: Any]) {
        locked { state in
            state.makeMetadata = make
            state.identifier = identifier
        }
    }

    /// The metadata if it has changed since the store was loaded or last saved; otherwise nil.
    package final var unsavedMetadata: [String: Any]? {
        locked { $0.metadataIsUnsaved } ? metadata : nil
    }

    /// Marks the metadata as saved. Call it after writing or reading the metadata.
    package final func noteMetadataSaved() {
        locked { $0.metadataIsUnsaved = false }
    }

    // MARK: For subclasses

    /// Reads the metadata, or creates it for a new store. The coordinator calls this first.
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

    /// Notifies the store that it was added to a coordinator.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

    /// Notifies the store that it is about to be removed.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

    // MARK: For the stores of this framework

    /// Opens the store for use. Called once, after the metadata was checked against the model and before the store is added.
    package func openStore() throws {}

    /// The model's version hashes from the loaded metadata, for stores that load them separately; nil once the store is open.
    package var loadedVersionHashes: EntityHashes? { nil }

    /// Releases files and memory after the store was removed. Running reads may finish.
    package func closeStore() {}

    /// The store's row interface. Classes that have one override this: the first cast searches the program for conformances.
    package var rowStore: (any RowStore)? { self as? any RowStore }

    /// True if the store opens models with uniqueness constraints although it does not enforce them.
    package class var ignoresUniquenessConstraints: Bool { false }

    /// Whether rows can be read and written without a context.
    package var copiesRows: Bool { true }

    /// True if row versions are the same after the store was closed and opened again.
    package var keepsVersions: Bool { true }

    /// True if a fetch can return values along with IDs; otherwise values are read object by object when faults fire.
    package var deliversRows: Bool { true }

    /// True if ``noteRegistration(of:)`` and ``noteUnregistration(of:)`` are to be called.
    package var notesRegistration: Bool { false }

    /// Notifies the store that a context registered an object. Called on the context's queue.
    package func noteRegistration(of id: NSManagedObjectID) {}

    /// Notifies the store that a context's object was released. Called on any thread.
    package func noteUnregistration(of id: NSManagedObjectID) {}

    /// Sets a new location, to which the store was moved. Returns false if the store cannot change its location.
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

    /// True if stores of this class have a location and a format of this framework, so that they can be created, copied and
    /// replaced.
    package class var hasOwnPlace: Bool { false }

    /// The supported URL schemes besides `file`; nil for a class that accepts any URL.
    package class var urlSchemes: [String]? { nil }

    /// The options of this class besides those of all stores; nil if it accepts any option.
    package class var optionNames: [String]? { nil }

    /// The abilities of all stores of this class.
    package class var abilities: StoreAbilities { [] }

    /// Returns whether a place is occupied, even if by an empty store. The default checks for a file.
    package class func isOccupied(_ place: StorePlace) -> Bool { StoreFiles.exists(place.url) }

    /// Returns whether a place has a store without rows and model, as destroying one may leave behind.
    package class func isEmpty(_ place: StorePlace) -> Bool { false }

    /// Reads the metadata of the store at a place. The default ignores options.
    package class func readMetadata(at place: StorePlace) throws -> [String: Any] {
        try metadataForPersistentStore(with: place.url)
    }

    /// Returns whether the metadata is that of a destroyed store of this class.
    package class func areOfDestroyedStore(_ metadata: [String: Any]) -> Bool { false }

    /// Empties or deletes the store at a place. The default deletes the file.
    package class func destroyStore(at place: StorePlace) throws { try StoreFiles.remove(place.url) }

    /// Replaces a store by a copy of another one, which may be in use. The default copies the file.
    package class func copyStore(at source: StorePlace, to destination: StorePlace) throws {
        try StoreFiles.replace(destination.url, with: source.url)
    }

    /// Removes the remains of a failed attempt to create a store, ignoring errors. The default deletes the file.
    ///
    /// - Parameter keepsPlace: True if the place was occupied before. Other processes may have it open, so it is emptied
    ///   instead of deleted.
    package class func discardStore(at place: StorePlace, keepsPlace: Bool) { try? StoreFiles.remove(place.url) }

    /// Removes files that a killed process left beside a store that is about to be opened for writing.
    package class func removeLeftovers(of place: StorePlace) {}

    /// Prepares to replace a store. The default is for stores in a single file.
    ///
    /// - Throws: `NSPersistentStoreTimeoutError` if another process is replacing the store for longer than the timeout.
    package class func makeReplacement(of place: StorePlace) throws -> any StoreReplacement {
        try FileReplacement(of: place.url, WholeFiles.self, timeout: place.timeout)
    }

    /// Prepares to replace a store, like ``makeReplacement(of:)``, after ending this thread's read sessions.
    ///
    /// - Throws: also `NSPersistentStoreOperationError` if this thread has an exclusive write transaction on the store.
    final class func replacement(of place: StorePlace) throws -> any StoreReplacement {
        CurrentContexts.restSessions()
        try ExclusiveWrites.requireNone(of: place.url, toBe: "migrated")
        return try makeReplacement(of: place)
    }

    /// Returns the place at which a migration object by object reads the source while it writes the destination, which does not
    /// exist yet. The default is the source's place.
    package class func migrationSource(_ source: StorePlace, for destination: StorePlace) throws -> StorePlace {
        source
    }

    /// Checks that there is enough space for a migration that copies the store. The default checks the file's volume.
    ///
    /// - Parameter factor: The space needed, in multiples of the store's size.
    package class func requireSpace(at place: StorePlace, factor: Int64) throws {
        try FreeSpace.check(for: place.url, suffixes: [""], factor: factor)
    }

    /// Returns whether the engine can run a migration in place. Otherwise objects are copied one by one into another store.
    package class func canMigrate(_ request: EngineMigrationRequest) -> Bool { false }

    // MARK: Stores that were found, and are not open yet

    /// The place of the store.
    final var place: StorePlace { StorePlace(url ?? StoreOpening.nowhere, givenOptions) }

    /// Reads the metadata again, after a migration or another process may have changed it.
    package func reloadMetadata() throws { takeReadMetadata(try Swift.type(of: self).readMetadata(at: place)) }

    /// Sets metadata that was read from the store.
    final func takeReadMetadata(_ metadata: [String: Any]) {
        self.metadata = metadata
        noteMetadataSaved()
    }

    /// Reads the archived model that the store contains. Returns nil if it has none.
    package func modelArchive() throws -> Data? { nil }

    /// Checks that the rows of the store fit another version of its model, before anything is written.
    ///
    /// - Throws: 134110 naming entity, property and objects.
    package func checkRows(_ layouts: LayoutCorrespondence) throws {}

    /// Migrates the store in place; see ``canMigrate(_:)``. ``metadata`` is not updated until it is reloaded.
    package func migrate(_ request: EngineMigrationRequest, _ monitor: (any MigrationMonitor)?) throws {
        throw StoreErrors.unsupported("migrations of its own")
    }

    /// Logs the parts of the store that a copy of its objects does not include.
    package func noteWhatIsLeftOut() {}

    // MARK: Identities

    /// Prepares the store for a model: creates the shared part of object IDs for every entity.
    final func prepare(for layouts: ModelLayouts) {
        let uuid: String = identifier
        self.layouts = layouts
        var identities: ContiguousArray<ObjectIdentity> = []
        identities.reserveCapacity(layouts.byNumber.count)
        // Entities are numbered from 1, superentities before their subentities.
        for layout in layouts.all {
            identities.append(
                ObjectIdentity(
                    layout: layout, store: self, storeUUID: uuid,
                    superidentity: layout.superlayout.map { identities[$0.number - 1] }))
        }
        self.identities = identities
    }

    /// Returns the part that all IDs of an entity's objects in this store share. Costs an array access.
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

    /// Returns the ID of a row of this store.
    package final func objectID(for reference: RowReference) -> NSManagedObjectID {
        NSManagedObjectID(identity: identity(forEntityNumber: reference.entityNumber), key: reference.key)
    }

    final func detach() {
        locked { $0.coordinator = nil }
    }

    open override var description: String {
        "<\(Swift.type(of: self)): \(type) \(url?.withoutPasswords.absoluteString ?? "without a URL")>"
    }
}

/// The arguments for creating a store.
@usableFromInline struct _StoreSource {
    let coordinator: NSPersistentStoreCoordinator?
    let configuration: String?
    let url: URL
    let options: StoreOptions
}
