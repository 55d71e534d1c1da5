import CoreDataFileStorage
import CoreDataRowStorage
import CoreDataRuntimeSupport
import CoreDataStoreFiles
import Foundation
import ModelFormat

/// The stores of type `NSSQLiteStoreType`: one SQLite file each, in the format of Apple's framework.
///
/// Reads run concurrently with each other and with a write, each on its connection; writes are serialized. SQLite's locks and
/// each row's version keep a file consistent that several processes use.
package enum SQLiteDriver: StoreDriver {
    package static var storeType: String { NSSQLiteStoreType }
    /// Nil, because Apple's stores accept any option.
    package static var optionNames: [String]? { nil }
    package static var abilities: StoreAbilities {
        [
            .batches, .history, .snapshots, .uniqueness, .derivations, .composites, .exclusiveWrites, .externalFiles,
            .remoteChanges,
        ]
    }

    // MARK: Opening

    package static func find(_ place: StorePlace) throws -> StoreFile.Opened? {
        if try isTemporary(place) { return nil }
        return try StoreFile(url: place.url, settings: ConnectionSettings(of: place)).openUnlessEmpty()
    }

    package static func make(
        _ place: StorePlace, for model: any StoredModel, _ layouts: ModelLayouts
    ) throws -> StoreFile.Opened {
        let isTemporary = try isTemporary(place)
        let url = isTemporary ? temporaryURL() : place.url
        let file = StoreFile(url: url, settings: try ConnectionSettings(of: place))
        let connection = try file.create(layouts, model: model, metadata: SQLiteMetadata.fresh(for: model))
        return StoreFile.Opened(
            file, connection, metadata: try SQLiteMetadata.read(connection), isTemporary: isTemporary,
            schemaVersion: try connection.schemaVersion())
    }

    /// Returns true if a store is temporary and ends with its coordinator, as those at `/dev/null` do.
    private static func isTemporary(_ place: StorePlace) throws -> Bool {
        guard let path = FileAccess.path(ofFile: place.url) else {
            throw CoreDataError.make(
                NSPersistentStoreOpenError, description: "The store could not be opened.",
                reason: "A SQLite store needs a file URL, not \(place.url.absoluteString).")
        }
        return path == StoreFiles.nowhere
    }

    private static func temporaryURL() -> URL {
        let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
        let folder =
            FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
        return folder.appendingPathComponent("CoreData-\(UUID().uuidString).sqlite")
    }

    package static func refresh(_ found: StoreFile.Opened, at place: StorePlace) throws -> StoreFile.Opened? {
        guard found.isInPlace else { return try find(place) }
        return try StoreFile(url: place.url, settings: ConnectionSettings(of: place)).openAgain(found)
    }

    package static func metadata(of found: StoreFile.Opened) -> FoundMetadata {
        let row = found.metadata
        return FoundMetadata(identifier: row.identifier, versionHashes: row.versionHashes) { row.values }
    }

    package static func modelArchive(of found: StoreFile.Opened) throws -> Data? {
        try ModelCache.read(found.connection)
    }

    package static func open(_ found: StoreFile.Opened, for opening: EngineOpening) throws -> SQLiteEngine {
        let engine = try SQLiteEngine.open(found, for: opening)
        engine.fileCollector.collectOrphans()
        return engine
    }

    package static func close(_ engine: SQLiteEngine) { engine.close() }

    package static func watch(
        _ engine: SQLiteEngine, _ onChange: @escaping @Sendable () -> Void
    ) throws -> (any StoreWatch)? {
        try StoreWatcher(pool: engine.pool, onChange: onChange)
    }

    // MARK: Files of closed stores

    package static func isOccupied(_ place: StorePlace) -> Bool { StoreFiles.exists(place.url) }

    package static func isEmpty(_ place: StorePlace) -> Bool { SQLiteFiles.isEmpty(place.url) }

    package static func readMetadata(at place: StorePlace) throws -> [String: Any] {
        var settings = ConnectionSettings()
        settings.isReadOnly = true
        settings.busyTimeout = place.timeout
        return try StoreFile(url: place.url, settings: settings).openForMetadata().metadata.values
    }

    package static func writeMetadata(_ metadata: [String: Any], at place: StorePlace) throws {
        let opened = try StoreFile(url: place.url, settings: ConnectionSettings()).openForMetadata()
        let pool = ConnectionPool(path: opened.connection.path, settings: ConnectionSettings())
        defer { pool.close() }
        pool.adopt(opened.connection)
        try pool.transaction { try SQLiteMetadata.write(metadata, on: $0) }
    }

    package static func areOfDestroyedStore(_ metadata: [String: Any]) -> Bool { EmptiedStore.namesNoModel(metadata) }

    package static func destroy(_ place: StorePlace) throws {
        try SQLiteFiles.destroy(
            place.url, force: place.options.flag(NSPersistentStoreForceDestroyOption), timeout: place.timeout)
    }

    package static func copy(_ source: StorePlace, to destination: StorePlace) throws {
        try SQLiteFiles.replace(destination.url, with: source.url, timeout: destination.timeout)
    }

    package static func discard(_ place: StorePlace, keepsPlace: Bool) {
        if keepsPlace {
            try? SQLiteFiles.clear(place.url, timeout: place.timeout)
        } else {
            SQLiteFiles.remove(place.url)
        }
    }

    package static func removeLeftovers(of place: StorePlace) {
        if place.url.isFileURL { FileReplacement.removeAbandoned(beside: place.url) }
    }

    package static func replacement(of place: StorePlace) throws -> any StoreReplacement {
        try FileReplacement(of: place.url, SQLiteFiles.self, timeout: place.timeout)
    }

    // MARK: Migration

    package static func requireSpace(at place: StorePlace, factor: Int64) throws {
        try FreeSpace.check(for: place.url, suffixes: ["", "-wal"], factor: factor)
    }

    package static func checkRows(of found: StoreFile.Opened, _ layouts: LayoutCorrespondence) throws {
        try SourceCheck(layouts)?.run(on: found.connection)
    }

    package static func canMigrate(_ request: EngineMigrationRequest) -> Bool { InPlaceMigration(request) != nil }

    package static func migrate(
        _ found: StoreFile.Opened, _ request: EngineMigrationRequest, _ monitor: (any MigrationMonitor)?
    ) throws {
        try InPlaceMigration(request)?.run(on: found, monitor)
    }

    package static func noteWhatIsLeftOut(of found: StoreFile.Opened) { ForeignTables.warn(on: found.connection) }
}

