import CoreData

extension NSManagedObjectContext {
    /// Runs `body` on the queue, and takes the error of a read that could not throw it because a property was being accessed.
    ///
    /// - Throws: That error, whatever `body` made of the placeholders it was given; else what `body` throws.
    func throwingReadErrors<Value>(_ body: () throws -> Value) throws -> Value {
        let result = Result(catching: body)
        if let error = takeReadError() { throw error }
        return try result.get()
    }

    /// Runs `body` on the queue of a context on the store, as its scope, in one state of the stores: that of its first read, or the
    /// one that the context is pinned to.
    ///
    /// - Parameter endsWithTask: whether fetches end when the task that makes them is cancelled.
    /// - Throws: as ``throwingReadErrors(_:)``; `CancellationError` from such a fetch.
    func readingOneState<Value>(
        endsWithTask: Bool = false, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        let outer = endsFetchesWithTask
        endsFetchesWithTask = endsWithTask
        defer { endsFetchesWithTask = outer }
        guard queryGenerationToken == nil else { return try readingInScope(body) }
        try setQueryGenerationFrom(.current)
        defer { try? setQueryGenerationFrom(nil) }
        // Objects that are held from before may be older.
        if !registeredObjects.isEmpty { refreshAllObjects() }
        return try readingInScope(body)
    }

    private func readingInScope<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        try ContextScope.with(self) { try throwingReadErrors { try body(self) } }
    }

    /// - Throws: The error of a read that could not throw it, which the context keeps.
    func throwReadError() throws {
        if let readError { throw readError }
    }
}

#if canImport(ObjectiveC)
extension NSManagedObjectContext {
    /// Apple's Core Data raises an exception where a fault cannot be read.
    fileprivate var readError: (any Error)? { nil }
    fileprivate func takeReadError() -> (any Error)? { nil }
    /// Apple's Core Data ends asynchronous fetch requests alone.
    fileprivate var endsFetchesWithTask: Bool {
        get { false }
        set {}
    }
}
#endif
