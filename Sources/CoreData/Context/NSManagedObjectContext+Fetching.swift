extension NSManagedObjectContext {
    /// Fetches objects, object IDs, dictionaries or a count, by the request's result type.
    ///
    /// The store decides on saved values; unsaved changes of this context are then laid over the result, unless the request
    /// excludes them. A row already in memory gives the same object, its values untouched.
    ///
    /// - Throws: A Cocoa error when the entity is unknown, the predicate or a sort descriptor cannot be expressed in the
    ///   store's language, or reading fails.
    public final func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] where T: NSFetchRequestResult {
        if T.self is NSManagedObject.Type, request.resultType == .managedObjectResultType {
            let objects = try fetchObjects(request)
            if T.self != NSManagedObject.self { try Self.check(objects, areOf: T.self, request) }
            // An array of objects is the same memory whatever class they are known by; their classes have been checked.
            return unsafeBitCast(objects, to: [T].self)
        }
        return try fetchAny(request).map { element in
            guard let element = element as? T else { throw Self.wrongResult(element, T.self, request) }
            return element
        }
    }

    /// Fetches without a result type.
    @_disfavoredOverload
    public final func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
        try fetchAny(request)
    }

    /// How many results the fetch would give, pending changes included.
    public final func count<T>(for request: NSFetchRequest<T>) throws -> Int where T: NSFetchRequestResult {
        try countResults(of: request)
    }

    /// Runs a request of any kind: asynchronous fetches, batch and history requests.
    @discardableResult
    public final func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        checkQueue()
        if let asynchronous = request as? AsynchronousFetchRequestBase { return executeAsynchronously(asynchronous) }
        if request is FetchRequestBase || request is NSSaveChangesRequest {
            throw CoreDataError.make(
                NSPersistentStoreUnsupportedRequestTypeError, description: "The request cannot be executed this way.",
                advice: "Use fetch(_:) for fetches and save() for saves.")
        }
        let store = try store(for: request)
        return try store.execute(direct: request, mergePolicy: mergePolicy as! NSMergePolicy)
    }

    private final func store(for request: NSPersistentStoreRequest) throws -> any RowStore {
        let affected = request.affectedStores?.compactMap { $0 as? any RowStore }
        guard let store = affected?.first ?? persistentStoreCoordinator?.rowStores.first else {
            throw CoreDataError.make(
                NSPersistentStoreOperationError, description: "There is no store to execute the request on.",
                advice: "Add a store to the coordinator first.")
        }
        return store
    }

    private final func executeAsynchronously(_ request: AsynchronousFetchRequestBase) -> NSPersistentStoreResult {
        let progress = Progress(totalUnitCount: Int64(max(request.estimatedResultCount, 1)))
        let result = request.makeResult(in: self, progress: progress)
        let fetch = request.untypedFetchRequest.copy() as! FetchRequestBase
        fetch.includesPendingChanges = false
        let job = UncheckedSendable((result, fetch, progress))
        executor.async(self) {
            let (result, fetch, progress) = job.value
            if progress.isCancelled {
                result.finish(with: .failure(CocoaError(.userCancelled)))
                return
            }
            let outcome = Result { try self.fetchAny(fetch) }
            if case .success(let values) = outcome { progress.totalUnitCount = Int64(max(values.count, 1)) }
            progress.completedUnitCount = progress.totalUnitCount
            result.finish(with: outcome)
        }
        return result
    }

    // MARK: By result type

    final func fetchAny(_ request: FetchRequestBase) throws -> [Any] {
        switch request.resultType {
        case .managedObjectIDResultType: return try fetchIDs(request)
        case .dictionaryResultType: return try fetchDictionaries(request)
        case .countResultType: return [NSNumber(value: try countResults(of: request))]
        default: return try fetchObjects(request)
        }
    }

    final func countResults(of request: FetchRequestBase) throws -> Int {
        checkQueue()
        if request.includesPendingChanges, overlayMatters(try storeFetch(request)) || parent != nil {
            return try fetchObjects(request).count
        }
        let fetch = try storeFetch(request)
        return try stores(for: fetch, request).reduce(0) { try $0 + $1.countRows(fetch) }
    }

    private final func fetchIDs(_ request: FetchRequestBase) throws -> [Any] {
        checkQueue()
        let fetch = try storeFetch(request)
        if parent != nil || (request.includesPendingChanges && overlayMatters(fetch)) {
            return try fetchObjects(request).map(\.objectID)
        }
        let stores = try stores(for: fetch, request)
        if stores.count > 1 { return try fetchObjects(request).map(\.objectID) }
        guard let store = stores.first else { return [] }
        let references = try store.fetchReferences(fetch)
        let layouts = layouts
        var identities: [ObjectIdentity?] = Array(repeating: nil, count: layouts.byNumber.count)
        for number in fetch.layout.familyNumbers { identities[number] = store.identity(for: layouts.byNumber[number]!) }
        return references.map { NSManagedObjectID(identity: identities[$0.entityNumber]!, key: $0.key) }
    }

    private final func fetchDictionaries(_ request: FetchRequestBase) throws -> [Any] {
        checkQueue()
        let fetch = try storeFetch(request)
        return try stores(for: fetch, request).flatMap { try $0.fetchDictionaries(fetch) }.map {
            NSDictionary(dictionary: $0)
        }
    }

    // MARK: Objects

    final func fetchObjects(_ request: FetchRequestBase) throws -> [NSManagedObject] {
        checkQueue()
        if request.includesPendingChanges { processPendingChanges() }
        let fetch = try storeFetch(request)
        var objects: [NSManagedObject]
        if let parent {
            objects = try fetchThroughParent(parent, request)
        } else {
            objects = try fetchFromStores(fetch, request)
        }
        if request.includesPendingChanges, overlayMatters(fetch) {
            objects = try PendingOverlay(self, fetch).apply(to: objects)
        }
        if let paths = request.relationshipKeyPathsForPrefetching, !paths.isEmpty {
            try prefetch(paths, of: objects, layout: fetch.layout)
        }
        if !request.returnsObjectsAsFaults {
            for object in objects { object.realise() }
        }
        return objects
    }

    private final func fetchFromStores(_ fetch: StoreFetch, _ request: FetchRequestBase) throws -> [NSManagedObject] {
        var fetch = fetch
        let stores = try stores(for: fetch, request)
        let limits = (fetch.limit, fetch.offset)
        // Pending changes may take rows out of a limited result, so the limit is applied after them.
        let overlaid = request.includesPendingChanges && overlayMatters(fetch)
        if stores.count > 1 || overlaid { (fetch.limit, fetch.offset) = (0, 0) }
        var objects: [NSManagedObject] = []
        for store in stores {
            objects += try fetchObjects(fetch, request, from: store)
        }
        if stores.count > 1, !overlaid {
            if !fetch.sortDescriptors.isEmpty { objects = PendingOverlay.sort(objects, by: fetch.sortDescriptors) }
            objects = PendingOverlay.cut(objects, limit: limits.0, offset: limits.1)
        }
        return objects
    }

    private final func fetchObjects(
        _ fetch: StoreFetch, _ request: FetchRequestBase, from store: any RowStore
    ) throws -> [NSManagedObject] {
        guard request.includesPropertyValues, request.fetchBatchSize == 0, store.deliversRows else {
            let references = try store.fetchReferences(fetch)
            let layouts = layouts
            if request.includesPropertyValues, store.deliversRows, references.count > request.fetchBatchSize {
                batches = batches.suffix(3)
                batches.append(
                    FetchBatch(
                        keys: ContiguousArray(references.lazy.map(\.key)), size: request.fetchBatchSize,
                        root: fetch.layout.root, store: store))
            }
            return references.map { table(of: layouts.byNumber[$0.entityNumber]!, in: store).object(for: $0.key) }
        }
        let sink = FetchSink(self, store: store, refreshes: request.shouldRefreshRefetchedObjects)
        try store.fetchRows(fetch, into: sink)
        return sink.objects
    }

    private final func fetchThroughParent(
        _ parent: NSManagedObjectContext, _ request: FetchRequestBase
    ) throws -> [NSManagedObject] {
        let copy = UncheckedSendable(request.copy() as! FetchRequestBase)
        return try parent.performAndWait {
            let originals = try parent.fetchObjects(copy.value)
            return originals.map { original in
                let object: NSManagedObject
                if original._key < 0 {
                    object = unsavedTable(of: original.layout).object(for: original._key)
                } else {
                    object = table(of: original.layout, in: original._table!.store!).object(for: original._key)
                }
                if object._row == nil, object._state.contains(.fault), original._row != nil {
                    object.adoptCopy(of: original)
                }
                return object
            }
        }
    }

    // MARK: The request, resolved

    private final func storeFetch(_ request: FetchRequestBase) throws -> StoreFetch {
        guard let coordinator = persistentStoreCoordinator else {
            throw CoreDataError.make(
                NSCoreDataError, description: "The context has no persistent store coordinator.",
                advice: "Set the context's coordinator or parent before fetching.")
        }
        let entity = try request.resolveEntity(in: coordinator.managedObjectModel)
        guard let layout = coordinator.managedObjectModel.layouts.byName[entity.name ?? ""] else {
            throw CoreDataError.make(
                NSCoreDataError, description: "The entity \(entity.name ?? "?") is not in the coordinator's model.",
                entity: entity.name)
        }
        var fetch = StoreFetch(layout: layout)
        fetch.includesSubentities = request.includesSubentities
        fetch.predicate = request.predicate
        fetch.sortDescriptors = request.sortDescriptors ?? []
        fetch.limit = request.fetchLimit
        fetch.offset = request.fetchOffset
        fetch.propertiesToFetch = request.propertiesToFetch
        fetch.propertiesToGroupBy = request.propertiesToGroupBy
        fetch.havingPredicate = request.havingPredicate
        fetch.returnsDistinctResults = request.returnsDistinctResults
        return fetch
    }

    private final func stores(for fetch: StoreFetch, _ request: FetchRequestBase) throws -> [any RowStore] {
        guard let coordinator = persistentStoreCoordinator else { return [] }
        let holding = coordinator.stores(holding: fetch.layout)
        guard let affected = request.affectedStores, !affected.isEmpty else { return holding }
        return holding.filter { store in affected.contains { $0 === store } }
    }

    /// Whether unsaved changes could make a difference to a fetch.
    private final func overlayMatters(_ fetch: StoreFetch) -> Bool {
        !changed.isEmpty && changedObjects.contains { _ in true }
    }

    private static func check<T>(_ objects: [NSManagedObject], areOf type: T.Type, _ request: FetchRequestBase) throws {
        var lastClass: AnyClass?
        for object in objects where Swift.type(of: object) != lastClass {
            guard object is T else { throw wrongResult(object, T.self, request) }
            lastClass = Swift.type(of: object)
        }
    }

    private static func wrongResult(_ value: Any, _ type: Any.Type, _ request: FetchRequestBase) -> NSError {
        CoreDataError.make(
            NSCoreDataError, description: "The fetch gives results of another type than it was declared with.",
            reason: "A result of type \(Swift.type(of: value)) is no \(type).",
            advice: "Make the request's generic parameter agree with its entity's class and its result type.",
            entity: request.entityName)
    }
}

