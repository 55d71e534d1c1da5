import CCoreDataSQLite
import CoreData
import ModelFormat

extension Target {
    /// The property list in the table Z_METADATA of a store.
    static let storeMetadata = Target(
        name: "store-metadata",
        words: [
            "NSStoreModelVersionHashes", "NSStoreModelVersionIdentifiers", "NSPersistenceFrameworkVersion", "bplist00",
            "<plist>", "<dict>", "<key>", "<data>",
        ],
        seeds: { [try store.metadata()] },
        read: { data in
            try store.replace("UPDATE Z_METADATA SET Z_PLIST = ?1", with: data)
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: store.url, options: [NSReadOnlyPersistentStoreOption: true])
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
            let opened = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: store.url,
                options: [NSReadOnlyPersistentStoreOption: true])
            try coordinator.remove(opened)
        })

    /// The model in the table Z_MODELCACHE of a store, as the source of a migration. Inputs are archives, which are stored in
    /// an uncompressed DEFLATE block.
    static let cachedModels = Target(
        name: "cached-models", words: compiledModels.words, seeds: compiledModels.seeds,
        read: { data in
            try store.replace("UPDATE Z_MODELCACHE SET Z_CONTENT = ?1", with: stored(data))
            let model = try NSManagedObjectModel(cachedInStoreAt: store.url)
            _ = model.entityVersionHashesByName
            _ = try? NSMappingModel.inferredMappingModel(forSourceModel: model, destinationModel: store.model)
            _ = try? NSMappingModel.inferredMappingModel(forSourceModel: store.model, destinationModel: model)
        })

    nonisolated(unsafe) private static let store = SampleStore()

    /// Returns the data as one uncompressed DEFLATE block (RFC 1951).
    private static func stored(_ data: Data) -> Data {
        let length = UInt16(clamping: data.count)
        let header = [length, ~length].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        return Data([1] + header) + data.prefix(Int(length))
    }
}

/// A store, and a separate SQLite connection to modify it.
private final class SampleStore {
    let model = Workshop.model(of: Target.sampleXML)
    let url = Workshop.folder.appendingPathComponent("Sample.sqlite")
    private var database: OpaquePointer?

    init() {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try! coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
        try! coordinator.remove(store)
        require(sqlite3_open_v2(url.path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, "no database")
        require(sqlite3_exec(database, "PRAGMA synchronous = OFF", nil, nil, nil) == SQLITE_OK, "no pragma")
    }

    func metadata() throws -> Data {
        try run("SELECT Z_PLIST FROM Z_METADATA", with: nil) { statement in
            guard sqlite3_step(statement) == SQLITE_ROW, let bytes = sqlite3_column_blob(statement, 0) else {
                throw Refused()
            }
            return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, 0)))
        }
    }

    /// Runs an UPDATE statement with `blob` as its parameter.
    func replace(_ update: String, with blob: Data) throws {
        try run(update, with: blob) { statement in
            require(sqlite3_step(statement) == SQLITE_DONE, "the store cannot be prepared")
        }
    }

    private func run<Result>(
        _ sql: String, with blob: Data?, _ body: (OpaquePointer?) throws -> Result
    ) throws -> Result {
        var statement: OpaquePointer?
        require(sqlite3_prepare_v3(database, sql, -1, 0, &statement, nil) == SQLITE_OK, "no such table")
        defer { _ = sqlite3_finalize(statement) }
        return try (blob ?? Data()).withUnsafeBytes { bytes in
            // Binding a null pointer would store NULL instead of an empty blob.
            if blob != nil, bytes.isEmpty { throw Refused() }
            if blob != nil {
                let code = sqlite3_bind_blob64(statement, 1, bytes.baseAddress, sqlite3_uint64(bytes.count), nil)
                require(code == SQLITE_OK, "the input cannot be bound")
            }
            return try body(statement)
        }
    }
}
