import CoreDataFileStorage
import CoreDataMemoryStorage
import CoreDataRowStorage
import CoreDataStoreFiles
import Foundation

/// The file format of a store that is read and written as a whole.
protocol StoreFileFormat {
    /// Reads only the metadata. Must not trap on any content.
    static func metadata(in data: Data) throws -> [String: Any]
    /// Returns the file's content with its metadata replaced.
    static func replacingMetadata(in data: Data, with metadata: [String: Any]) throws -> Data
    /// Reads the file's content into an empty state.
    static func read(_ data: Data, into state: inout MemoryState) throws
    /// Returns the file's content for a state and metadata.
    static func write(_ state: MemoryState, metadata: [String: Any]) throws -> Data
}

/// A store in a single file, kept in memory while it is open. Every save atomically replaces the file.
///
/// Cost: opening reads the whole file, each save writes all of it. If two coordinators have the same file open, the later save
/// wins.
class FileStore: NSPersistentStore, MemoryBackedStore, @unchecked Sendable {
    private(set) nonisolated(unsafe) var memory: MemoryEngine?
    /// The file's content, read along with the metadata and released when the store is opened.
    private nonisolated(unsafe) var content: Data?

    class var format: any StoreFileFormat.Type { preconditionFailure("A subclass names its format.") }
    /// See ``MemoryState/init(plan:lastSharedKey:)``.
    class var lastSharedKey: Int64? { nil }

    private var format: any StoreFileFormat.Type { Swift.type(of: self).format }

    override class var hasOwnPlace: Bool { true }
    override class var urlSchemes: [String]? { [] }

    override class func removeLeftovers(of place: StorePlace) {
        guard place.url.isFileURL else { return }
        FileReplacement.removeAbandoned(beside: place.url)
        StoreFiles.removeAbandonedWrites(beside: place.url)
    }

    // MARK: Opening

    override func loadMetadata() throws {
        guard let url, url.isFileURL else {
            throw CoreDataError.make(
                NSPersistentStoreOpenError, description: "The store could not be opened.",
                reason: "A store of the type \(type) needs a file URL, not \(url?.absoluteString ?? "none").")
        }
        if let data = try Self.read(url), !data.isEmpty {
            metadata = try Self.explaining(url) { try format.metadata(in: data) }
            content = data
        } else {
            guard !isReadOnly else {
                throw CoreDataError.make(
                    NSFileReadNoSuchFileError, description: "There is no store at \(url.path).",
                    reason: "A store that is opened for reading only is not created.",
                    userInfo: [NSFilePathErrorKey: url.path, NSURLErrorKey: url])
            }
            var fresh = persistentStoreCoordinator?.managedObjectModel.versionMetadata ?? [:]
            fresh[NSStoreTypeKey] = type
            fresh[NSStoreUUIDKey] = identifier
            metadata = fresh
        }
    }

    override func reloadMetadata() throws {
        content = nil
        try loadMetadata()
        noteMetadataSaved()
    }

    override func openStore() throws {
        guard let layouts, let url else { preconditionFailure("A store is prepared for a model before it is opened.") }
        let engine = makeEngine(layouts, lastSharedKey: Swift.type(of: self).lastSharedKey)
        memory = engine
        if let content {
            try Self.explaining(url) { try engine.load { try format.read(content, into: &$0) } }
            self.content = nil
        } else {
            try write(engine.state, metadata: metadata)
        }
    }

    override func closeStore() { memory?.close() }

    // MARK: Saving

    package func save(_ changes: StoreChanges, in session: any StoreSession) throws -> SavedKeys {
        try requireWritable()
        return try engine.save(changes) { [self] in try write($0, metadata: changes.metadata ?? metadata) }
    }

    private func write(_ state: MemoryState, metadata: [String: Any]) throws {
        guard let url else { return }
        do {
            try StoreFiles.write(try format.write(state, metadata: metadata), to: url)
        } catch let error as CocoaError where error.code.rawValue >= NSManagedObjectValidationError {
            throw error
        } catch {
            throw CoreDataError.make(
                NSPersistentStoreSaveError, description: "The store at \(url.path) could not be written.",
                reason: error.localizedDescription,
                advice:
                    "Check that this process may write to the folder \(url.deletingLastPathComponent().path), and that "
                    + "its disk has space.",
                underlying: error, userInfo: [NSAffectedStoresErrorKey: [self]])
        }
    }

    // MARK: Metadata of stores that are not open

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try explaining(url) { try format.metadata(in: try read(url) ?? Data()) }
    }

    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        let data = try read(url) ?? Data()
        try explaining(url) {
            var complete = try format.metadata(in: data)
            let own = complete.filter { StoreMetadata.ownKeys.contains($0.key) }
            complete = own.merging(metadata ?? [:]) { _, new in new }
            try StoreFiles.write(try format.replacingMetadata(in: data, with: complete), to: url)
        }
    }

    // MARK: Files

    override class func destroyStore(at place: StorePlace) throws {
        try requireNoOtherType(at: place.url)
        try super.destroyStore(at: place)
        if place.url.isFileURL { StoreFiles.removeAbandonedWrites(beside: place.url) }
    }

    override class func copyStore(at source: StorePlace, to destination: StorePlace) throws {
        for place in [destination, source] { try requireNoOtherType(at: place.url) }
        try super.copyStore(at: source, to: destination)
    }

    /// Checks that a file does not belong to a store of another type. A damaged file passes, so that it can be destroyed.
    ///
    /// - Throws: `NSPersistentStoreTypeMismatchError` for an SQLite database and for a store of the other file type.
    private static func requireNoOtherType(at url: URL) throws {
        guard url.isFileURL, let data = try read(url) else { return }
        try explaining(url) {
            if data.starts(with: "SQLite format 3\0".utf8) {
                throw StoreFileDamage("It is an SQLite database.", isOtherFormat: true)
            }
            for other in [BinaryStore.self, XMLStore.self] as [FileStore.Type] where other != self {
                guard (try? other.format.metadata(in: data)) != nil else { continue }
                throw StoreFileDamage("It is a store of another type.", isOtherFormat: true)
            }
        }
    }

    /// Returns the content of a file, or nil if it does not exist.
    private static func read(_ url: URL) throws -> Data? {
        guard StoreFiles.exists(url) else { return nil }
        do {
            return try StoreFiles.contents(url.path)
        } catch is OpenDatabases.IsOpen {
            return try explaining(url) {
                throw StoreFileDamage("It is an SQLite database, which is open.", isOtherFormat: true)
            }
        } catch {
            throw CoreDataError.make(
                NSPersistentStoreOpenError, description: "The store at \(url.path) could not be read.",
                underlying: error, userInfo: [NSURLErrorKey: url])
        }
    }

    /// Runs `body` and converts ``StoreFileDamage`` to a Core Data error.
    private static func explaining<T>(_ url: URL, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let damage as StoreFileDamage {
            throw CoreDataError.make(
                damage.isOtherFormat ? NSPersistentStoreTypeMismatchError : NSFileReadCorruptFileError,
                description: "The file at \(url.path) is not a usable store.", reason: damage.reason,
                advice: damage.isOtherFormat
                    ? "Open it with the store type it was made with." : "Restore it from a backup.",
                userInfo: [NSFilePathErrorKey: url.path, NSURLErrorKey: url])
        }
    }
}

/// A defect in the content of a store file.
struct StoreFileDamage: Error {
    var reason: String
    var isOtherFormat = false
    init(_ reason: String, isOtherFormat: Bool = false) {
        self.reason = reason
        self.isOtherFormat = isOtherFormat
    }
}
