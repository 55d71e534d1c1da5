extension NSManagedObjectContext {
    /// Runs a request of any kind: asynchronous fetches, batch and history requests.
    ///
    /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` for requests that have a function of their own, or that no
    ///   store understands; errors of the store.
    @discardableResult
    public final func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        checkQueue()
        if let asynchronous = request as? AsynchronousFetchRequestBase { return executeAsynchronously(asynchronous) }
        if request is FetchRequestBase || request is NSSaveChangesRequest {
            throw CoreDataError.make(
                NSPersistentStoreUnsupportedRequestTypeError, description: "The request cannot be executed this way.",
                advice: "Use fetch(_:) for fetches and save() for saves.")
        }
        let policy = mergePolicy as! NSMergePolicy
        let results = try stores(for: request).map { try $0.execute(direct: request, mergePolicy: policy) }
        return BatchTotal.of(results) ?? results[0]
    }

    /// The stores a request goes to; at least one. Batch requests go wherever objects of their entity may be.
    private final func stores(for request: NSPersistentStoreRequest) throws -> [any RowStore] {
        var stores = persistentStoreCoordinator?.rowStores ?? []
        if let affected = request.affectedStores, !affected.isEmpty {
            stores = stores.filter { store in affected.contains { $0 === store } }
        }
        guard let first = stores.first else {
            throw CoreDataError.make(
                NSPersistentStoreOperationError, description: "There is no store to execute the request on.",
                advice: "Add a store to the coordinator first.")
        }
        guard let name = request.batchEntityName, let layout = layouts.byName[name],
            let coordinator = persistentStoreCoordinator
        else { return [first] }
        let holding = coordinator.stores(holding: layout).filter { store in stores.contains { $0 === store } }
        if request is NSBatchInsertRequest, let store = holding.first(where: { !$0.isReadOnly }) { return [store] }
        return holding.isEmpty ? [first] : holding
    }

    private final func executeAsynchronously(_ request: AsynchronousFetchRequestBase) -> NSPersistentStoreResult {
        let progress = Progress(totalUnitCount: Int64(max(request.estimatedResultCount, 1)))
        let result = request.makeResult(in: self, progress: progress)
        let fetch = request.untypedFetchRequest.copy() as! FetchRequestBase
        fetch.includesPendingChanges = false
        let job = UncheckedSendable((result, fetch, progress))
        executor.async(self) {
            let (result, fetch, progress) = job.value
            result.finish(with: self.outcome(of: fetch, progress))
        }
        return result
    }

    private final func outcome(of fetch: FetchRequestBase, _ progress: Progress) -> Result<[Any], any Error> {
        if progress.isCancelled { return .failure(CocoaError(.userCancelled)) }
        asynchronousProgress = progress
        defer { asynchronousProgress = nil }
        let outcome = Result { try fetchAny(fetch) }
        if case .success(let values) = outcome { progress.totalUnitCount = Int64(max(values.count, 1)) }
        progress.completedUnitCount = progress.totalUnitCount
        return outcome
    }
}
