#if canImport(CoreDataSQLiteStorage)
import CoreDataModelLayouts
import CoreDataRowStorage
import CoreDataSQLiteStorage
import Foundation
import ModelFormat

/// A store that is opened once for several reads.
///
/// The file is read as it is when the store is opened, with the log beside it; no byte is changed. If others have the store
/// open, each read sees the latest commit. To be used by one thread at a time; a query may be run while the rows of another
/// are passed.
///
/// ```swift
/// let store = try OpenStore(url)
/// let people = store.query(entity: "Person")
/// let team = try store.related("team", of: people.rows()[0].uri)
/// ```
public final class OpenStore {
    /// The store's file.
    public let url: URL
    /// The model: the one that was given, or the one in the store.
    public let model: Model
    /// The store's identifier, the first part of the URIs of its objects.
    public let identifier: String
    let engine: SQLiteEngine
    private let content: StoreLayouts
    /// The image that is read; nil if others have the store open, and SQLite's locks protect each question.
    private let reader: StoreReader?
    private let source: EngineSource
    /// The names of the entities by number; index 0 is unused.
    let names: [String]
    /// The store's metadata, and the archive of the model in it; nil if there is none.
    let metadata: [String: Any]
    let archive: Data?
    private let prefixes: [String]
    /// The beginnings of the URIs of objects, by the number of the entity; nil for those with characters that need escapes
    /// in JSON or CSV.
    let plainPrefixes: [String?]
    /// The numbers of the entities in the store.
    let present: Set<Int>

    var layouts: ModelLayouts { content.layouts }

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - url: the store's file.
    ///   - model: the model that the store was made with; nil for the one in the store.
    /// - Throws: ``StoreToolError``: what keeps the store from being read; ``StoreToolError/Code/noModel`` if there is no
    ///   model; ``StoreToolError/Code/otherModel`` if the given one is another version.
    public init(_ url: URL, model: Model? = nil) throws {
        self.url = url
        let reader = try StoreReader(url)
        try Self.requirePlainTables(reader)
        if let image = reader.image {
            self.reader = reader
            source = try EngineSource(image, of: url)
        } else {
            // Its transaction would keep the log from being emptied.
            self.reader = nil
            source = EngineSource(storeInUseAt: url)
        }
        do {
            var settings = ConnectionSettings()
            settings.isReadOnly = true
            settings.source = source.source
            // Each row that is passed on may ask another question.
            settings.readerLimit = 64
            let opened = try StoreFile(url: url, settings: settings).open()
            identifier = opened.metadata.identifier
            metadata = opened.metadata.values
            archive = try? SQLiteDriver.modelArchive(of: opened)
            let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
            // It is a part of every URI.
            guard identifier.utf8.count <= Self.longestIdentifier else {
                throw StoreToolError(
                    .failed, "The store \(url.lastPathComponent) has an identifier of \(identifier.utf8.count) bytes.",
                    advice: "Check the store, and rescue what is there.", url: url)
            }
            let model = try Self.model(model, of: opened, hashes, url)
            self.model = model
            let content = try StoreLayouts(model)
            self.content = content
            let layouts = content.layouts
            let numbers = layouts.all.filter { hashes?[$0.name] != nil }.map(\.number)
            present = Set(numbers.isEmpty ? layouts.all.map(\.number) : numbers)
            engine = try SQLiteEngine.open(
                opened,
                for: EngineOpening(
                    layouts: layouts, model: nil, required: present, identifier: identifier,
                    objectID: { _ in NSObject() }))
            names = layouts.byNumber.map { $0?.name ?? "" }
            let uuid = identifier
            prefixes = names.map { ObjectAddress.prefix(storeUUID: uuid, entity: $0) }
            plainPrefixes = prefixes.map(ObjectAddress.plainPrefix)
        } catch {
            try reader.requireUnchanged()
            if let error = error as? StoreLayouts.TooManyEntities {
                throw StoreToolError(.noModel, error.message, url: url)
            }
            throw StoreToolError(error, url: url)
        }
    }

    private static let longestIdentifier = 1000

    deinit { engine.close() }

    /// Checks that no table of Core Data's has columns that SQLite would compute by the file's own expressions.
    private static func requirePlainTables(_ reader: StoreReader) throws {
        let refused = reader.database.readGuard?.trust.refused.filter { $0.hasPrefix("Z") }.sorted() ?? []
        guard let table = refused.first else { return }
        throw StoreToolError(
            .failed,
            "The table \(table) of the store \(reader.url.lastPathComponent) is not one that Core Data creates.",
            advice: "Check the store, and rescue what is there.", url: reader.url)
    }

    private static func model(
        _ given: Model?, of opened: StoreFile.Opened, _ hashes: [String: Data]?, _ url: URL
    ) throws -> Model {
        guard let given else { return try model(in: opened, url) }
        guard let hashes, !hashes.isEmpty else { return given }
        let own = try given.versionHashes()
        let others = hashes.keys.filter { own[$0] != hashes[$0] }.sorted()
        guard let first = others.first else { return given }
        throw StoreToolError(
            .otherModel, "The given model is not that of the store \(url.lastPathComponent): \(first) differs.",
            advice: "Pass the version that the store was made with, or none to use the one in the store.", url: url)
    }

    private static func model(in opened: StoreFile.Opened, _ url: URL) throws -> Model {
        let archive: Data
        do {
            archive = try SQLiteDriver.modelArchive(of: opened) ?? Data()
        } catch let error as NSError where error.code == NSMigrationMissingSourceModelError {
            throw StoreToolError(
                .noModel, "The store \(url.lastPathComponent) contains no model.",
                advice: "Pass the model that it was made with.", url: url)
        }
        do {
            return try Model(cacheContent: archive)
        } catch {
            throw StoreToolError(
                .noModel, "The model in the store \(url.lastPathComponent) cannot be read.",
                advice: "Pass the model that the store was made with.", url: url, underlying: "\(error)")
        }
    }

    // MARK: Reading

    /// An error of a caller's closure, which is thrown as it is.
    struct BodyError: Error {
        let error: any Error
    }

    /// Runs a question, and converts its errors.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        let result: Result
        do {
            result = try body()
        } catch let error as BodyError {
            throw error.error
        } catch {
            // A changed file explains any other error.
            try reader?.requireUnchanged()
            throw StoreToolError(error, url: url)
        }
        try reader?.requireUnchanged()
        return result
    }

    /// Begins a session that shows one state of the store.
    func session() throws -> any StoreSession {
        try reader == nil ? engine.snapshot() ?? engine.session() : engine.session()
    }

    /// Checks that the store contains an entity: those of other configurations have no table.
    func requireEntity(_ layout: EntityLayout) throws {
        guard !present.contains(layout.number) else { return }
        throw StoreToolError(
            .invalidQuery, "The store \(url.lastPathComponent) does not contain the entity \(layout.name).",
            advice: "It was made with a configuration of the model without it.", url: url)
    }

    /// Returns the reference to an object.
    func object(_ number: Int, _ key: Int64) -> StoreQuery.Value {
        .object(uri: ObjectAddress.uri(prefixes[number] + String(key)), entity: names[number])
    }
}
#endif
