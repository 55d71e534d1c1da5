import Foundation

/// The files of a store: one folder per entity, one file per object.
struct Folder {
    let url: URL

    private var manager: FileManager { .default }

    func file(_ name: String, of entity: String) -> URL {
        url.appendingPathComponent(entity).appendingPathComponent(name).appendingPathExtension("json")
    }

    /// Returns the file names of an entity's objects without their extension, sorted.
    func names(of entity: String) throws -> [String] {
        let folder = url.appendingPathComponent(entity)
        guard manager.fileExists(atPath: folder.path) else { return [] }
        return try manager.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .map { $0.deletingPathExtension().lastPathComponent }.sorted()
    }

    /// Reads the record of an object. Returns nil if there is no such file.
    func record(_ name: String, of entity: String) throws -> Record? {
        let file = file(name, of: entity)
        guard manager.fileExists(atPath: file.path) else { return nil }
        return try Record(Data(contentsOf: file), file: file)
    }

    func write(_ record: Record, _ name: String, of entity: String) throws {
        let file = file(name, of: entity)
        try manager.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try record.data.write(to: file, options: .atomic)
    }

    func remove(_ name: String, of entity: String) throws {
        let file = file(name, of: entity)
        if manager.fileExists(atPath: file.path) { try manager.removeItem(at: file) }
    }

    // MARK: Metadata

    private var metadataFile: URL { url.appendingPathComponent("store.json") }

    /// Reads the metadata. Returns nil if the folder is not a store yet.
    ///
    /// - Throws: `NSFileReadCorruptFileError` if the file has no identifier.
    func metadata() throws -> [String: Any]? {
        guard manager.fileExists(atPath: metadataFile.path) else { return nil }
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: metadataFile)) as? [String: Any]
        guard let json, json["identifier"] is String else {
            throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: metadataFile.path])
        }
        return json
    }

    func writeMetadata(_ json: [String: Any]) throws {
        try manager.createDirectory(at: url, withIntermediateDirectories: true)
        let data = try JSONSerialization.data(withJSONObject: json, options: [.prettyPrinted, .sortedKeys])
        try data.write(to: metadataFile, options: .atomic)
    }
}
