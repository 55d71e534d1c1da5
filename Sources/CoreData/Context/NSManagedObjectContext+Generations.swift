import CoreDataRowStorage

/// What a context's reads are pinned to.
enum GenerationPin {
    /// The state there is at the next read.
    case next
    case generation(QueryGeneration)
}

extension QueryGeneration {
    /// The present state of the stores. Those that cannot be pinned, all but SQLite stores in write-ahead mode, are left out.
    fileprivate convenience init(of stores: [any RowStore]) throws {
        var states: [any PinnedState] = []
        var identifiers: [String] = []
        for store in stores {
            guard let state = try store.pin() else { continue }
            states.append(state)
            identifiers.append(store.identifier)
        }
        self.init(states, storeIdentifiers: identifiers)
    }

    fileprivate func covers(_ stores: [any RowStore]) -> Bool {
        stores.allSatisfy { !$0.abilities.contains(.generations) || storeIdentifiers.contains($0.identifier) }
    }
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

    /// Runs what reads from stores, in the state this context is pinned to.
    @inline(__always)
    final func reading<Result>(_ body: () throws -> Result) throws -> Result {
        guard pin != nil else { return try body() }
        return try readingPinned(body)
    }

    @inline(never)
    private final func readingPinned<Result>(_ body: () throws -> Result) throws -> Result {
        let generation: QueryGeneration
        switch pin {
        case .generation(let known): generation = known
        default:
            generation = try QueryGeneration(of: persistentStoreCoordinator?.rowStores ?? [])
            pin = .generation(generation)
        }
        return try GenerationScope.with(generation, body)
    }

    /// The reads to come see what has been committed until now, also in a pinned context.
    final func advanceGeneration() {
        ReadSpan.renew()
        if pin != nil { pin = .next }
    }
}
