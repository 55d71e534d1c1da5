#if canImport(CoreDataSQLiteStorage)
import CoreDataModelLayouts
import CoreDataRowStorage
import Foundation
import ModelFormat
import ModelPredicates
#if PostgreSQL
import CoreDataPostgreSQLStorage
#endif

/// A store that is copied, as it was when the copying began.
final class CopySource {
    let place: StorePlace
    let model: Model
    let layouts: ModelLayouts
    /// The numbers of the entities in the store: those of other configurations have no table.
    let present: Set<Int>
    let identifier: String
    let metadata: [String: Any]
    let archive: Data?
    let session: any StoreSession
    /// Returns the highest keys that were ever reserved, by the numbers of the root entities.
    let highestKeys: ([EntityLayout]) throws -> [Int: Int64]
    /// Runs reads, and throws their errors as those of this store.
    private let guarding: (() throws -> Void) throws -> Void
    private let closing: () -> Void

    /// Opens an SQLite store, changing no byte.
    init(fileAt url: URL, model given: Model?) throws {
        let store = try OpenStore(url, model: given)
        place = StorePlace(url)
        (model, layouts, present) = (store.model, store.layouts, store.present)
        (identifier, metadata) = (store.identifier, store.metadata)
        archive = try given == nil ? store.archive : Self.archive(store.model)
        session = try store.reading { try store.session() }
        highestKeys = { roots in try store.reading { try store.engine.highestKeys(of: roots) } }
        guarding = { body in try store.reading(body) }
        let session = session
        closing = {
            try? session.end()
            withExtendedLifetime(store) {}
        }
    }

    #if PostgreSQL
    /// Opens a PostgreSQL store, and keeps a snapshot of it.
    init(databaseAt url: URL, model given: Model?) throws {
        let place = StorePlace(url)
        self.place = place
        guard let found = try PostgreSQLDriver.find(place) else {
            throw StoreToolError(
                .noFile, "There is no store in \(place.name).",
                advice: "Check the database and the user, to whom the schema belongs.")
        }
        do {
            let known = PostgreSQLDriver.metadata(of: found)
            let values = known.values()
            let stored = try PostgreSQLDriver.modelArchive(of: found)
            guard let model = try given ?? stored.map({ try Model(cacheContent: $0) }) else {
                throw StoreToolError(
                    .noModel, "The store in \(place.name) contains no model.",
                    advice: "Pass the model that it was made with.")
            }
            if let given, let hashes = StoreVersionHashes.hashes(in: values), !hashes.isEmpty {
                let own = try given.versionHashes()
                if let other = hashes.keys.sorted().first(where: { own[$0] != hashes[$0] }) {
                    throw StoreToolError(
                        .otherModel, "The given model is not that of the store in \(place.name): \(other) differs.",
                        advice: "Pass the version that the store was made with, or none to use the one in the store.")
                }
            }
            let content = try StoreLayouts(model)
            let engine = try PostgreSQLDriver.open(
                found,
                for: EngineOpening(
                    layouts: content.layouts, model: nil, required: [], identifier: known.identifier,
                    objectID: { _ in NSObject() }))
            guard let session = try engine.snapshot() else { throw StoreErrors.notOpen }
            self.model = model
            layouts = content.layouts
            present = Set(content.layouts.all.map(\.number))
            (identifier, metadata, archive) = (known.identifier, values, stored)
            self.session = session
            highestKeys = { try engine.highestKeys(of: $0) }
            guarding = { body in try body() }
            closing = {
                try? session.end()
                PostgreSQLDriver.close(engine)
                withExtendedLifetime(content) {}
            }
        } catch {
            PostgreSQLDriver.abandon(found)
            throw error
        }
    }
    #endif

    deinit { closing() }

    private static func archive(_ model: Model) throws -> Data? {
        try model.cacheContent(parser: FormatTextParser())
    }

    /// Runs reads. Errors are those of the store.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        var result: Result?
        try guarding { result = try body() }
        guard let result else { throw StoreErrors.notOpen }
        return result
    }

    /// The entries of the metadata that belong to the program.
    var programMetadata: [String: Any] {
        metadata.filter { !Self.ownKeys.contains($0.key) && $0.key != UnfinishedCopy.key }
    }

    /// The entries that identify the version of the model.
    var versionMetadata: [String: Any] { metadata.filter { Self.versionKeys.contains($0.key) } }

    private static let versionKeys: Set<String> = [
        NSStoreModelVersionHashesKey, NSStoreModelVersionIdentifiersKey, "NSStoreModelVersionChecksumKey",
        "NSStoreModelVersionHashesVersion", "NSStoreModelVersionHashesDigest",
    ]
    /// The entries that Core Data writes for each store.
    private static let ownKeys: Set<String> = versionKeys.union([
        NSStoreTypeKey, NSStoreUUIDKey, "NSPersistentStoreOSCompatibility", "NSPersistenceFrameworkVersion",
        "NSPersistenceMaximumFrameworkVersion", "_NSAutoVacuumLevel",
    ])
}

/// The model of a copy: that of its source.
final class CopiedModel: StoredModel, @unchecked Sendable {
    let versionMetadata: [String: Any]
    private let data: Data?

    /// - Parameter journal: The journal, which the store has from the beginning.
    init(_ source: CopySource, _ journal: CopyJournal) {
        var metadata = source.versionMetadata
        metadata[UnfinishedCopy.key] = journal.entry
        versionMetadata = metadata
        data = source.archive
    }

    func archive() -> Data? { data }
}
#endif
