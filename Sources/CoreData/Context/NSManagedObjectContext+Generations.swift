import CoreDataRowStorage

/// What a context's reads are pinned to.
enum GenerationPin {
    /// The state there is at the next read.
    case next
    case generation(QueryGeneration)
}

extension NSManagedObjectContext {
    final var pinnedToken: NSQueryGenerationToken? {
        switch pin {
        case nil: nil
        case .next: .current
        case .generation(let generation): NSQueryGenerationToken(generation)
        }
    }

    final func pin(to generation: NSQueryGenerationToken?) throws {
        checkQueue()
        guard let generation else {
            pin = nil
            return
        }
        guard parent == nil else {
            throw CoreDataError.make(
                NSPersistentStoreOperationError, description: "A child context cannot be pinned.",
                reason: "It reads what its parent has.", advice: "Pin the context at the end of the chain of parents.")
        }
        if generation === NSQueryGenerationToken.current {
            pin = .next
            return
        }
        guard let held = generation.held, held.covers(persistentStoreCoordinator?.rowStores ?? []) else {
            throw CoreDataError.make(
                NSPersistentStoreOperationError, description: "The query generation is not available.",
                reason: generation.held == nil
                    ? "Its state was let go of, or it comes from an archive." : "It is one of other stores.",
                advice: "Pin to NSQueryGenerationToken.current.")
        }
        pin = .generation(held)
    }

    /// Asks a store something: for the state that this context is pinned to, or for what is committed.
    @inline(__always)
    final func reading<Result>(
        _ store: any RowStore, _ body: (any StoreSession) throws -> Result
    ) throws -> Result {
        if pin != nil, let session = try pinnedSession(of: store) { return try body(session) }
        return try working(with: store, body)
    }

    /// Writes to a store, or asks it for what it is now, whatever this context is pinned to.
    @inline(__always)
    final func working<Result>(
        with store: any RowStore, _ body: (any StoreSession) throws -> Result
    ) throws -> Result {
        var isAlone = false
        let session = try CurrentContexts.session(of: store, for: self, &isAlone)
        defer { if isAlone { sessions.rest() } }
        return try body(session)
    }

    @inline(never)
    private final func pinnedSession(of store: any RowStore) throws -> (any StoreSession)? {
        if case .generation(let known) = pin { return known.session(of: store) }
        let generation = try QueryGeneration(of: persistentStoreCoordinator?.rowStores ?? [])
        pin = .generation(generation)
        return generation.session(of: store)
    }

    /// The reads to come see what has been committed until now, also in a pinned context.
    final func advanceGeneration() {
        renewSessions()
        if pin != nil { pin = .next }
    }

    /// The reads to come, in all contexts that work on this thread, see what has been committed until now.
    final func renewSessions() { CurrentContexts.renewSessions(of: self) }
}
