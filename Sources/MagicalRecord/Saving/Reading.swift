import CoreData

extension MagicalRecord {
    /// Runs `body` with a fresh context of the default stack for reading. See ``Stack/read(_:)``.
    public static func read<Value: Sendable>(
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try await requireStack().read(body)
    }
}

extension MagicalRecord.Stack {
    /// Runs `body` with a fresh context for reading: all it reads is one state of the stores. What it changes is discarded. Reads do
    /// not wait for saves, nor saves for reads.
    ///
    /// The state is that of the first read, whatever is written while `body` runs; what contexts have not saved is not in it. The
    /// context is on the store, in every shape. Objects stay behind with it: return values, or object IDs. SQLite stores in
    /// rollback mode, and stores of your own classes, show what is committed at each read; on Apple's platforms so do all but
    /// SQLite stores. SQLite's log grows while others write during a read, and is emptied after it.
    ///
    /// - Throws: what `body` throws; the error of a read that could not throw it, whatever `body` made of the placeholders it
    ///   was given (see `NSManagedObjectContext.readError`); `CancellationError` when the task was cancelled before it began, and
    ///   from a fetch without a limit, or with one above 100, once it is cancelled (not on Apple's platforms). `body` sees
    ///   `Task.isCancelled` (on Apple's platforms from macOS 14 and iOS 17 on).
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try checkOpen()
        let worker = newContext(named: "read")
        let context = worker.parent == nil ? worker : newContextOnStore()
        context.name = "read"
        return try await read(in: context, body)
    }

    /// Runs `body` on the context's queue, for reading, and keeps the stores open meanwhile.
    func read<Value>(
        in context: NSManagedObjectContext, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try beginActivity()
        defer { activity.end() }
        return try await context.performCancellably { try context.readingOneState(endsWithTask: true, body) }
    }
}

extension NSManagedObjectContext {
    /// Runs `body` on the queue. Throws the error of a read that could not throw it because a property was being accessed,
    /// whatever `body` made of the placeholders it was given.
    func throwingReadErrors<Value>(_ body: () throws -> Value) throws -> Value {
        let result = Result(catching: body)
        if let error = takeReadError() { throw error }
        return try result.get()
    }

    /// Runs `body` on the queue of a context on the store, as its scope, in one state of the stores: that of its first read, or the
    /// one that the context is pinned to. Throws as ``throwingReadErrors(_:)``.
    ///
    /// - Parameter endsWithTask: whether fetches throw `CancellationError` when the task that makes them is cancelled.
    func readingOneState<Value>(
        endsWithTask: Bool = false, _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        let outer = endsFetchesWithTask
        endsFetchesWithTask = endsWithTask
        defer { endsFetchesWithTask = outer }
        let isPinned = queryGenerationToken != nil
        if !isPinned { try setQueryGenerationFrom(.current) }
        defer { if !isPinned { try? setQueryGenerationFrom(nil) } }
        // Objects that are held from before may be older.
        if !isPinned, !registeredObjects.isEmpty { refreshAllObjects() }
        return try ContextScope.with(self) { try throwingReadErrors { try body(self) } }
    }
}

#if canImport(ObjectiveC)
extension NSManagedObjectContext {
    /// Apple's Core Data raises an exception where a fault cannot be read.
    var readError: (any Error)? { nil }
    fileprivate func takeReadError() -> (any Error)? { nil }
    /// Apple's Core Data ends asynchronous fetch requests alone.
    fileprivate var endsFetchesWithTask: Bool {
        get { false }
        set {}
    }
}
#endif
