import CoreDataMemoryStorage
import CoreDataRowStorage
import CoreDataSQLiteStorage
import Foundation
import PredicateFormat

/// The engines that the contract is put to.
enum EngineKind: CaseIterable, Sendable {
    case memory
    case sqlite

    var abilities: StoreAbilities {
        switch self {
        case .memory: []
        case .sqlite: [.batches, .history, .generations, .uniqueness, .derivations]
        }
    }

    /// An empty engine for the bookshop.
    func makeEngine(keepsHistory: Bool = true) throws -> OpenEngine {
        switch self {
        case .memory:
            let identifier = UUID().uuidString
            let engine = MemoryEngine(layouts: Bookshop.layouts) { StandIn($0, storeUUID: identifier) }
            return OpenEngine(engine, identifier: identifier) { engine.close() }
        case .sqlite: return try Self.makeSQLite(keepsHistory: keepsHistory)
        }
    }

    private static func makeSQLite(keepsHistory: Bool) throws -> OpenEngine {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("contract-\(UUID().uuidString)", isDirectory: true)
        let layouts = Bookshop.layouts
        let model = Model()
        let file = StoreFile(
            url: folder.appendingPathComponent("store.sqlite"),
            settings: ConnectionSettings(pragmas: ["synchronous": "OFF"]))
        let connection = try file.create(layouts, model: model, metadata: SQLiteMetadata.fresh(for: model))
        let metadata = try SQLiteMetadata.read(connection)
        let opened = StoreFile.Opened(
            file, connection, metadata: metadata, schemaVersion: try connection.schemaVersion())
        var opening = SQLiteOpening(
            layouts: layouts, model: model, required: Set(layouts.all.map(\.number)),
            identifier: metadata.identifier)
        opening.recordsHistory = keepsHistory
        let engine = try SQLiteEngine.open(opened, for: opening)
        return OpenEngine(engine, identifier: metadata.identifier) {
            engine.close()
            try? FileManager.default.removeItem(at: folder)
        }
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
    private let end: @Sendable () -> Void

    init(_ engine: any StoreEngine, identifier: String, end: @escaping @Sendable () -> Void) {
        self.engine = engine
        self.identifier = identifier
        self.end = end
    }

    deinit { end() }
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
