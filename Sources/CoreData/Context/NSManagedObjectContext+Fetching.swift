import CoreDataRowStorage

extension NSManagedObjectContext {
    /// Fetches objects, object IDs, dictionaries or a count, depending on the request's result type.
    ///
    /// The store evaluates the request on saved values; unsaved changes of this context are then merged into the result, unless
    /// the request excludes them. A row that is already registered yields the same object with its values unchanged.
    ///
    /// Must be called on the context's queue.
    ///
    /// - Throws: A Cocoa error if the entity is unknown, the store cannot evaluate the predicate or a sort descriptor, or
    ///   reading fails.
    public final func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] where T: NSFetchRequestResult {
        if !isPlain, !isDelegating { return try fetchThroughOverride(request) }
        if T.self is NSManagedObject.Type, request.settings.resultType == .managedObjectResultType {
            let objects = try fetchObjects(request)
            if T.self != NSManagedObject.self { try Self.check(objects, areOf: T.self, request) }
            // Arrays of objects have the same memory layout whatever their class; the classes were checked.
            return unsafeBitCast(objects, to: [T].self)
        }
        if T.self == NSManagedObjectID.self, request.resultType == .managedObjectIDResultType {
            return unsafeBitCast(try fetchIDs(request), to: [T].self)
        }
        return try Self.typed(try fetchAny(request), request)
    }

    /// Returns the number of results of a fetch, with pending changes, limit and offset applied. Must be called on the
    /// context's queue.
    ///
    /// - Throws: The errors of ``fetch(_:)-(NSFetchRequest<T>)``.
    public final func count<T>(for request: NSFetchRequest<T>) throws -> Int where T: NSFetchRequestResult {
        guard !isPlain, !isDelegating else { return try countResults(of: request) }
        return try delegating { try $0.untypedCount(for: Retyping.reference(request)) }
    }

    // MARK: Subclasses

    private final func fetchThroughOverride<T>(_ request: NSFetchRequest<T>) throws -> [T]
    where T: NSFetchRequestResult {
        try Self.typed(try delegating { try $0.untypedFetch(Retyping.reference(request)) }, request)
    }

    /// Calls a method that may be overridden. Calls from within it, `super` included, are not delegated again.
    private final func delegating<Result>(_ body: (any UntypedFetching) throws -> Result) rethrows -> Result {
        isDelegating = true
        defer { isDelegating = false }
        return try body(self)
    }

    private static func typed<T>(_ results: [Any], _ request: FetchRequestBase) throws -> [T] {
        try results.map { element in
            guard let element = element as? T else { throw wrongResult(element, T.self, request) }
            return element
        }
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
        guard Probe.isOn else { return try countOfResults(request) }
        return try Probe.fetch(.count, request, self, count: { $0 }) { try countOfResults(request) }
    }

    private final func countOfResults(_ request: FetchRequestBase) throws -> Int {
        checkQueue()
        if request.includesPendingChanges { processPendingChanges() }
        let fetch = try storeFetch(request)
        let overlay = PendingOverlay(self, fetch, request)
        if let parent {
            guard overlay.isEmpty else { return try fetchObjects(request).count }
            let copy = parentRequest(request)
            return try inFetching(parent) { try parent.countResults(of: copy) }
        }
        let stores = try stores(for: fetch, request)
        if overlay.isEmpty, stores.count == 1 { return try reading(stores[0]) { try $0.countRows(fetch) } }
        var part = fetch.beginning(replaced: overlay.replacing)
        part.sortDescriptors = []
        var count = try overlay.matches().count
        for store in stores {
            if overlay.replacing == 0 {
                count += try reading(store) { try $0.countRows(part) }
            } else {
                count += try reading(store) { try $0.fetchReferences(part) }.count { !isChanged($0, in: store) }
            }
        }
        count = max(0, count - fetch.offset)
        return fetch.limit > 0 ? min(count, fetch.limit) : count
    }

    /// Returns true if the object of a row has unsaved changes.
    private final func isChanged(_ reference: RowReference, in store: any RowStore) -> Bool {
        guard let layout = layouts.byNumber[reference.entityNumber] else { return false }
        return table(of: layout, in: store).uniquing.object(for: reference.key)?.hasUnsavedChanges ?? false
    }

    private final func fetchIDs(_ request: FetchRequestBase) throws -> [NSManagedObjectID] {
        guard Probe.isOn else { return try matchingIDs(request) }
        return try Probe.fetch(.objectIDs, request, self, count: { $0.count }) { try matchingIDs(request) }
    }

    private final func matchingIDs(_ request: FetchRequestBase) throws -> [NSManagedObjectID] {
        checkQueue()
        if request.includesPendingChanges { processPendingChanges() }
        let fetch = try storeFetch(request)
        let stores = try stores(for: fetch, request)
        guard parent == nil, stores.count <= 1, PendingOverlay(self, fetch, request).isEmpty else {
            return try fetchObjects(request).map(\.identifier)
        }
        guard let store = stores.first else { return [] }
        let references = try reading(store) { try $0.fetchReferences(fetch) }
        let layouts = layouts
        var identities: [ObjectIdentity?] = Array(repeating: nil, count: layouts.byNumber.count)
        for number in fetch.layout.familyNumbers { identities[number] = store.identity(for: layouts.byNumber[number]!) }
        return references.map { NSManagedObjectID(identity: identities[$0.entityNumber]!, key: $0.key) }
    }

    private final func fetchDictionaries(_ request: FetchRequestBase) throws -> [Any] {
        guard Probe.isOn else { return try matchingDictionaries(request) }
        return try Probe.fetch(.dictionaries, request, self, count: { $0.count }) { try matchingDictionaries(request) }
    }

    private final func matchingDictionaries(_ request: FetchRequestBase) throws -> [Any] {
        checkQueue()
        let fetch = try storeFetch(request)
        let stores = try stores(for: fetch, request)
        let rows: [[String: Any]]
        if stores.count > 1 {
            rows = try JoinedDictionaries(request, fetch).rows { part in
                try stores.flatMap { store in try reading(store) { try $0.fetchDictionaries(part, of: store) } }
            }
        } else {
            rows =
                try stores.first.map { store in
                    try reading(store) { try $0.fetchDictionaries(fetch, of: store) }
                } ?? []
        }
        return rows.map { NSDictionary(dictionary: $0) }
    }

    // MARK: The request, resolved

    final func storeFetch(_ request: FetchRequestBase) throws -> StoreFetch {
        handleRemovals()
        var fetch = try StoreFetch(layout: try layout(of: request), request)
        if let progress = asynchronousRun?.progress {
            fetch.interruption = FetchInterruption(isCancelled: { progress.isCancelled })
        } else if endsFetchesWithTask {
            endWithTask(&fetch)
        }
        return fetch
    }

    /// Makes a fetch end when the calling task is cancelled, unless its limit makes it short anyway.
    final func endWithTask(_ fetch: inout StoreFetch) {
        if 1...100 ~= fetch.limit { return }
        fetch.interruption = FetchInterruption(isCancelled: { Task.isCancelled }, cancellation: CancellationError())
    }

    /// Returns the layout of the request's entity in this context's model.
    private final func layout(of request: FetchRequestBase) throws -> EntityLayout {
        guard let coordinator = ownCoordinator ?? persistentStoreCoordinator else {
            throw CoreDataError.make(
                NSCoreDataError, description: "The context has no persistent store coordinator.",
                advice: "Set the context's coordinator or parent before fetching.")
        }
        let model = coordinator.managedObjectModel
        let entity = try request.resolveEntity(in: model)
        let layouts = model.layouts
        if let known = entity.layoutStorage.map({ unsafeDowncast($0, to: EntityLayout.self) }),
            known.number < layouts.byNumber.count, layouts.byNumber[known.number] === known
        {
            return known
        }
        // The entity belongs to another model and has the same name.
        guard let found = layouts.byName[entity.name ?? ""] else {
            throw CoreDataError.make(
                NSCoreDataError, description: "The entity \(entity.name ?? "?") is not in the coordinator's model.",
                entity: entity.name)
        }
        return found
    }

    final func stores(for fetch: StoreFetch, _ request: FetchRequestBase) throws -> [any RowStore] {
        guard let coordinator = persistentStoreCoordinator else { return [] }
        let holding = coordinator.stores(holding: fetch.layout)
        guard let affected = request.affectedStores, !affected.isEmpty else { return holding }
        return holding.filter { store in affected.contains { $0 === store } }
    }

    /// Returns the request for the parent, with the parent's unsaved changes included: they count as stored for this context.
    final func parentRequest(_ request: FetchRequestBase) -> FetchRequestBase {
        let copy = request.copy() as! FetchRequestBase
        copy.includesPendingChanges = true
        copy.resultType = .managedObjectResultType
        // The child prefetches, because its unsaved changes decide the destinations.
        copy.relationshipKeyPathsForPrefetching = nil
        return copy
    }

    private static func check<T>(_ objects: [NSManagedObject], areOf type: T.Type, _ request: FetchRequestBase) throws {
        var lastClass: AnyClass?
        for object in objects where Swift.type(of: object) != lastClass {
            guard Swift.type(of: object) == T.self || object is T else { throw wrongResult(object, T.self, request) }
            lastClass = Swift.type(of: object)
        }
    }

    private static func wrongResult(_ value: Any, _ type: Any.Type, _ request: FetchRequestBase) -> NSError {
        let missing = (value as? NSManagedObject)?.entity.missingClassReason
        return CoreDataError.make(
            NSCoreDataError, description: "The fetch gives results of another type than it was declared with.",
            reason: "A result of type \(Swift.type(of: value)) is no \(type)." + (missing.map { " " + $0 } ?? ""),
            advice: missing != nil
                ? NSEntityDescription.classAdvice
                : "Make the request's generic parameter agree with its entity's class and its result type.",
            entity: request.entityName)
    }
}

/// The untyped forms of fetching, with names that no generic function shares, so that overload resolution is unambiguous.
protocol UntypedFetching: AnyObject {
    func untypedFetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any]
    func untypedCount(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int
}