extension StoreWatcher: StoreWatch {}

extension ConnectionSettings {
    /// Reads the settings from a store's options.
    ///
    /// - Throws: An error that names a pragma that cannot be set.
    init(of place: StorePlace) throws {
        self.init()
        let options = place.options
        isReadOnly = place.isReadOnly
        if let timeout = options.number(NSPersistentStoreTimeoutOption) { busyTimeout = timeout }
        if let limit = options.number(NSPersistentStoreConnectionPoolMaxSizeKey), limit >= 1 {
            readerLimit = Int(min(limit, 64))
        }
        let given = options.pragmas
        if !given.isEmpty {
            var pragmas = [String: String](minimumCapacity: given.count)
            for (name, value) in given { pragmas[name] = Self.text(value) }
            try setPragmas(pragmas, path: place.url.path)
        } else if let given = options[NSSQLitePragmasOption] {
            var pragmas: [String: String] = [:]
            if let given = ClassInstance.of(given) as? NSDictionary {
                for (name, value) in given { pragmas[Self.text(name)] = Self.text(value) }
            } else if let given = given as? [AnyHashable: Any] {
                for (name, value) in given { pragmas[Self.text(name.base)] = Self.text(value) }
            }
            try setPragmas(pragmas, path: place.url.path)
        }
    }

    private static func text(_ value: Any) -> String { value as? String ?? "\(value)" }
    private static func text(_ value: NSObject) -> String { (value as? NSString).map { $0 as String } ?? "\(value)" }
}
