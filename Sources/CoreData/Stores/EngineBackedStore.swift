import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation
import ModelFormat

/// The store class for a ``StoreDriver``: connects its engine to contexts and coordinators.
class EngineBackedStore<Driver: StoreDriver>: NSPersistentStore, EngineStore, @unchecked Sendable {
    /// Protects the open engine, the found store and the watch while they are changed.
    private let openLock = Lock()
    /// The engine. Read without the lock: it is set before the store is used and replaced only while it is not used.
    private nonisolated(unsafe) var running: Driver.Engine?
    /// The engine of the open store; nil after the store was closed.
    private nonisolated(unsafe) var current: Driver.Engine?
    /// The store as found when its metadata was read, until it is opened.
    private nonisolated(unsafe) var found: Driver.Found?
    private nonisolated(unsafe) var foundHashes: EntityHashes?
    /// Whether remote-change notifications are posted.
    private nonisolated(unsafe) var postsRemoteChanges = false
    /// The observer of other writers, if the store was added with that option.
    private nonisolated(unsafe) var watch: (any StoreWatch)?

    override class func make(_ source: _StoreSource) -> NSPersistentStore { self.init(source) }

    required init(_ source: _StoreSource) {
        super.init(
            persistentStoreCoordinator: source.coordinator, configurationName: source.configuration, at: source.url)
        take(source.options)
    }

    override var type: String { Driver.storeType }
    override var rowStore: (any RowStore)? { self }
    override var loadedVersionHashes: EntityHashes? { openLock.withLock { foundHashes } }

    /// The engine of the open store.
    final var engine: Driver.Engine {
        get throws {
            if let running { return running }
            throw StoreErrors.notOpen
        }
    }

    // MARK: Opening

    override func loadMetadata() throws { take(try Driver.find(place) ?? make(at: place)) }

    override func reloadMetadata() throws {
        guard let found = openLock.withLock({ found }) else { return try loadMetadata() }
        take(try Driver.refresh(found, at: place) ?? Driver.find(place) ?? make(at: place))
    }

    private func take(_ found: Driver.Found) {
        let metadata = Driver.metadata(of: found)
        takeMetadata(identifier: metadata.identifier, metadata.values)
        openLock.withLock {
            self.found = found
            foundHashes = metadata.versionHashes
        }
    }

    private func make(at place: StorePlace) throws -> Driver.Found {
        guard let model = persistentStoreCoordinator?.managedObjectModel else {
            throw CoreDataError.make(
                NSPersistentStoreOpenError, description: "The store could not be created.",
                reason: "It belongs to no coordinator, so there is no model to make it for.")
        }
        return try Driver.make(place, for: model, model.layouts)
    }

    override func openStore() throws {
        guard let layouts else {
            throw CoreDataError.make(
                NSPersistentStoreOpenError, description: "The store could not be opened.",
                reason: "It was not prepared for a model.")
        }
        try open(place, layouts)
    }

    private func takeFound() -> Driver.Found? {
        openLock.withLock {
            defer { found = nil }
            return found
        }
    }

    private func open(_ place: StorePlace, _ layouts: ModelLayouts) throws {
        let found = try takeFound() ?? foundStore()
        let engine = try Driver.open(
            found,
            for: EngineOpening(
                layouts: layouts, model: persistentStoreCoordinator?.managedObjectModel,
                required: entityNumbers(layouts), identifier: identifier, options: place.options
            ) { [unowned self] in objectID(for: $0) })
        postsRemoteChanges = givenOptions.flag(NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        openLock.withLock {
            current = engine
            foundHashes = nil
        }
        running = engine
        noteNewSessions()
        // The watch reports changes by other processes and by other coordinators of this one.
        guard postsRemoteChanges else { return }
        replaceWatch(by: try Driver.watch(engine) { [weak self] in self?.postRemoteChange() })
    }

    private func replaceWatch(by new: (any StoreWatch)?) {
        let old = openLock.withLock {
            defer { watch = new }
            return watch
        }
        old?.stop()
    }

    /// Returns the numbers of the entities in the store's configuration.
    private func entityNumbers(_ layouts: ModelLayouts) -> Set<Int> {
        let entities = persistentStoreCoordinator?.managedObjectModel.entities(
            forConfigurationName: requestedConfiguration)
        var numbers = Set<Int>(minimumCapacity: layouts.byName.count)
        if requestedConfiguration != nil, let entities {
            for entity in entities {
                if let layout = entity.name.flatMap({ layouts.byName[$0] }) { numbers.insert(layout.number) }
            }
        } else {
            for layout in layouts.byNumber {
                if let layout { numbers.insert(layout.number) }
            }
        }
        return numbers
    }

    override func closeStore() {
        replaceWatch(by: nil)
        let engine = openLock.withLock {
            found = nil
            defer { current = nil }
            return current
        }
        if let engine { Driver.close(engine) }
    }

    override func relocate(to url: URL) -> Bool {
        let place = StorePlace(url, givenOptions)
        guard let layouts, Driver.isOccupied(place) else { return false }
        let previous = self.url
        do {
            self.url = url
            let old = running
            try open(place, layouts)
            if let old { Driver.close(old) }
            return true
        } catch {
            self.url = previous
            return false
        }
    }

    // MARK: Stores that are not open

    override class var hasOwnPlace: Bool { true }
    override class var urlSchemes: [String]? { Driver.urlSchemes }
    override class var optionNames: [String]? { Driver.optionNames }
    override class var abilities: StoreAbilities { Driver.abilities }

    override class func isOccupied(_ place: StorePlace) -> Bool { Driver.isOccupied(place) }
    override class func isEmpty(_ place: StorePlace) -> Bool { Driver.isEmpty(place) }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try Driver.readMetadata(at: StorePlace(url))
    }

