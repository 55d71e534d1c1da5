import CoreDataMemoryStorage
import CoreDataRowStorage
import CoreDataSQLiteStorage
import Foundation
import PredicateFormat
import ToyStore

#if PostgreSQL
import CoreDataPostgreSQLStorage
import PostgreSQLTestSupport
#endif

/// The engines that the contract is put to.
enum EngineKind: CaseIterable, Sendable {
    case memory
    case sqlite
    /// One whose stores are no files, with several writers.
    case toy
    #if PostgreSQL
    /// Put to the contract where there is a server.
    case postgreSQL
    /// The same with history that is ordered by a counter, as in databases without transaction IDs. Put to the rules of history
    /// only.
    case countedPostgreSQL
    #endif

    static var allCases: [EngineKind] {
        var kinds: [EngineKind] = [.memory, .sqlite, .toy]
        #if PostgreSQL
        if TestServer.isAvailable { kinds.append(.postgreSQL) }
        #endif
        return kinds
    }

    /// The engines that the rules of a chapter are put to.
    static func all(for chapter: Chapter) -> [EngineKind] {
        #if PostgreSQL
        if chapter == .history, TestServer.isAvailable { return allCases + [.countedPostgreSQL] }
        #endif
        return allCases
    }

    var abilities: StoreAbilities {
        switch self {
        case .memory: [.snapshots, .exclusiveWrites]
        case .toy: [.snapshots, .exclusiveWrites, .severalWriters, .remoteChanges]
        case .sqlite:
            [
                .batches, .history, .snapshots, .uniqueness, .derivations, .composites, .exclusiveWrites,
                .externalFiles, .remoteChanges,
            ]
        #if PostgreSQL
        case .postgreSQL, .countedPostgreSQL:
            [
                .batches, .snapshots, .uniqueness, .derivations, .exclusiveWrites, .composites, .severalWriters,
                .microsecondDates, .history, .remoteChanges, .olderPrograms,
            ]
        #endif
        }
    }

    /// The rules that an engine refuses because its database would answer otherwise than evaluation in memory, or cannot hold a
    /// value, with the codes of the errors.
    var refusals: [String: Int] {
        #if PostgreSQL
        if self == .postgreSQL {
            return [
                "A selector compares as the language does": NSCoreDataError,
                "text may be \"a\\0b\"": NSPersistentStoreSaveError,
            ]
        }
        #endif
        return [:]
    }

    /// True where several engines may have one store open.
    var sharesStores: Bool { self != .memory }

    /// An empty engine for the bookshop.
    func makeEngine(keepsHistory: Bool = true) throws -> OpenEngine {
        switch self {
        case .memory:
            let identifier = UUID().uuidString
            let engine = MemoryEngine(layouts: Bookshop.layouts) { StandIn($0, storeUUID: identifier) }
            return OpenEngine(engine, identifier: identifier) { engine.close() }
        case .sqlite: return try Self.makeSQLite(keepsHistory: keepsHistory)
        case .toy: return try Self.makeToy()
        #if PostgreSQL
        case .postgreSQL: return try Self.makePostgreSQL(keepsHistory: keepsHistory)
        case .countedPostgreSQL: return try Self.makePostgreSQL(keepsHistory: keepsHistory, order: "counter")
        #endif
        }
    }

    private static func makeToy() throws -> OpenEngine {
        guard let url = URL(string: "toy://contract/\(UUID().uuidString)") else {
            throw CocoaError(.featureUnsupported)
        }
        let (place, model) = (StorePlace(url), Model())
        let found = try ToyDriver.make(place, for: model, Bookshop.layouts)
        return try open(found, model) { try? ToyDriver.destroy(place) }
    }

    private static func open(
        _ found: ToyDriver.Found, _ model: Model, finish: @escaping @Sendable () -> Void
    ) throws -> OpenEngine {
        let identifier = ToyDriver.metadata(of: found).identifier
        let engine = try ToyDriver.open(
            found,
            for: EngineOpening(layouts: Bookshop.layouts, model: model, required: [], identifier: identifier) {
                StandIn($0, storeUUID: identifier)
            })
        return OpenEngine(engine, identifier: identifier) {
            ToyDriver.close(engine)
            finish()
        } another: {
            try open(found, model) {}
        }
    }

    #if PostgreSQL
    private static func makePostgreSQL(keepsHistory: Bool, order: String? = nil) throws -> OpenEngine {
        let url = try TestServer.makeSchema()
        let model = Model()
        let found = try PostgreSQLDriver.make(StorePlace(url), for: model, Bookshop.layouts)
        var options: [String: Any] = [:]
        if keepsHistory { options[NSPersistentHistoryTrackingKey] = true }
        if let order { options[NSPersistentHistoryOrderKey] = order }
        return try open(found, url, model, StoreOptions(options)) { TestServer.removeSchema(url) }
    }