/// Turns the rows of a fetch into objects.
final class FetchSink: RowSink {
    private let context: NSManagedObjectContext
    private let store: any RowStore
    private let refreshes: Bool
    @exclusivity(unchecked) private var table: EntityTable?
    @exclusivity(unchecked) private var current: NSManagedObject?
    @exclusivity(unchecked) private var currentKey: Int64 = 0
    @exclusivity(unchecked) private(set) var objects: [NSManagedObject] = []

    init(_ context: NSManagedObjectContext, store: any RowStore, refreshes: Bool) {
        self.context = context
        self.store = store
        self.refreshes = refreshes
    }

    func next(entityNumber: Int, key: Int64) -> Bool {
        let table: EntityTable
        if let last = self.table, last.layout.number == entityNumber {
            table = last
        } else {
            table = context.table(of: context.layouts.byNumber[entityNumber]!, in: store)
            self.table = table
        }
        if let object = table.uniquing.object(for: key) {
            objects.append(object)
            // A fault takes the newer row; a realised object keeps its values.
            guard object._state.contains(.fault) || (refreshes && !object.hasChanges) else { return false }
            current = object
            return true
        }
        current = nil
        currentKey = key
        return true
    }

    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) {
        if let current {
            if !current._state.contains(.fault) { current.turnIntoFault() }
            current.adopt(row, in: slab)
            current._state.remove(.inaccessible)
            return
        }
        let object = table!.makeFault(for: currentKey)
        object.adopt(row, in: slab)
        objects.append(object)
    }
}