    override class func readMetadata(at place: StorePlace) throws -> [String: Any] {
        try Driver.readMetadata(at: place)
    }

    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        let place = StorePlace(url)
        let old = try Driver.readMetadata(at: place)
        var new = old.filter { StoreMetadata.ownKeys.contains($0.key) }
        new.merge(metadata ?? [:]) { _, given in given }
        if new[NSStoreUUIDKey] == nil { new[NSStoreUUIDKey] = old[NSStoreUUIDKey] }
        try Driver.writeMetadata(new, at: place)
    }

    override class func areOfDestroyedStore(_ metadata: [String: Any]) -> Bool { Driver.areOfDestroyedStore(metadata) }

    override class func destroyStore(at place: StorePlace) throws { try Driver.destroy(place) }

    override class func copyStore(at source: StorePlace, to destination: StorePlace) throws {
        try Driver.copy(source, to: destination)
    }

    override class func discardStore(at place: StorePlace, keepsPlace: Bool) {
        Driver.discard(place, keepsPlace: keepsPlace)
    }

    override class func removeLeftovers(of place: StorePlace) { Driver.removeLeftovers(of: place) }

    override class func makeReplacement(of place: StorePlace) throws -> any StoreReplacement {
        try Driver.replacement(of: place)
    }

    override class func migrationSource(_ source: StorePlace, for destination: StorePlace) throws -> StorePlace {
        try Driver.migrationSource(source, for: destination)
    }

    override class func requireSpace(at place: StorePlace, factor: Int64) throws {
        try Driver.requireSpace(at: place, factor: factor)
    }

    override class func canMigrate(_ request: EngineMigrationRequest) -> Bool { Driver.canMigrate(request) }

    // MARK: Stores that were found, and are not open yet

    /// Returns the store as found at its location.
    ///
    /// - Throws: 260 if there is none.
    private func foundStore() throws -> Driver.Found {
        if let found = try openLock.withLock({ found }) ?? Driver.find(place) { return found }
        throw CoreDataError.make(
            NSFileReadNoSuchFileError, description: "There is no store at \(place.name).",
            userInfo: [NSURLErrorKey: place.url])
    }

    override func modelArchive() throws -> Data? { try Driver.modelArchive(of: foundStore()) }

    override func checkRows(_ layouts: LayoutCorrespondence) throws {
        try Driver.checkRows(of: foundStore(), layouts)
    }

    override func migrate(_ request: EngineMigrationRequest, _ monitor: (any MigrationMonitor)?) throws {
        try Driver.migrate(foundStore(), request, monitor)
    }

    override func noteWhatIsLeftOut() { if let found = try? foundStore() { Driver.noteWhatIsLeftOut(of: found) } }

    // MARK: Writing

    /// Whether the engine's results are checked against the contract. This package's engines need no checks, because its tests
    /// cover them.
    var checksAnswers: Bool { true }

    final func save(_ changes: StoreChanges, in session: any StoreSession) throws -> SavedKeys {
        try telling { try session.save(changes) }
    }

    final func run(_ work: BatchWork, in session: any StoreSession) throws -> BatchOutcome {
        try telling { try session.run(work) }
    }

    /// Runs a write and posts a remote-change notification if the store was added with that option.
    private func telling<Result>(_ write: () throws -> Result) throws -> Result {
        guard postsRemoteChanges, let watch = openLock.withLock({ watch }) else { return try write() }
        watch.beginOwnWrite()
        let result: Result
        do {
            result = try write()
        } catch {
            watch.endOwnWrite(succeeded: false)
            throw error
        }
        watch.endOwnWrite(succeeded: true)
        postRemoteChange()
        return result
    }

    private func postRemoteChange() {
        guard let coordinator = persistentStoreCoordinator else { return }
        var info: [AnyHashable: Any] = [NSStoreUUIDKey: identifier as String]
        info[NSPersistentStoreURLKey] = url
        info[NSPersistentHistoryTokenKey] = coordinator.currentPersistentHistoryToken(fromStores: [self])
        NotificationCenter.default.post(name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: info)
    }
}

extension NSPersistentStoreCoordinator {
    /// Registers a kind of store under its type and its URL schemes.
    package static func register<Driver: StoreDriver>(_ driver: Driver.Type) {
        StoreRegistry.register(EngineBackedStore<Driver>.self, for: Driver.storeType)
    }
}
