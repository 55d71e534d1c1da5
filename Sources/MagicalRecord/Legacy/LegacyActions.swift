import CoreData

/// Implements the original's saves. Their blocks run concurrently, each with a private context; only writes are serialized.
enum LegacyActions {
    /// Runs a block asynchronously with a new context and saves to the store.
    static func save(
        _ block: @escaping @Sendable (NSManagedObjectContext) -> Void, _ completion: MRSaveCompletionHandler?
    ) {
        guard let stack = MagicalRecord.defaultStack else {
            return save(in: contextWithoutStack(named: "saveWithBlock:completion:"), block, completion)
        }
        let context = stack.newContext(named: "saveWithBlock:completion:")
        stack.schedule(in: context) {
            block(context)
        } writing: {
            try context.push()
        } completion: {
            switch $0.value {
            case .success(let outcome): DispatchQueue.main.async { completion?(outcome != .nothingToSave, nil) }
            case .failure(let error): fail(error, completion)
            }
        }
    }

    /// Runs a block with a new context and saves to the store, blocking the thread.
    static func saveAndWait(_ block: (NSManagedObjectContext) -> Void) {
        guard let stack = MagicalRecord.defaultStack else {
            return saveAndWait(in: contextWithoutStack(named: "saveWithBlockAndWait:"), block)
        }
        MagicalRecord.reporting {
            let context = stack.newContext(named: "saveWithBlockAndWait:")
            return try stack.scheduleAndWait(in: context, isolation: nil) {
                block(context)
            } writing: {
                try context.push()
            }
        }
    }

    /// Runs a block in a context asynchronously and saves through its parents to the store.
    static func save(
        in context: NSManagedObjectContext, _ block: @escaping @Sendable (NSManagedObjectContext) -> Void,
        _ completion: MRSaveCompletionHandler?
    ) {
        // Keeps the stores open until the save has begun, which counts as an activity itself.
        let activity = context.beginActivity()
        context.perform {
            ContextScope.with(context) { block(context) }
            LegacySaving.save(context, .parentContexts, completion)
            activity?.end()
        }
    }

    /// Runs a block in a context and saves through its parents to the store, blocking the thread.
    static func saveAndWait(in context: NSManagedObjectContext, _ block: (NSManagedObjectContext) -> Void) {
        do {
            try context.checkMayBeWaitedFor()
        } catch {
            return MagicalRecord.handleErrors(error)
        }
        let activity = context.beginActivity()
        defer { activity?.end() }
        context.runAndWait { ContextScope.with(context) { block(context) } }
        LegacySaving.save(context, [.parentContexts, .synchronously], nil)
    }

    /// Returns a context without a store, for a block before set-up, as in the original. Fetching and creating fail in it, and
    /// so does saving objects inserted otherwise.
    private static func contextWithoutStack(named name: String) -> NSManagedObjectContext {
        Log.warn("There is no default stack: the block of this save gets a context without a store")
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.undoManager = nil
        context.magicalName = name
        return context
    }

    /// Reports an error to the error handler, and to the completion on the main queue.
    static func fail(_ error: any Error, _ completion: MRSaveCompletionHandler?) {
        MagicalRecord.handleErrors(error)
        DispatchQueue.main.async { completion?(false, error) }
    }
}

extension NSManagedObjectContext {
    /// Begins an activity on the context's stack, which keeps the stores open until the activity's `end()`. Returns nil if the
    /// context has no stack or its stores are being closed.
    func beginActivity() -> StackActivity? {
        let activity = MagicalRecord.Stack.latest(on: persistentStoreCoordinator)?.activity
        return activity.flatMap { $0.begin(within: true) ? $0 : nil }
    }

    /// Runs `block` asynchronously with a child of this context and saves through this context to the store, together with this
    /// context's other changes. Errors go to the error handler.
    // Without this function a trailing closure would be that of `mr_save(blockAndWait:)`, which has as few parameters.
    @preconcurrency
    public func mr_save(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        mr_save(block, completion: nil)
    }

    /// Runs and saves `block` as ``mr_save(_:)``, and then calls `completion` on the main queue.
    @preconcurrency
    public func mr_save(
        _ block: @escaping @Sendable (NSManagedObjectContext) -> Void, completion: MRSaveCompletionHandler?
    ) {
        let child = NSManagedObjectContext.mr_context(withParent: self)
        child.magicalName = "MR_saveWithBlock:completion:"
        LegacyActions.save(in: child, block, completion)
    }

    /// Runs and saves `block` as ``mr_save(_:)``, blocking the thread.
    public func mr_save(blockAndWait block: (NSManagedObjectContext) -> Void) {
        let child = NSManagedObjectContext.mr_context(withParent: self)
        child.magicalName = "MR_saveWithBlockAndWait:"
        LegacyActions.saveAndWait(in: child, block)
    }
}
