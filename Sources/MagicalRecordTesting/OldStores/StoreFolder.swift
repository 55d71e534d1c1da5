import Foundation
import MagicalRecord

/// A folder of old stores.
struct StoreFolder {
    private let url: URL

    init(_ url: URL) { self.url = url }

    /// The endings of the files that SQLite keeps beside a store.
    private static let logs = ["-wal", "-shm", "-journal"]

    /// Returns the paths of the stores, sorted, relative to the folder.
    ///
    /// - Throws: `MagicalRecordError.Code.storeFile` if the folder is missing or contains no files.
    func paths() throws -> [String] {
        guard Self.isFolder(url.path) == true else {
            let fault = Self.isFolder(url.path) == nil ? "does not exist" : "is not a folder"
            throw MagicalRecordError(
                .storeFile, "The folder of old stores \(url.path) \(fault).",
                advice: "In a package, declare it as a resource: .copy(\"OldStores\").")
        }
        let files = try FileManager.default.subpathsOfDirectory(atPath: url.path).filter { path in
            // Folders of external data are hidden.
            !path.split(separator: "/").contains { $0.hasPrefix(".") }
                && Self.isFolder(url.appendingPathComponent(path).path) == false
        }
        let all = Set(files)
        let stores = files.filter { path in
            // A log without a store is an error of the collection.
            !Self.logs.contains { path.hasSuffix($0) && all.contains(String(path.dropLast($0.count))) }
        }
        guard !stores.isEmpty else {
            throw MagicalRecordError(
                .storeFile, "The folder \(url.path) contains no stores.",
                advice: "Add one store for each release of the program.")
        }
        return stores.sorted {
            let order = $0.compare($1, options: .numeric)
            return order == .orderedSame ? $0 < $1 : order == .orderedAscending
        }
    }

    /// Copies a store with its logs and external data to another folder, and returns the URL of the copy, which is writable.
    ///
    /// Of a symbolic link, logs and external data are looked for beside the link, then beside the file it leads to.
    static func copy(_ store: URL, to folder: URL) throws -> URL {
        let copy = folder.appendingPathComponent(store.lastPathComponent)
        try copyFile(store, to: copy)
        let places = [store, store.resolvingSymlinksInPath()]
        // All of one place: logs of two places do not fit together.
        if let place = places.first(where: { !endings(ofLogsOf: $0).isEmpty }) {
            for ending in endings(ofLogsOf: place) { try copyFile(log(ending, of: place), to: log(ending, of: copy)) }
        }
        if let external = places.map(support(of:)).first(where: { isFolder($0.path) == true }) {
            try copyFolder(external, to: support(of: copy))
        }
        return copy
    }

    private static func endings(ofLogsOf store: URL) -> [String] {
        logs.filter { isFolder(log($0, of: store).path) == false }
    }

    private static func log(_ ending: String, of store: URL) -> URL {
        store.deletingLastPathComponent().appendingPathComponent(store.lastPathComponent + ending)
    }

    /// Returns the URL of a store's folder of external data.
    private static func support(of store: URL) -> URL {
        let name = ".\(store.deletingPathExtension().lastPathComponent)_SUPPORT"
        return store.deletingLastPathComponent().appendingPathComponent(name, isDirectory: true)
    }

    private static func copyFolder(_ source: URL, to destination: URL) throws {
        // Created rather than copied: the original may be read-only.
        try FileManager.default.createDirectory(at: destination, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: source.path) {
            let (from, to) = (source.appendingPathComponent(name), destination.appendingPathComponent(name))
            if isFolder(from.path) == true { try copyFolder(from, to: to) } else { try copyFile(from, to: to) }
        }
    }

    private static func copyFile(_ source: URL, to destination: URL) throws {
        try FileManager.default.copyItem(at: source.resolvingSymlinksInPath(), to: destination)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: destination.path)
    }

    /// Returns whether there is a folder at a path; nil if there is nothing.
    private static func isFolder(_ path: String) -> Bool? {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) ? isFolder.boolValue : nil
    }
}

/// The type and metadata of a store's file.
struct StoreHeader {
    let type: String
    let metadata: [String: Any]

    /// - Throws: the error of the store type that the file's first bytes indicate.
    init(of url: URL) throws {
        let handle = try FileHandle(forReadingFrom: url)
        let start = try handle.read(upToCount: 15) ?? Data()
        try handle.close()
        type = Self.type(of: start)
        metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url, options: nil)
        guard let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Any], !hashes.isEmpty else {
            throw MagicalRecordError(.storeFile, "It contains no version of a model.")
        }
    }

    /// The names of the entities in the store's version, sorted.
    var entities: [String] {
        (metadata[NSStoreModelVersionHashesKey] as? [String: Any] ?? [:]).keys.sorted()
    }

    private static func type(of start: Data) -> String {
        if start == Data("SQLite format 3".utf8) { return NSSQLiteStoreType }
        #if os(macOS) || !canImport(ObjectiveC)
        if start.starts(with: Data("<?xml".utf8)) { return NSXMLStoreType }
        #endif
        return NSBinaryStoreType
    }
}
