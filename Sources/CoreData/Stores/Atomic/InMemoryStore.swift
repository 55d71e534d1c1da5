import CoreDataMemoryStorage
import CoreDataRowStorage
import Foundation

/// The store of ``NSInMemoryStoreType``: objects exist as long as the store does, and no file is read or written.
///
/// The model's uniqueness constraints are accepted but not enforced. A fetch scans every row of the entity's hierarchy; to-many
/// relationships and lookups by ID are hashed.
final class InMemoryStore: NSPersistentStore, MemoryBackedStore, @unchecked Sendable {
    private(set) nonisolated(unsafe) var memory: MemoryEngine?

    override var type: String { NSInMemoryStoreType }
    override class var ignoresUniquenessConstraints: Bool { true }

    override func loadMetadata() throws {
        metadata = [NSStoreTypeKey: NSInMemoryStoreType, NSStoreUUIDKey: identifier ?? UUID().uuidString]
    }

    override func openStore() throws {
        guard let layouts else { preconditionFailure("A store is prepared for a model before it is opened.") }
        memory = makeEngine(layouts)
    }

    override func closeStore() { memory?.close() }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw CoreDataError.make(
            NSPersistentStoreOperationError,
            description: "In-memory stores have no metadata outside of their coordinator.",
            reason: "There is no file to read metadata from.")
    }

    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        throw CoreDataError.make(
            NSPersistentStoreOperationError,
            description: "In-memory stores have no metadata outside of their coordinator.",
            reason: "There is no file to write metadata to.")
    }

    // There is no file, regardless of the URL.
    override class func destroyStore(at place: StorePlace) throws {}
    override class func discardStore(at place: StorePlace, keepsPlace: Bool) {}

    override class func copyStore(at source: StorePlace, to destination: StorePlace) throws {
        throw CoreDataError.make(
            NSPersistentStoreOperationError, description: "An in-memory store cannot be replaced.",
            reason: "It has no file. Use migratePersistentStore(_:to:options:withType:) to copy a store into memory.")
    }
}

// MARK: - Rows

/// A store that keeps all its rows in memory.
protocol MemoryBackedStore: EngineStore where Engine == MemoryEngine {
    /// The engine; nil until the store is opened.
    var memory: MemoryEngine? { get }
}

extension MemoryBackedStore {
    var engine: MemoryEngine {
        get throws {
            if let memory { return memory }
            throw StoreErrors.notOpen
        }
    }

    /// Returns an empty engine for the store.
    func makeEngine(_ layouts: ModelLayouts, lastSharedKey: Int64? = nil) -> MemoryEngine {
        MemoryEngine(layouts: layouts, lastSharedKey: lastSharedKey) { [unowned self] in objectID(for: $0) }
    }

    var checksAnswers: Bool { false }

    func requireWritable() throws { if isReadOnly { throw StoreErrors.readOnly(self) } }

    package func save(_ changes: StoreChanges, in session: any StoreSession) throws -> SavedKeys {
        try requireWritable()
        return try session.save(changes)
    }
}
