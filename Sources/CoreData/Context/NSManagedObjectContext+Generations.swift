import CoreDataRowStorage

/// The query generation that a context's reads are pinned to.
enum GenerationPin {
    /// The generation that is current at the next read.
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

    /// Reads from a store: the pinned generation, or the committed state if the context is not pinned.
    @inline(__always)
    final func reading<Result>(
        _ store: any RowStore, _ body: (any StoreSession) throws -> Result
    ) throws -> Result {
        if pin != nil, let session = try pinnedSession(of: store) { return try body(session) }
        return try working(with: store, body)
    }

    /// Writes to a store, or reads its current state even if this context is pinned.
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

    /// Makes later reads see all changes committed so far, in a pinned context too.
    final func advanceGeneration() {
        renewSessions()
        if pin != nil { pin = .next }
    }

    /// Makes later reads of all contexts working on this thread see all changes committed so far.
    final func renewSessions() { CurrentContexts.renewSessions(of: self) }
}