    private static func open(
        _ found: PostgreSQLDriver.Found, _ url: URL, _ model: Model, _ options: StoreOptions,
        finish: @escaping @Sendable () -> Void
    ) throws -> OpenEngine {
        let identifier = PostgreSQLDriver.metadata(of: found).identifier
        let engine = try PostgreSQLDriver.open(
            found,
            for: EngineOpening(
                layouts: Bookshop.layouts, model: model, required: [], identifier: identifier, options: options
            ) {
                StandIn($0, storeUUID: identifier)
            })
        return OpenEngine(engine, identifier: identifier) {
            PostgreSQLDriver.close(engine)
            finish()
        } another: {
            guard let found = try PostgreSQLDriver.find(StorePlace(url)) else { throw CocoaError(.fileReadNoSuchFile) }
            return try open(found, url, model, options) {}
        }
    }
    #endif

    private static func makeSQLite(keepsHistory: Bool) throws -> OpenEngine {
        let folder = try makeFolder()
        let model = Model()
        let file = storeFile(in: folder)
        let connection = try file.create(Bookshop.layouts, model: model, metadata: SQLiteMetadata.fresh(for: model))
        let opened = StoreFile.Opened(
            file, connection, metadata: try SQLiteMetadata.read(connection),
            schemaVersion: try connection.schemaVersion())
        return try open(opened, model, folder, keepsHistory: keepsHistory)
    }

    /// An engine for a copy of the files of another one, which is closed.
    static func openSQLite(copying other: URL) throws -> OpenEngine {
        let folder = try makeFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: other.path) {
            try FileManager.default.copyItem(
                at: other.appendingPathComponent(name), to: folder.appendingPathComponent(name))
        }
        return try open(storeFile(in: folder).open(), Model(), folder, keepsHistory: true)
    }

    private static func open(
        _ opened: StoreFile.Opened, _ model: Model, _ folder: URL, keepsHistory: Bool, removesFolder: Bool = true
    ) throws -> OpenEngine {
        let layouts = Bookshop.layouts
        let identifier = opened.metadata.identifier
        let opening = EngineOpening(
            layouts: layouts, model: model, required: Set(layouts.all.map(\.number)), identifier: identifier,
            options: StoreOptions([NSPersistentHistoryTrackingKey: keepsHistory])
        ) { StandIn($0, storeUUID: identifier) }
        let engine = try SQLiteEngine.open(opened, for: opening)
        return OpenEngine(engine, identifier: opened.metadata.identifier, folder: removesFolder ? folder : nil) {
            engine.close()
        } another: {
            try open(storeFile(in: folder).open(), model, folder, keepsHistory: keepsHistory, removesFolder: false)
        }
    }

    private static func storeFile(in folder: URL) -> StoreFile {
        StoreFile(
            url: folder.appendingPathComponent("store.sqlite"),
            settings: ConnectionSettings(pragmas: ["synchronous": "OFF"]))
    }

    private static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("contract-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// A model without a file.
    private final class Model: StoredModel {
        var versionMetadata: [String: Any] { [NSStoreModelVersionIdentifiersKey: ["1"]] }
        func archive() -> Data? { nil }
    }
}

/// An engine that is closed, and its files removed, when it is not used any more.
final class OpenEngine: Sendable {
    let engine: any StoreEngine
    /// The store's UUID.
    let identifier: String
    /// Where its files are; nil for one without.
    let folder: URL?
    private let close: @Sendable () -> Void
    /// Opens the same store once more; nil where one engine alone can have it.
    let another: (@Sendable () throws -> OpenEngine)?

    init(
        _ engine: any StoreEngine, identifier: String, folder: URL? = nil, close: @escaping @Sendable () -> Void,
        another: (@Sendable () throws -> OpenEngine)? = nil
    ) {
        self.another = another
        self.engine = engine
        self.identifier = identifier
        self.folder = folder
        self.close = close
    }

    /// Closes the engine, whose files may then be copied.
    func finish() { close() }

    deinit {
        close()
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }
}

/// What a predicate has in place of a row's object.
final class StandIn: NSObject, RowIdentified {
    let reference: RowReference
    private let storeUUID: String

    init(_ reference: RowReference, storeUUID: String) {
        self.reference = reference
        self.storeUUID = storeUUID
    }

    var rowIdentity: RowIdentity? {
        guard let layout = Bookshop.layouts.byNumber[reference.entityNumber] else { return nil }
        return RowIdentity(storeUUID: storeUUID, layout: layout, key: reference.key)
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? StandIn else { return false }
        return reference == other.reference && storeUUID == other.storeUUID
    }
    override var hash: Int { reference.hashValue }
}
