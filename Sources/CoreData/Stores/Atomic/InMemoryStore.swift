import Foundation

/// The store of ``NSInMemoryStoreType``: objects live as long as the store does, and no file is touched.
///
/// Uniqueness constraints of the model are accepted and not enforced. A fetch reads every row of the entity's hierarchy;
/// to-many relationships and lookups by ID are hashed.
final class InMemoryStore: NSPersistentStore, MemoryBackedStore, @unchecked Sendable {
    private(set) nonisolated(unsafe) var engine: MemoryEngine!

    override var type: String { NSInMemoryStoreType }
    override class var ignoresUniquenessConstraints: Bool { true }

    override func loadMetadata() throws {
        metadata = [NSStoreTypeKey: NSInMemoryStoreType, NSStoreUUIDKey: identifier ?? UUID().uuidString]
    }

    override func openStore() throws {
        guard let layouts else { preconditionFailure("A store is prepared for a model before it is opened.") }
        engine = MemoryEngine(store: self, layouts: layouts)
    }

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

    // There is no file, whatever the URL says.
    override class func destroyStore(at url: URL, options: StoreOptions) throws {}
    override class func replaceStore(
        at destination: URL, options: StoreOptions, from source: URL, sourceOptions: StoreOptions
    ) throws {
        throw CoreDataError.make(
            NSPersistentStoreOperationError, description: "An in-memory store cannot be replaced.",
            reason: "It has no file. Use migratePersistentStore(_:to:options:withType:) to copy a store into memory.")
    }
}

// MARK: - Rows

/// A store whose rows are all in memory.
protocol MemoryBackedStore: RowStore {
    var engine: MemoryEngine! { get }
}

extension MemoryBackedStore {
    package func fetchRows(_ fetch: StoreFetch, into sink: any RowSink) throws {
        try engine.fetchRows(fetch, into: sink)
    }
    package func fetchReferences(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference> {
        try engine.fetchReferences(fetch)
    }
    package func countRows(_ fetch: StoreFetch) throws -> Int { try engine.countRows(fetch) }
    package func fetchDictionaries(_ fetch: StoreFetch) throws -> [[String: Any]] {
        try engine.fetchDictionaries(fetch)
    }
    package func readRows(keys: ContiguousArray<Int64>, of layout: EntityLayout, into sink: any RowSink) throws {
        engine.readRows(keys: keys, of: layout, into: sink)
    }
    package func readToMany(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64
    ) throws -> ContiguousArray<RowReference> {
        engine.readToMany(relationship, of: layout, key: key)
    }
    package func readToManyRows(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, keys: ContiguousArray<Int64>,
        into sink: any RowSink, group: (Int64) -> Void
    ) throws {
        engine.readToManyRows(relationship, of: layout, keys: keys, into: sink, group: group)
    }
    package func reserveKeys(count: Int, of layout: EntityLayout) throws -> Int64 {
        engine.reserveKeys(count: count, of: layout)
    }
    package func retiring<Result>(_ copy: () throws -> Result) throws -> Result { try engine.retiring(copy) }
    package func save(_ changes: StoreChanges) throws -> SavedKeys { try engine.save(changes) }

    package func execute(
        direct request: NSPersistentStoreRequest, for origin: RequestOrigin
    ) throws -> NSPersistentStoreResult {
        throw StoreErrors.unsupported(request, by: self)
    }
}
