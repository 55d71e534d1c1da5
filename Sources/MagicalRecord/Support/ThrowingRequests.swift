import CoreData

#if canImport(ObjectiveC)
internal import MagicalRecordExceptions

// Apple's Core Data raises an Objective-C exception, which Swift cannot catch, where the Core Data of this package throws: for
// a key path that the entity does not have, or for a save to a coordinator without stores. These functions throw on both.

extension NSManagedObjectContext {
    /// Returns the results of a request. For the context's queue.
    func results<Result>(of request: NSFetchRequest<Result>) throws -> [Result] {
        let found = try MRThrowingCalls.fetch(untyped(request), in: self)
        guard let results = found as? [Result] else {
            throw MagicalRecordError(
                .unsupportedCondition, "The request does not find what its type says, which is \(Result.self).",
                advice: "Give it the result type that belongs to it.", entity: request.entityName)
        }
        return results
    }

    /// Returns the number of results of a request. For the context's queue.
    func number<Result>(of request: NSFetchRequest<Result>) throws -> Int {
        try MRThrowingCalls.count(for: untyped(request), in: self).intValue
    }

    /// Executes a batch request. For the context's queue.
    func outcome(of request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        try MRThrowingCalls.execute(request, in: self)
    }

    /// Performs the fetch of a controller of this context, on the context's queue.
    func performFetch<Result>(of controller: NSFetchedResultsController<Result>) throws {
        let controller = controller as AnyObject as! NSFetchedResultsController<any NSFetchRequestResult>
        try runAndWait { try MRThrowingCalls.performFetch(of: controller) }
    }

    /// Saves this context alone. For its queue.
    func saveOrThrow() throws {
        try MRThrowingCalls.save(self)
    }
}

/// Returns the request with the type that Objective-C uses: generic arguments are erased there.
private func untyped<Result>(_ request: NSFetchRequest<Result>) -> NSFetchRequest<any NSFetchRequestResult> {
    request as AnyObject as! NSFetchRequest<any NSFetchRequestResult>
}
#else
extension NSManagedObjectContext {
    /// Returns the results of a request. For the context's queue.
    @inline(__always)
    func results<Result>(of request: NSFetchRequest<Result>) throws -> [Result] {
        try fetch(request)
    }

    /// Returns the number of results of a request. For the context's queue.
    @inline(__always)
    func number<Result>(of request: NSFetchRequest<Result>) throws -> Int {
        try count(for: request)
    }

    /// Executes a batch request. For the context's queue.
    func outcome(of request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        try execute(request)
    }

    /// Performs the fetch of a controller of this context, on the context's queue.
    func performFetch<Result>(of controller: NSFetchedResultsController<Result>) throws {
        try runAndWait { try controller.performFetch() }
    }

    /// Saves this context alone. For its queue.
    func saveOrThrow() throws {
        try save()
    }
}
#endif
