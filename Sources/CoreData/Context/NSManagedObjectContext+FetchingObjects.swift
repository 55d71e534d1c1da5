import CoreDataRowStorage

// Creating objects from rows.

extension NSManagedObjectContext {
    final func fetchObjects(_ request: FetchRequestBase) throws -> [NSManagedObject] {
        guard Probe.isOn else { return try matchingObjects(request) }
        return try Probe.fetch(.fetch, request, self, count: { $0.count }) { try matchingObjects(request) }
    }

    private final func matchingObjects(_ request: FetchRequestBase) throws -> [NSManagedObject] {
        checkQueue()
        if request.settings.includesPendingChanges { processPendingChanges() }
        handleRemovals()
        let objects: [NSManagedObject]
        if !hasChanges, asynchronousRun == nil, let target = knownTarget(of: request) {
            var fetch = try StoreFetch(layout: target.layout, request)
            if endsFetchesWithTask { endWithTask(&fetch) }
            objects = try fetchObjects(fetch, request, from: target)
        } else {
            objects = try fetchObjects(storeFetch(request), request)
        }
        // The rows of a batched result are loaded and prefetched batch by batch.
        let isBatched = isBatched(request)
        if let paths = request.settings.relationshipKeyPathsForPrefetching, !paths.isEmpty {
            if isBatched {
                try checkPrefetching(paths, of: request)
                if objects.count == 1 { try loadRows(of: objects) }
                prefetchAtHand(paths, of: objects)
            } else {
                try prefetch(paths, of: objects, entityName: request.entityName ?? "")
            }
        }
        if !request.settings.returnsObjectsAsFaults, !isBatched { try realise(objects) }
        return objects
    }

    private final func fetchObjects(_ fetch: StoreFetch, _ request: FetchRequestBase) throws -> [NSManagedObject] {
        let overlay = hasChanges ? PendingOverlay(self, fetch, request) : PendingOverlay()
        var objects: [NSManagedObject]
        if let parent {
            let part = overlay.isEmpty ? nil : fetch.beginning(replaced: overlay.replacing)
            objects = try self.fetch(through: parent, request, part)
        } else if overlay.isEmpty {
            objects = try fetchFromStores(fetch, request)
        } else {
            objects = try fetchFromStores(fetch.beginning(replaced: overlay.replacing), request)
        }
        if !overlay.isEmpty { objects = try overlay.apply(to: objects) }
        return objects
    }

    /// Loads the values of all faults; those without a row are read together.
    private final func realise(_ objects: [NSManagedObject]) throws {
        var mayLackRows = true
        try objects.withUnsafeBufferPointer { buffer in
            for index in buffer.indices {
                let object = Unmanaged.passUnretained(buffer[index])
                if mayLackRows, object._withUnsafeGuaranteedRef({ $0._row == nil }) {
                    mayLackRows = false
                    try loadRows(of: objects)
                }
                object._withUnsafeGuaranteedRef { if !$0.realiseAtHand() { $0.realise() } }
            }
        }
    }

    private final func fetchFromStores(_ fetch: StoreFetch, _ request: FetchRequestBase) throws -> [NSManagedObject] {
        let version = ownCoordinator?.storesVersion.load(ordering: .acquiring)
        let stores = try stores(for: fetch, request)
        if stores.count == 1 {
            let target = FetchTarget(fetch.layout, table(of: fetch.layout, in: stores[0]), stores[0])
            if let version { remember(target, version, for: request) }
            return try fetchObjects(fetch, request, from: target)
        }
        // The number of rows in each store is unknown.
        let part = fetch.beginning()
        var objects: [NSManagedObject] = []
        for store in stores {
            let target = FetchTarget(fetch.layout, table(of: fetch.layout, in: store), store)
            objects += try fetchObjects(part, request, from: target)
        }
        if !fetch.sortDescriptors.isEmpty { objects = PendingOverlay.sort(objects, by: fetch.sortDescriptors) }
        return PendingOverlay.cut(objects, limit: fetch.limit, offset: fetch.offset)
    }

