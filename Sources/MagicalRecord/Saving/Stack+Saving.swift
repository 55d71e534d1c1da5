import CoreData

extension MagicalRecord.Stack {
    /// Runs `body` with a fresh context for work and saves what it changed through to the store.
    ///
    /// ```swift
    /// let id = try await stack.save { context in
    ///     let user = try User.create(in: context)
    ///     user.displayName = "Ann"
    ///     return try user.permanentID()
    /// }
    /// ```
    /// Inside `body`, functions that are given no context use this one. Saves of a stack take turns: `body` begins
    /// when every save asked for before has ended, so what it reads is what it writes upon, and look-up-or-create
    /// cannot create twice.
    ///
    /// When the call returns on the main actor, the main context has merged the changes.
    ///
    /// - Parameter body: the work, on the context's queue. It must not wait for another save of the same stack.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, or Core Data's error. Then nothing has been saved, and nothing is left in the
    ///   contexts above.
    @discardableResult
    public func save<Value: Sendable>(
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try await saveReportingOutcome(body).value
    }

    /// As ``save(_:)-swift.method``, and also says how far the changes got: to the store, or nowhere because
    /// there were none.
    public func saveReportingOutcome<Value: Sendable>(
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> (value: Value, outcome: SaveOutcome) {
        try checkOpen()
        await lane.acquire()
        defer { lane.release() }
        try checkOpen()
        let context = newContext(named: "save")
        let value = try await context.perform { try ContextScope.with(context) { try body(context) } }
        return (value, try await push(context))
    }

    /// Saves a context for work through to the store. A save that is refused leaves nothing in the parents.
    func push(_ context: NSManagedObjectContext) async throws -> SaveOutcome {
        let pushed = await context.perform { PushedChanges(context) }
        do {
            return try await context.save(to: .store)
        } catch {
            for parent in context.ancestors { await parent.perform { pushed.takeBack(in: parent) } }
            throw error
        }
    }

    /// As ``save(_:)-swift.method``, blocking the thread until the store is written.
    ///
    /// From the main thread `body` may run on the main thread itself. Called inside the closure of another save of
    /// this stack it runs at once, on that save's context, and is saved with it.
    @discardableResult
    public func saveAndWait<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        try checkOpen()
        if let outer = ContextScope.current, outer.persistentStoreCoordinator === coordinator {
            return try body(outer)
        }
        let turn = Turn(of: self)
        defer { turn.end() }
        try checkOpen()
        let context = newContext(named: "saveAndWait")
        let value = try context.performAndWait { try ContextScope.with(context) { try body(context) } }
        try pushAndWait(context)
        return value
    }

    /// As ``push(_:)``, blocking the thread.
    func pushAndWait(_ context: NSManagedObjectContext) throws {
        let pushed = context.performAndWait { PushedChanges(context) }
        do {
            try context.save(to: .store)
        } catch {
            for parent in context.ancestors { parent.performAndWait { pushed.takeBack(in: parent) } }
            throw error
        }
    }

    /// A turn waited for by blocking.
    ///
    /// On the main thread no turn is taken where workers read through a main-queue context: the save whose turn it is
    /// needs the main queue to go on. Nor is one taken inside the closure of a save, which has the turn already.
    struct Turn {
        private let lane: SaveLane?

        init(of stack: MagicalRecord.Stack) {
            let hasTurn = ContextScope.current?.persistentStoreCoordinator === stack.coordinator
            let mustNotWait = hasTurn || MainQueue.isCurrent && stack.workersReadThroughMainQueue
            lane = mustNotWait ? nil : stack.lane
            lane?.acquireAndWait()
        }

        func end() {
            lane?.release()
        }
    }

    private var workersReadThroughMainQueue: Bool {
        newContext().ancestors.contains { $0.concurrencyType == .mainQueueConcurrencyType }
    }
}

extension NSManagedObjectContext {
    /// The parents, nearest first.
    var ancestors: [NSManagedObjectContext] {
        Array(sequence(first: self, next: \.parent).dropFirst())
    }
}

/// What a save is about to push into the contexts above it, so that it can be taken back when the store refuses.
///
/// Without that, the refused changes would stay in the parents and make every later save fail again.
struct PushedChanges: Sendable {
    let inserted: [NSManagedObjectID]
    let updated: [NSManagedObjectID]
    let deleted: [NSManagedObjectID]

    /// On the queue of `context`.
    init(_ context: NSManagedObjectContext) {
        guard context.parent != nil else {
            // Nowhere to take anything back from.
            (inserted, updated, deleted) = ([], [], [])
            return
        }
        context.processPendingChanges()
        inserted = context.insertedObjects.map(\.objectID)
        updated = context.updatedObjects.map(\.objectID)
        deleted = context.deletedObjects.map(\.objectID)
    }

    /// On the queue of `parent`: undoes these changes there, if they have arrived. Changes of others to *other*
    /// objects stay.
    func takeBack(in parent: NSManagedObjectContext) {
        guard parent.hasChanges else { return }
        for id in inserted {
            if let object = parent.registeredObject(for: id), object.isInserted { parent.delete(object) }
        }
        for id in updated {
            if let object = parent.registeredObject(for: id), object.hasChanges {
                parent.refresh(object, mergeChanges: false)
            }
        }
        for id in deleted {
            if let object = parent.registeredObject(for: id), object.isDeleted { parent.insert(object) }
        }
        parent.processPendingChanges()
    }
}
