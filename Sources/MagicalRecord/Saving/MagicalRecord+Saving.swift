import CoreData

extension MagicalRecord {
    /// Runs `body` with a fresh context and saves what it changed through to the store of the default stack. See
    /// ``Stack/save(onConflict:isolation:_:)->_``.
    @discardableResult
    public static func save<Value: Sendable>(
        onConflict handling: ConflictHandling? = nil, isolation: SaveIsolation = .serial,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try await requireStack().save(onConflict: handling, isolation: isolation, body)
    }

    /// Runs `body` and saves, as the other `save`, and discards what `body` returns: objects cannot leave the closure.
    public static func save<Value>(
        onConflict handling: ConflictHandling? = nil, isolation: SaveIsolation = .serial,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws {
        try await requireStack().save(onConflict: handling, isolation: isolation, body)
    }

    /// Runs `body` and saves, blocking the thread until the store is written. See ``Stack/saveAndWait(onConflict:isolation:_:)``.
    @discardableResult
    public static func saveAndWait<Value>(
        onConflict handling: ConflictHandling? = nil, isolation: SaveIsolation = .serial,
        _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        try requireStack().saveAndWait(onConflict: handling, isolation: isolation, body)
    }

    /// Runs `body` with a fresh context of the default stack for reading: all it reads is one state of the stores. What it changes
    /// is discarded.
    ///
    /// Objects stay behind with the context: return values, or object IDs. See ``Stack/read(_:)``.
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
    /// context is on the store, in every shape. SQLite stores in rollback mode, and stores of your own classes, show what is
    /// committed at each read; on Apple's platforms so do all but SQLite stores. SQLite's log grows while others write during a
    /// read, and is emptied after it.
    ///
    /// - Throws: what `body` throws; the error of a read that could not throw it, whatever `body` made of the placeholders it
    ///   was given (see `NSManagedObjectContext.readError`); `CancellationError` when the task was cancelled before it began, and
    ///   from a fetch without a limit, or with one above 100, once it is cancelled (not on Apple's platforms). `body` sees
    ///   `Task.isCancelled` (on Apple's platforms from macOS 14 and iOS 17 on).
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try beginActivity()
        defer { activity.end() }
        let context = newContextForReading()
        return try await context.performCancellably { try context.readingOneState(endsWithTask: true, body) }
    }

    /// Returns a context on the store.
    private func newContextForReading() -> NSManagedObjectContext {
        let worker = newContext(named: "read")
        if worker.parent == nil { return worker }
        let context = MagicalRecord.Shape.attached(
            .privateQueueConcurrencyType, to: coordinator, named: nil, mergePolicy)
        context.name = "read"
        return context
    }
}