    private final func fetchObjects(
        _ fetch: StoreFetch, _ request: FetchRequestBase, from target: FetchTarget
    ) throws -> [NSManagedObject] {
        let store = target.store
        guard request.settings.includesPropertyValues, !isBatched(request), store.deliversRows else {
            return try fetchFaults(fetch, request, from: target)
        }
        let sink = spareSink.take() ?? FetchSink(self)
        sink.begin(
            with: target.table, of: store, refreshes: request.settings.shouldRefreshRefetchedObjects,
            mostRows: fetch.limit)
        if let asynchronousRun { asynchronousRun.follow(sink) }
        try reading(store) { try $0.fetchRows(fetch, into: sink) }
        if sink.isCancelled { throw CocoaError(.userCancelled) }
        let outdated = sink.outdated
        let objects = sink.finish()
        spareSink = sink
        // Must be last: hooks of objects may fetch too, or reset this context, which releases its tables.
        if !outdated.isEmpty { for object in outdated { refresh(object, mergeChanges: true) } }
        return objects
    }

    @inline(never)
    private final func fetchFaults(
        _ fetch: StoreFetch, _ request: FetchRequestBase, from target: FetchTarget
    ) throws -> [NSManagedObject] {
        forgetUnusedBatches()
        var references = try reading(target.store) { try $0.fetchReferences(fetch) }
        guard isBatched(request) else { return faults(for: references, in: target.store) }
        // Batches of rows that are stored together are read faster.
        if fetch.sortDescriptors.isEmpty, !BatchedResult.areAscending(references) {
            references.sort { $0.key < $1.key }
        }
        let objects = faults(for: references, in: target.store)
        batch(references, request, target.table.uniquing)
        let refreshes = request.settings.shouldRefreshRefetchedObjects
        for object in objects where object._row != nil {
            let isFault = object._state.contains(.fault)
            guard isFault || refreshes else { continue }
            if object.hasUnsavedChanges || object.hasToManyChanges {
                if refreshes { refresh(object, mergeChanges: true) }
                continue
            }
            // A fault has the store's current values, as after any fetch.
            object.turnIntoFault()
            if !isFault { noteRefreshed(object) }
        }
        return objects
    }

    // MARK: Through a parent

    /// Runs a part of a fetch in the parent, which updates the progress of an asynchronous fetch and ends when that is
    /// cancelled.
    final func inFetching<Result>(_ parent: NSManagedObjectContext, _ body: () throws -> Result) rethrows -> Result {
        try inParent(parent) {
            guard let run = asynchronousRun else { return try body() }
            let outer = parent.asynchronousRun
            parent.asynchronousRun = run
            defer { parent.asynchronousRun = outer }
            return try body()
        }
    }

    /// Fetches from the parent.
    ///
    /// - Parameter part: The limit and offset to use in place of the request's, if not nil.
    private final func fetch(
        through parent: NSManagedObjectContext, _ request: FetchRequestBase, _ part: StoreFetch?
    ) throws -> [NSManagedObject] {
        let copy = parentRequest(request)
        if let part { (copy.fetchLimit, copy.fetchOffset) = (part.limit, part.offset) }
        if isBatched(request) { return try fetchFaults(copy, request, through: parent) }
        copy.fetchBatchSize = 0
        return try inFetching(parent) { try parent.fetchObjects(copy).map { borrow($0) } }
    }

    /// Returns faults for the objects that the parent finds; this context reads their rows from the parent in batches.
    @inline(never)
    private final func fetchFaults(
        _ copy: FetchRequestBase, _ request: FetchRequestBase, through parent: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        forgetUnusedBatches()
        let objects = try inFetching(parent) { try parent.fetchObjects(copy).map { localObject(for: $0) } }
        guard let uniquing = objects.first(where: { $0.hasPermanentKey })?._table?.uniquing else { return objects }
        batch(
            ContiguousArray(
                objects.lazy.filter { $0.hasPermanentKey && $0._table?.uniquing === uniquing }.map(\.reference)),
            request, uniquing)
        return objects
    }

    /// Returns this context's object for a parent's object, with the parent's values if it is a fault without a row.
    final func borrow(_ original: NSManagedObject) -> NSManagedObject {
        let object = localObject(for: original)
        if object._row == nil, object._state.contains(.fault), original._row != nil {
            object._state.subtract([.inaccessible, .fired])
            object.borrow(from: original, for: self)
        }
        return object
    }
}
