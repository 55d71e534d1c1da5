import CoreData

#if canImport(ObjectiveC)
internal import MagicalRecordExceptions

/// Returns the request with the type that Objective-C uses: generic arguments are erased there.
private func untyped<Result>(_ request: NSFetchRequest<Result>) -> NSFetchRequest<any NSFetchRequestResult> {
    request as AnyObject as! NSFetchRequest<any NSFetchRequestResult>
}
#endif

// Apple's Core Data raises an Objective-C exception, which Swift cannot catch, where the Core Data of this package throws: for
// a key path that the entity does not have, or for a save to a coordinator without stores. These functions throw on both.

extension NSManagedObjectContext {
    /// Returns the results of a request. For the context's queue.
    @inline(__always)
    func results<Result>(of request: NSFetchRequest<Result>) throws -> [Result] {
        #if canImport(ObjectiveC)
        guard let results = try MRThrowingCalls.fetch(untyped(request), in: self) as? [Result] else {
            throw MagicalRecordError(
                .unsupportedCondition, "The request does not find what its type says, which is \(Result.self).",
                advice: "Give it the result type that belongs to it.", entity: request.entityName)
        }
        return results
        #else
        try fetch(request)
        #endif
    }

    /// Returns the number of results of a request. For the context's queue.
    @inline(__always)
    func number<Result>(of request: NSFetchRequest<Result>) throws -> Int {
        #if canImport(ObjectiveC)
        try MRThrowingCalls.count(for: untyped(request), in: self).intValue
        #else
        try count(for: request)
        #endif
    }

    /// Executes a batch request. For the context's queue.
    func outcome(of request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        #if canImport(ObjectiveC)
        try MRThrowingCalls.execute(request, in: self)
        #else
        try execute(request)
        #endif
    }

    /// Performs the fetch of a controller of this context, on the context's queue.
    func performFetch<Result>(of controller: NSFetchedResultsController<Result>) throws {
        #if canImport(ObjectiveC)
        let controller = controller as AnyObject as! NSFetchedResultsController<any NSFetchRequestResult>
        try runAndWait { try MRThrowingCalls.performFetch(of: controller) }
        #else
        try runAndWait { try controller.performFetch() }
        #endif
    }

    /// Saves this context alone. For its queue.
    func saveOrThrow() throws {
        #if canImport(ObjectiveC)
        try MRThrowingCalls.save(self)
        #else
        try save()
        #endif
    }
}
