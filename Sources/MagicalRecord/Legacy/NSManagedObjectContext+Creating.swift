import CoreData

extension NSManagedObjectContext {
    /// Builds root and default contexts on a coordinator, unless there is a default context already.
    #if canImport(ObjectiveC)
    @objc(MR_initializeDefaultContextWithCoordinator:)
    #endif
    public class func mr_initializeDefaultContext(with coordinator: NSPersistentStoreCoordinator) {
        guard MagicalRecord.defaultStack == nil else { return }
        MagicalRecord.setDefaultStack(.legacy(on: coordinator))
    }

    /// The private-queue context that writes the store.
    ///
    /// Traps without a stack; ``MagicalRecord/defaultStack`` is the way to ask.
    #if canImport(ObjectiveC)
    @objc(MR_rootSavingContext)
    #endif
    @discardableResult
    public class func mr_rootSaving() -> NSManagedObjectContext { defaultOrTrap().rootSavingContext }

    /// The main-queue context.
    ///
    /// Traps without a stack; ``MagicalRecord/defaultStack`` is the way to ask.
    #if canImport(ObjectiveC)
    @objc(MR_defaultContext)
    #endif
    @discardableResult
    public class func mr_default() -> NSManagedObjectContext { defaultOrTrap().mainContext }

    /// A new private-queue context, child of the root saving context.
    #if canImport(ObjectiveC)
    @objc(MR_context)
    #endif
    @discardableResult
    public class func mr_() -> NSManagedObjectContext { mr_context(withParent: mr_rootSaving()) }

    /// A new private-queue context, child of `parentContext`.
    #if canImport(ObjectiveC)
    @objc(MR_contextWithParent:)
    #endif
    @discardableResult
    public class func mr_context(withParent parentContext: NSManagedObjectContext) -> NSManagedObjectContext {
        MagicalRecord.Shape.child(of: parentContext, .privateQueueConcurrencyType)
    }

    /// A new private-queue context on a coordinator. Where that is a stack's, its saves are merged into the stack's
    /// contexts (the original left them out).
    #if canImport(ObjectiveC)
    @objc(MR_contextWithStoreCoordinator:)
    #endif
    @discardableResult
    public class func mr_context(with coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = mr_newPrivateQueue()
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// A main-queue context without parent or coordinator.
    #if canImport(ObjectiveC)
    @objc(MR_newMainQueueContext)
    #endif
    @discardableResult
    public class func mr_newMainQueue() -> NSManagedObjectContext {
        NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    }

    /// A private-queue context without parent or coordinator.
    #if canImport(ObjectiveC)
    @objc(MR_newPrivateQueueContext)
    #endif
    @discardableResult
    public class func mr_newPrivateQueue() -> NSManagedObjectContext {
        NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    }

    /// Makes a context of your own the default one. Its parent, if it has one, becomes the root saving context.
    ///
    /// For stacks built elsewhere (`NSPersistentContainer`); the original had this function, but hid it.
    public class func mr_setDefaultContext(_ context: NSManagedObjectContext?) {
        guard let context, let coordinator = context.persistentStoreCoordinator else {
            return MagicalRecord.setDefaultStack(nil)
        }
        let root = sequence(first: context, next: \.parent).first { $0.parent == nil }
        MagicalRecord.install(main: context, root: root, coordinator)
    }

    /// Makes a context of your own the root saving context. The default context, where it is not its child, is made
    /// anew.
    public class func mr_setRootSaving(_ context: NSManagedObjectContext?) {
        guard let context, let coordinator = context.persistentStoreCoordinator else { return }
        let present = MagicalRecord.defaultStack?.mainContext
        let main = present?.parent === context ? present : nil
        MagicalRecord.install(
            main: main ?? MagicalRecord.Shape.child(of: context, .mainQueueConcurrencyType), root: context, coordinator)
    }

    /// Empties the default context, on its queue, and waits for that. (The original's assertion was the wrong way
    /// round, so that it never worked in debug builds.)
    #if canImport(ObjectiveC)
    @objc(MR_resetDefaultContext)
    #endif
    public class func mr_resetDefaultContext() {
        let context = mr_default()
        context.runAndWait { context.reset() }
    }

    /// An older name for ``mr_newPrivateQueue()``.
    #if canImport(ObjectiveC)
    @objc(MR_contextWithoutParent)
    #endif
    @available(*, deprecated, renamed: "mr_newPrivateQueue()")
    @discardableResult
    public class func mr_contextWithoutParent() -> NSManagedObjectContext { mr_newPrivateQueue() }

    /// An older name for ``mr_()``.
    #if canImport(ObjectiveC)
    @objc(MR_newContext)
    #endif
    @available(*, deprecated, renamed: "mr_()")
    @discardableResult
    public class func mr_new() -> NSManagedObjectContext { mr_() }

    /// A private-queue context with that parent. An older name.
    #if canImport(ObjectiveC)
    @objc(MR_newContextWithParent:)
    #endif
    @available(*, deprecated, renamed: "mr_context(withParent:)")
    @discardableResult
    public class func mr_newContext(withParent parentContext: NSManagedObjectContext) -> NSManagedObjectContext {
        mr_context(withParent: parentContext)
    }

    /// A private-queue context on that coordinator. An older name.
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
    /// A default stack around contexts built elsewhere.
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
                mergePolicy: .mergeByPropertyObjectTrump, contexts: contexts))
    }
}
