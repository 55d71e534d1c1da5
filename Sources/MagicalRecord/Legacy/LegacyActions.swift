import CoreData

/// The original's saves. Their blocks run at the same time, each on a context of its own; only writing is done one save
/// after the other.
enum LegacyActions {
    /// Runs a block with a fresh context, later, and saves up to the store.
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
            finish($0.value, completion)
        }
    }

    /// Runs a block with a fresh context, saves up to the store, and waits for that.
    static func saveAndWait(_ block: (NSManagedObjectContext) -> Void) {
        guard let stack = MagicalRecord.defaultStack else {
            return saveAndWait(in: contextWithoutStack(named: "saveWithBlockAndWait:"), block)
        }
        MagicalRecord.reporting {
            let context = stack.newContext(named: "saveWithBlockAndWait:")
            return try stack.scheduleAndWait(in: context, isExclusive: false) {
                block(context)
            } writing: {
                try context.push()
            }
        }
    }

    /// Runs a block in a context, later, and saves through its parents to the store.
    static func save(
        in context: NSManagedObjectContext, _ block: @escaping @Sendable (NSManagedObjectContext) -> Void,
        _ completion: MRSaveCompletionHandler?
    ) {
        // The block counts as work on the stack, and so does the save that follows.
        let activity = context.beginActivity()
        context.perform {
            ContextScope.with(context) { block(context) }
            LegacySaving.save(context, .parentContexts, completion)
            activity?.end()
        }
    }

    /// Runs a block in a context, saves through its parents to the store, and waits for that.
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

    /// What a block gets before set-up, as in the original: a context that leads to no store. It finds and creates nothing; to
    /// save what was inserted by other means fails.
    private static func contextWithoutStack(named name: String) -> NSManagedObjectContext {
        Log.warn("There is no default stack: the block of this save gets a context without a store")
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.undoManager = nil
        context.magicalName = name
        return context
    }

    private static func finish(
        _ result: Result<MagicalRecord.SaveOutcome, any Error>, _ completion: MRSaveCompletionHandler?
    ) {
        switch result {
        case .success(let outcome):
            DispatchQueue.main.async { completion?(outcome != .nothingToSave, nil) }
        case .failure(let error):
            MagicalRecord.handleErrors(error)
            DispatchQueue.main.async { completion?(false, error) }
        }
    }
}

extension NSManagedObjectContext {
    /// Counts a piece of work on the stack the context belongs to, which keeps its stores open until the activity's
    /// `end()`. `nil` when it belongs to none, or to one whose stores are being closed.
    func beginActivity() -> StackActivity? {
        let activity = MagicalRecord.Stack.latest(on: persistentStoreCoordinator)?.activity
        return activity.flatMap { $0.beginWithin() ? $0 : nil }
    }
}

extension NSManagedObjectContext {
    /// Runs `block` later with a child of this context and saves through this context to the store. Other changes of
    /// this context are saved too.
    @preconcurrency
    public func mr_save(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        mr_save(block, completion: nil)
    }

    /// As ``mr_save(_:)``, with a completion on the main queue.
    @preconcurrency
    public func mr_save(
        _ block: @escaping @Sendable (NSManagedObjectContext) -> Void, completion: MRSaveCompletionHandler?
    ) {
        let child = NSManagedObjectContext.mr_context(withParent: self)
        child.magicalName = "MR_saveWithBlock:completion:"
        LegacyActions.save(in: child, block, completion)
    }

    /// As ``mr_save(_:)``, and returns when everything is saved.
    public func mr_save(blockAndWait block: (NSManagedObjectContext) -> Void) {
        let child = NSManagedObjectContext.mr_context(withParent: self)
        child.magicalName = "MR_saveWithBlockAndWait:"
        LegacyActions.saveAndWait(in: child, block)
    }
}
