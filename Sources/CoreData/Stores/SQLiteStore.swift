import CoreDataSQLiteStorage
import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation
import ModelFormat
import Synchronization

/// The store of type `NSSQLiteStoreType`: one SQLite file in the format of Apple's framework.
///
/// Reads run at the same time as each other and as a write, each on a connection of its own; writes take turns. A file in
/// use by several processes is kept consistent by SQLite's locks and by each row's version.
final class SQLiteStore: NSPersistentStore, EngineStore, @unchecked Sendable {
    /// Guards what is open, where it is changed.
    private let openLock = Lock()
    /// Read without the lock: set before the store is used and replaced only while nobody uses it.
    private nonisolated(unsafe) var running: SQLiteEngine?
    /// The same; gone once the store is closed.
    private nonisolated(unsafe) var current: SQLiteEngine?
    /// The file whose metadata was read, for the store to go on with.
    private nonisolated(unsafe) var opening: StoreFile.Opened?
    private nonisolated(unsafe) var openingHashes: EntityHashes?
    private nonisolated(unsafe) var temporaryFile: URL?
    /// Whether listeners are told when the file has changed.
    private nonisolated(unsafe) var postsRemoteChanges = false
    /// Looks out for other writers, if the store was added with that option.
    private nonisolated(unsafe) var watcher: StoreWatcher?

    override class var holdsEveryFeature: Bool { true }
    override var rowStore: (any RowStore)? { self }
    override var loadedVersionHashes: EntityHashes? { openLock.withLock { openingHashes } }

    override class func make(_ source: _StoreSource) -> NSPersistentStore {
        let store = SQLiteStore(
            persistentStoreCoordinator: source.coordinator, configurationName: source.configuration, at: source.url)
        store.take(source.options)
        return store
    }

    /// The open file.
    var engine: SQLiteEngine {
        get throws {
            if let running { return running }
            throw StoreErrors.notOpen
        }
    }

    // MARK: Opening

    private func settings() throws -> ConnectionSettings {
        let options = givenOptions
        var settings = ConnectionSettings()
        settings.isReadOnly = isReadOnly
        if let timeout = options.number(NSPersistentStoreTimeoutOption) { settings.busyTimeout = timeout }
        if let limit = options.number(NSPersistentStoreConnectionPoolMaxSizeKey), limit >= 1 {
            settings.readerLimit = Int(min(limit, 64))
        }
        let given = options.pragmas
        if !given.isEmpty {
            var pragmas = [String: String](minimumCapacity: given.count)
            for (name, value) in given { pragmas[name] = Self.text(value) }
            try settings.setPragmas(pragmas, path: url?.path ?? "")
        } else if let given = options[NSSQLitePragmasOption] {
            var pragmas: [String: String] = [:]
            if let given = ClassInstance.of(given) as? NSDictionary {
                for (name, value) in given { pragmas[Self.text(name)] = Self.text(value) }
            } else if let given = given as? [AnyHashable: Any] {
                for (name, value) in given { pragmas[Self.text(name.base)] = Self.text(value) }
            }
            try settings.setPragmas(pragmas, path: url?.path ?? "")
        }
        return settings
    }

    private static func text(_ value: Any) -> String { value as? String ?? "\(value)" }
    private static func text(_ value: NSObject) -> String { (value as? NSString).map { $0 as String } ?? "\(value)" }

    /// Where the database really is: stores at `/dev/null` get a file that goes with them.
    private func location() throws -> URL {
        guard let url, let path = FileAccess.path(ofFile: url) else {
            throw CoreDataError.make(
                NSPersistentStoreOpenError, description: "The store could not be opened.",
                reason: "A SQLite store needs a file URL, not \(url?.absoluteString ?? "none").")
        }
        guard path == "/dev/null" else { return url }
        return openLock.withLock {
            if let file = temporaryFile { return file }
            let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
            let folder =
                FileManager.default.isWritableFile(atPath: memory.path)
                ? memory : FileManager.default.temporaryDirectory
            let made = folder.appendingPathComponent("CoreData-\(UUID().uuidString).sqlite")
            temporaryFile = made
            return made
        }
    }

    override func loadMetadata() throws {
        let file = StoreFile(url: try location(), settings: try settings())
        if let opened = try file.openUnlessEmpty() {
            takeMetadata(opened.metadata)
            openLock.withLock {
                opening = opened
                openingHashes = opened.metadata.versionHashes
            }
        } else {
            guard let model = persistentStoreCoordinator?.managedObjectModel else {
                throw CoreDataError.make(
                    NSPersistentStoreOpenError, description: "The store could not be created.",
                    reason: "It belongs to no coordinator, so there is no model to make its tables from.")
            }
            let connection = try file.create(
                model.layouts, model: model, metadata: SQLiteMetadata.fresh(for: model))
            let metadata = try SQLiteMetadata.read(connection)
            takeMetadata(metadata)
            let version = try connection.schemaVersion()
            openLock.withLock {
                opening = StoreFile.Opened(file, connection, metadata: metadata, schemaVersion: version)
            }
        }
    }

    private func takeMetadata(_ row: SQLiteMetadata.Row) {
        takeMetadata(identifier: row.identifier) { row.values }
    }

    override func openStore() throws {
        guard let layouts else {
            throw CoreDataError.make(
                NSPersistentStoreOpenError, description: "The store could not be opened.",
                reason: "It was not prepared for a model.")
        }
        try open(location(), layouts)
    }

    private func takeOpening() -> StoreFile.Opened? {
        openLock.withLock {
            defer { opening = nil }
            return opening
        }
    }

