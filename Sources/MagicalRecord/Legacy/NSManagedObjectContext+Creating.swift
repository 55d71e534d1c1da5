import CoreData

extension NSManagedObjectContext {
    /// Creates the root and default contexts on a coordinator, unless there is a default context already.
    #if canImport(ObjectiveC)
    @objc(MR_initializeDefaultContextWithCoordinator:)
    #endif
    public class func mr_initializeDefaultContext(with coordinator: NSPersistentStoreCoordinator) {
        guard MagicalRecord.defaultStack == nil else { return }
        MagicalRecord.setDefaultStack(.legacy(on: coordinator))
    }

    /// Returns the private-queue context that writes the store, or traps as ``mr_default()``.
    #if canImport(ObjectiveC)
    @objc(MR_rootSavingContext)
    #endif
    @discardableResult
    public class func mr_rootSaving() -> NSManagedObjectContext { defaultOrTrap().rootSavingContext }

    /// Returns the default stack's main-queue context.
    ///
    /// Traps without a default stack; check ``MagicalRecord/defaultStack`` to avoid that.
    #if canImport(ObjectiveC)
    @objc(MR_defaultContext)
    #endif
    @discardableResult
    public class func mr_default() -> NSManagedObjectContext { defaultOrTrap().mainContext }

    /// Returns a new private-queue child of the root saving context.
    #if canImport(ObjectiveC)
    @objc(MR_context)
    #endif
    @discardableResult
    public class func mr_() -> NSManagedObjectContext { mr_context(withParent: mr_rootSaving()) }

    /// Returns a new private-queue child of `parentContext`.
    #if canImport(ObjectiveC)
    @objc(MR_contextWithParent:)
    #endif
    @discardableResult
    public class func mr_context(withParent parentContext: NSManagedObjectContext) -> NSManagedObjectContext {
        MagicalRecord.Shape.child(of: parentContext, .privateQueueConcurrencyType)
    }

    /// Returns a new private-queue context on a coordinator. If the coordinator belongs to a stack, saves of the context are
    /// merged into the stack's contexts (the original did not do so).
    #if canImport(ObjectiveC)
    @objc(MR_contextWithStoreCoordinator:)
    #endif
    @discardableResult
    public class func mr_context(with coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = mr_newPrivateQueue()
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Returns a new main-queue context without a parent or coordinator.
    #if canImport(ObjectiveC)
    @objc(MR_newMainQueueContext)
    #endif
    @discardableResult
    public class func mr_newMainQueue() -> NSManagedObjectContext { .init(concurrencyType: .mainQueueConcurrencyType) }

    /// Returns a new private-queue context without a parent or coordinator.
    #if canImport(ObjectiveC)
    @objc(MR_newPrivateQueueContext)
    #endif
    @discardableResult
    public class func mr_newPrivateQueue() -> NSManagedObjectContext {
        .init(concurrencyType: .privateQueueConcurrencyType)
    }

    /// Sets the default context, for stacks created elsewhere (`NSPersistentContainer`); nil removes the default stack.
    ///
    /// The topmost parent becomes the root saving context. (In the original this function was private.)
    public class func mr_setDefaultContext(_ context: NSManagedObjectContext?) {
        guard let context, let coordinator = context.persistentStoreCoordinator else {
            return MagicalRecord.setDefaultStack(nil)
        }
        let root = sequence(first: context, next: \.parent).first { $0.parent == nil }
        MagicalRecord.install(main: context, root: root, coordinator)
    }

    /// Sets the root saving context; nil does nothing. A default context that is not its child is replaced with a new one.
    public class func mr_setRootSaving(_ context: NSManagedObjectContext?) {
        guard let context, let coordinator = context.persistentStoreCoordinator else { return }
        let present = MagicalRecord.defaultStack?.mainContext
        let main = present?.parent === context ? present : nil
        MagicalRecord.install(
            main: main ?? MagicalRecord.Shape.child(of: context, .mainQueueConcurrencyType), root: context, coordinator)
    }

    /// Resets the default context on its queue, blocking the thread. (The original's function failed in debug builds.)
    #if canImport(ObjectiveC)
    @objc(MR_resetDefaultContext)
    #endif
    public class func mr_resetDefaultContext() {
        let context = mr_default()
        context.runAndWait { context.reset() }
    }

    /// Returns a new private-queue context as ``mr_newPrivateQueue()``, under an older name.
    #if canImport(ObjectiveC)
    @objc(MR_contextWithoutParent)
    #endif
    @available(*, deprecated, renamed: "mr_newPrivateQueue()")
    @discardableResult
    public class func mr_contextWithoutParent() -> NSManagedObjectContext { mr_newPrivateQueue() }

    /// Returns a new context as ``mr_()``, under an older name.
    #if canImport(ObjectiveC)
    @objc(MR_newContext)
    #endif
    @available(*, deprecated, renamed: "mr_()")
    @discardableResult
    public class func mr_new() -> NSManagedObjectContext { mr_() }

    /// Returns a new private-queue child as ``mr_context(withParent:)``, under an older name.
    #if canImport(ObjectiveC)
    @objc(MR_newContextWithParent:)
    #endif
    @available(*, deprecated, renamed: "mr_context(withParent:)")
    @discardableResult
    public class func mr_newContext(withParent parentContext: NSManagedObjectContext) -> NSManagedObjectContext {
        mr_context(withParent: parentContext)
    }

    /// Returns a new private-queue context as ``mr_context(with:)``, under an older name.
    #if canImport(ObjectiveC)
    @objc(MR_newContextWithStoreCoordinator:)
    #endif
    @available(*, deprecated, renamed: "mr_context(with:)")
    @discardableResult
    public class func mr_newContext(with coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        mr_context(with: coordinator)
    }

    private class func defaultOrTrap() -> MagicalRecord.Stack {
        guard let stack = MagicalRecord.defaultStack else {
            preconditionFailure(
                "The default context was used before set-up, or after clean-up. Call MagicalRecord.setUp() first.")
        }
        return stack
    }
}

extension MagicalRecord {
    /// Sets a default stack over contexts created elsewhere.
    static func install(
        main: NSManagedObjectContext, root: NSManagedObjectContext?, _ coordinator: NSPersistentStoreCoordinator
    ) {
        let parent = root ?? main
        let contexts = Shape.Contexts(main: main, root: root === main ? nil : root) {
            Shape.child(of: parent, .privateQueueConcurrencyType)
        }
        setDefaultStack(
            Stack(
                coordinator: coordinator, shape: .custom("installed") { _ in contexts },
                mergePolicy: .mergeByPropertyObjectTrump))
    }
}
