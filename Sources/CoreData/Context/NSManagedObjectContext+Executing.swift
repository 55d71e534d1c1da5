import CoreDataRowStorage

extension NSManagedObjectContext {
    final func executeRequest(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        checkQueue()
        if let asynchronous = request as? AsynchronousFetchRequestBase { return executeAsynchronously(asynchronous) }
        if request is FetchRequestBase || request is NSSaveChangesRequest {
            throw CoreDataError.make(
                NSPersistentStoreUnsupportedRequestTypeError, description: "The request cannot be executed this way.",
                advice: "Use fetch(_:) for fetches and save() for saves.")
        }
        let stores = try stores(concernedBy: request)
        guard !stores.isEmpty else {
            throw CoreDataError.make(
                NSPersistentStoreOperationError, description: "There is no store to execute the request on.",
                advice: "Add a store that holds the request's entity to the coordinator first.")
        }
        let origin = RequestOrigin(self)
        guard Probe.isOn, let kind = request.eventKind else {
            return .combined(try stores.map { try execute(direct: request, in: $0, for: origin) })
        }
        if let predicate = request.eventPredicate { Probe.usesArguments(of: predicate) }
        return try Probe.measure(kind, label, entity: request.eventEntity) { record in
            record.predicate = request.eventPredicate.map(ReportedPredicate.init)
            return .combined(try stores.map { try execute(direct: request, in: $0, for: origin) })
        }
    }

    final func execute(
        direct request: NSPersistentStoreRequest, in store: any RowStore, for origin: RequestOrigin
    ) throws -> NSPersistentStoreResult {
        try working(with: store) { try store.execute(direct: request, in: $0, for: origin) }
    }

    private final func executeAsynchronously(_ request: AsynchronousFetchRequestBase) -> NSPersistentStoreResult {
        let progress = Progress(totalUnitCount: Int64(max(request.estimatedResultCount, 1)))
        let result = request.makeResult(in: self, progress: progress)
        let fetch = request.untypedFetchRequest.copy() as! FetchRequestBase
        fetch.includesPendingChanges = false
        let job = Unchecked((result, fetch, progress))
        executor.async(self) {
            let (result, fetch, progress) = job.value
            let run = AsynchronousRun(progress)
            result.finish(with: self.outcome(of: fetch, run))
            withExtendedLifetime(run) {}
        }
        return result
    }

    private final func outcome(of fetch: FetchRequestBase, _ run: AsynchronousRun) -> Result<[Any], any Error> {
        let progress = run.progress
        if progress.isCancelled { return .failure(CocoaError(.userCancelled)) }
        asynchronousRun = run
        defer { asynchronousRun = nil }
        let outcome = Result { try fetchAny(fetch) }
        if case .success(let values) = outcome { progress.totalUnitCount = Int64(max(values.count, 1)) }
        progress.completedUnitCount = progress.totalUnitCount
        return outcome
    }
}

/// A running asynchronous fetch.
final class AsynchronousRun {
    let progress: Progress
    private var sinks: [FetchSink] = []

    init(_ progress: Progress) { self.progress = progress }

    /// Makes a sink report progress, and retains it until the fetch has been reported: releasing the objects of a cancelled
    /// fetch takes longer than reporting it.
    func follow(_ sink: FetchSink) {
        sink.progress = progress
        sinks.append(sink)
    }
}