    private func open(_ url: URL, _ layouts: ModelLayouts) throws {
        let opened = try takeOpening() ?? StoreFile(url: url, settings: try settings()).open()
        let options = givenOptions
        var request = SQLiteOpening(
            layouts: layouts, model: persistentStoreCoordinator?.managedObjectModel,
            required: entityNumbers(layouts), identifier: identifier)
        request.recordsHistory = options.flag(NSPersistentHistoryTrackingKey)
        request.vacuums = options.flag(NSSQLiteManualVacuumOption)
        request.analyzes = options.flag(NSSQLiteAnalyzeOption)
        let engine = try SQLiteEngine.open(opened, for: request)
        postsRemoteChanges = givenOptions.flag(NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        openLock.withLock {
            current = engine
            openingHashes = nil
        }
        running = engine
        noteNewSessions()
        engine.fileCollector.collectOrphans()
        try watchFile(of: engine)
    }

    /// Begins to look out for changes by other processes, and by other coordinators of this one.
    private func watchFile(of engine: SQLiteEngine) throws {
        guard postsRemoteChanges else { return }
        let new = try StoreWatcher(pool: engine.pool) { [weak self] in self?.postRemoteChange() }
        replaceWatcher(by: new)
    }

    private func replaceWatcher(by new: StoreWatcher?) {
        let old = openLock.withLock {
            defer { watcher = new }
            return watcher
        }
        old?.stop()
    }

    /// Numbers of the entities of the store's configuration.
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
        replaceWatcher(by: nil)
        let engine = openLock.withLock {
            defer { current = nil }
            return current
        }
        engine?.close()
        if let file = openLock.withLock({ temporaryFile }) { SQLiteFiles.remove(file) }
    }

    override func relocate(to url: URL) -> Bool {
        guard let layouts, FileManager.default.fileExists(atPath: url.path) else { return false }
        let previous = self.url
        do {
            self.url = url
            let old = running
            try open(url, layouts)
            old?.close()
            return true
        } catch {
            self.url = previous
            return false
        }
    }

    // MARK: Files that are not open

    override class var isOwnFile: Bool { true }
    override class var fileSuffixes: [String] { ["", "-wal"] }

    override class func storedModel(at url: URL) -> NSManagedObjectModel? {
        try? NSManagedObjectModel(cachedInStoreAt: url)
    }

    override class func areOfDestroyedStore(_ metadata: [String: Any]) -> Bool { EmptiedStore.namesNoModel(metadata) }

    override class func checkRows(at url: URL, _ layouts: LayoutCorrespondence, timeout: Double) throws {
        try SourceCheck(layouts)?.run(at: url, timeout: timeout)
    }

    override class func engineMigration(_ request: EngineMigrationRequest) -> (any EngineMigration)? {
        InPlaceMigration(request)
    }

    override class func noteWhatIsLeftOut(at url: URL) { ForeignTables.warn(ofTablesAt: url) }

    /// Reads the archive of the model that a file keeps; throws as `NSManagedObjectModel.init(cachedInStoreAt:)`.
    static func modelArchive(at url: URL) throws -> Data { try ModelCache.read(at: url) }

    override class func destroyStore(at url: URL, options: StoreOptions) throws {
        try SQLiteFiles.destroy(
            url, force: options.flag(NSPersistentStoreForceDestroyOption), timeout: options.timeout)
    }

    override class func replaceStore(
        at destination: URL, options: StoreOptions, from source: URL, sourceOptions: StoreOptions
    ) throws {
        try SQLiteFiles.replace(destination, with: source, timeout: options.timeout)
    }

    override class func isEmptyStore(at url: URL) -> Bool { SQLiteFiles.isEmpty(url) }

    override class func removeFiles(at url: URL) { SQLiteFiles.remove(url) }

    override class func clearFile(at url: URL, timeout: Double) { try? SQLiteFiles.clear(url, timeout: timeout) }

    override class func makeReplacement(of store: URL, timeout: Double) throws -> any StoreReplacement {
        try FileReplacement(of: store, SQLiteFiles.self, timeout: timeout)
    }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try readMetadata(at: url, options: StoreOptions(nil))
    }

    override class func readMetadata(at url: URL, options: StoreOptions) throws -> [String: Any] {
        var settings = ConnectionSettings()
        settings.isReadOnly = true
        settings.busyTimeout = options.timeout
        return try StoreFile(url: url, settings: settings).openForMetadata().metadata.values
    }

    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        let opened = try StoreFile(url: url, settings: ConnectionSettings()).openForMetadata()
        let pool = ConnectionPool(path: opened.connection.path, settings: ConnectionSettings())
        defer { pool.close() }
        pool.adopt(opened.connection)
        let old = opened.metadata.values
        var new = old.filter { StoreMetadata.ownKeys.contains($0.key) }
        new.merge(metadata ?? [:]) { _, given in given }
        if new[NSStoreUUIDKey] == nil { new[NSStoreUUIDKey] = old[NSStoreUUIDKey] }
        try pool.transaction { try SQLiteMetadata.write(new, on: $0) }
    }

    // MARK: RowStore

    var checksAnswers: Bool { false }

    func save(_ changes: StoreChanges, in session: any StoreSession) throws -> SavedKeys {
        try telling { try session.save(changes) }
    }

    func run(_ work: BatchWork, in session: any StoreSession) throws -> BatchOutcome {
        try telling { try session.run(work) }
    }

    /// Runs what writes, and tells listeners of it, if the store was added with that option.
    func telling<Result>(_ write: () throws -> Result) throws -> Result {
        guard postsRemoteChanges, let watcher = openLock.withLock({ watcher }) else { return try write() }
        watcher.beginOwnWrite()
        let result: Result
        do {
            result = try write()
        } catch {
            watcher.endOwnWrite(succeeded: false)
            throw error
        }
        watcher.endOwnWrite(succeeded: true)
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
