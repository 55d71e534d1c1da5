import CoreData

extension MagicalRecord {
    /// Runs `block` later with a fresh context and saves what it changed to the store; errors go to the error handler.
    ///
    /// In asynchronous code `try await MagicalRecord.save { … }` is the same name and throws its errors.
    @preconcurrency
    public class func save(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        save(block, completion: nil)
    }

    /// Runs `block` later with a fresh context, saves what it changed to the store, and calls `completion` on the main
    /// queue. With nothing changed that is `(false, nil)`.
    ///
    /// Saves take turns, those of the modern functions included.
    @preconcurrency
    public class func save(
        _ block: @escaping @Sendable (NSManagedObjectContext) -> Void, completion: MRSaveCompletionHandler?
    ) {
        guard let stack = stackOrReport(completion) else { return }
        let context = stack.newContext(named: "saveWithBlock:completion:")
        stack.lane.acquire {
            run(block, in: context, of: stack) { saved, error in completion?(saved, error) }
        }
    }

    /// Runs `block` with a fresh context, saves what it changed to the store, and returns when that is done. Errors go
    /// to the error handler only; ``saveAndWait(_:)`` throws them.
    public class func save(blockAndWait block: (NSManagedObjectContext) -> Void) {
        reporting { try saveAndWait { context in block(context) } }
    }

    /// Runs a block on the thread's context and saves through to the store without waiting.
    @available(*, deprecated, message: "Use save(_:completion:) and the context it passes")
    @preconcurrency
    public class func saveUsingCurrentThreadContext(
        _ block: @escaping @Sendable (NSManagedObjectContext) -> Void, completion: MRSaveCompletionHandler? = nil
    ) {
        let context = ThreadContexts.current()
        context.perform {
            ContextScope.with(context) { block(context) }
            LegacySaving.save(context, .parentContexts, completion)
        }
    }

    /// Runs a block on the thread's context, saves through to the store, and waits.
    @available(*, deprecated, message: "Use save(blockAndWait:) and the context it passes")
    public class func saveUsingCurrentThreadContext(blockAndWait block: (NSManagedObjectContext) -> Void) {
        let context = ThreadContexts.current()
        context.performAndWait { ContextScope.with(context) { block(context) } }
        LegacySaving.save(context, [.parentContexts, .synchronously], nil)
    }

    /// An older name for ``save(_:)-(_)->()``.
    @available(*, deprecated, renamed: "save(_:)")
    @preconcurrency
    public class func saveInBackground(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        save(block, completion: nil)
    }

    /// The completion comes on the main queue, as everywhere else. (The original called this one on the background
    /// queue.)
    @available(*, deprecated, renamed: "save(_:completion:)")
    @preconcurrency
    public class func saveInBackground(
        _ block: @escaping @Sendable (NSManagedObjectContext) -> Void, completion: (@Sendable () -> Void)?
    ) {
        save(block) { _, _ in completion?() }
    }

    @available(*, deprecated, message: "Use save(_:completion:) and the context it passes")
    @preconcurrency
    public class func saveInBackgroundUsingCurrentContext(
        _ block: @escaping @Sendable (NSManagedObjectContext) -> Void, completion: (@Sendable () -> Void)?,
        errorHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let context = ThreadContexts.current()
        context.perform {
            ContextScope.with(context) { block(context) }
            LegacySaving.save(context, .parentContexts) { saved, error in
                if saved { completion?() } else if let error { errorHandler?(error) }
            }
        }
    }

    private static func stackOrReport(_ completion: MRSaveCompletionHandler?) -> Stack? {
        do {
            return try requireStack()
        } catch {
            handleErrors(error)
            DispatchQueue.main.async { completion?(false, error) }
            return nil
        }
    }

    /// Runs the block on the context's queue and saves up to the store, then gives the turn back.
    private static func run(
        _ block: @escaping @Sendable (NSManagedObjectContext) -> Void, in context: NSManagedObjectContext,
        of stack: Stack, _ completion: @escaping MRSaveCompletionHandler
    ) {
        context.perform {
            ContextScope.with(context) { block(context) }
            Task {
                do {
                    let outcome = try await stack.push(context)
                    DispatchQueue.main.async { completion(outcome != .nothingToSave, nil) }
                } catch {
                    handleErrors(error)
                    DispatchQueue.main.async { completion(false, error) }
                }
                stack.lane.release()
            }
        }
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
        child.perform {
            ContextScope.with(child) { block(child) }
            LegacySaving.save(child, .parentContexts, completion)
        }
    }

    /// As ``mr_save(_:)``, and returns when everything is saved.
    public func mr_save(blockAndWait block: (NSManagedObjectContext) -> Void) {
        let child = NSManagedObjectContext.mr_context(withParent: self)
        child.magicalName = "MR_saveWithBlockAndWait:"
        child.performAndWait { ContextScope.with(child) { block(child) } }
        LegacySaving.save(child, [.parentContexts, .synchronously], nil)
    }
}
