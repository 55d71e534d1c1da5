import CCoreDataSQLite
import Foundation

/// A copy of a store, read with plain SQL.
struct StoreFile {
    /// The version hashes in the store's metadata, by entity.
    var hashes: [String: Data] = [:]
    /// The digest and checksum of the whole model, where the framework that wrote the store knew them.
    var digest: String?
    var checksum: String?
    /// The content of `Z_MODELCACHE`, if the store has it.
    var cache: Data?

    init(copyOf url: URL) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let copy = folder.appendingPathComponent("store.sqlite")
        try Data(contentsOf: url).write(to: copy)
        if let log = try? Data(contentsOf: URL(fileURLWithPath: url.path + "-wal")) {
            try log.write(to: URL(fileURLWithPath: copy.path + "-wal"))
        }
        var database: OpaquePointer?
        guard sqlite3_open_v2(copy.path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
            throw CocoaError(.fileReadCorruptFile)
        }
        defer { _ = sqlite3_close(database) }
        cache = Self.blob(database, "SELECT Z_CONTENT FROM Z_MODELCACHE")
        if let list = Self.blob(database, "SELECT Z_PLIST FROM Z_METADATA"),
            let metadata = try PropertyListSerialization.propertyList(from: list, format: nil) as? [String: Any]
        {
            hashes = metadata["NSStoreModelVersionHashes"] as? [String: Data] ?? [:]
            digest = metadata["NSStoreModelVersionHashesDigest"] as? String
            checksum = metadata["NSStoreModelVersionChecksumKey"] as? String
        }
    }

    private static func blob(_ database: OpaquePointer?, _ sql: String) -> Data? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { return nil }
        defer { _ = sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW, let bytes = sqlite3_column_blob(statement, 0) else { return nil }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, 0)))
    }
}
