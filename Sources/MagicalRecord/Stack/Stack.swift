import CoreData

extension MagicalRecord {
    /// A model, a coordinator with its stores, and the contexts on top, kept in step with each other.
    ///
    /// Several stacks can live side by side: one per user, one for the app and one for a cache. The default stack is
    /// only the one that functions without a context mean.
    ///
    /// ```swift
    /// let stack = try MagicalRecord.Stack([.sqlite(at: folder.appendingPathComponent("ann.sqlite"))])
    /// try await stack.save { context in … }
    /// try await stack.tearDown()
    /// ```
    ///
    /// A stack may be used from any thread; its contexts and their objects only on their queues.
    ///
    /// What it sees to, besides holding things together:
    /// - objects get permanent IDs before a child context saves, so that an ID taken afterwards stays valid;
    /// - what one context writes to the store is merged into the stack's other lasting contexts (see `StackMerging`);
    /// - modern saves run one after the other (see ``save(onConflict:isolation:_:)->_``).
    public final class Stack: @unchecked Sendable {
        /// The coordinator of the stack's stores.
        public let coordinator: NSPersistentStoreCoordinator
        /// How the contexts hang together.
        public let shape: Shape
        /// The context for the user interface: main queue, except in ``Shape/server``.
        public let mainContext: NSManagedObjectContext
        /// The context that writes the store: the private root, or the main context where there is none.
        public let rootSavingContext: NSManagedObjectContext

        /// What becomes of a save when another context or process has changed or deleted one of its rows since it was read, or
        /// has a row with the same unique values. Contexts on the store have it; those of ``Shape/custom(_:_:)`` have what
        /// their shape gave them.
        public let mergePolicy: NSMergePolicy

        let makeWorker: @Sendable () -> NSManagedObjectContext
        /// Held by a modern save from the beginning of its work to the end of writing.
        let exclusiveSaves = AsyncMutex()
        /// Held by a save while it writes.
        let writing = AsyncMutex()
        let activity = StackActivity()
        let merging: StackMerging

        /// Builds a stack: loads the model, opens every store, builds the contexts. Nothing is left behind when it
        /// fails.
        ///
        /// - Parameters:
        ///   - stores: the stores, at least one. With several, give each a configuration of the model.
        ///   - shape: how the contexts hang together.
        ///   - migration: what to do with stores of another model. Migration happens now, on this thread.
        ///   - model: where the model comes from.
        ///   - mergePolicy: what becomes of a save that meets what others have written; by default it fails.
        /// - Throws: ``MagicalRecordError/Code/modelNotFound``, or Core Data's error for the store that would not open.
        public convenience init(
            _ stores: [Store], shape: Shape = .rootSaving, migration: Migration = .automatic,
            model: ModelSource = .merged, mergePolicy: NSMergePolicy = .error
        ) throws {
            precondition(!stores.isEmpty, "A stack needs at least one store.")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model.load())
            do {
                for store in stores { try coordinator.add(store, migration: migration) }
            } catch {
                for store in coordinator.persistentStores { try? coordinator.remove(store) }
                throw error
            }
            self.init(coordinator: coordinator, shape: shape, mergePolicy: mergePolicy)
        }

        /// A stack over a coordinator that is ready, an `NSPersistentContainer`'s for example.
        public convenience init(
            coordinator: NSPersistentStoreCoordinator, shape: Shape = .rootSaving, mergePolicy: NSMergePolicy = .error
        ) {
            self.init(
                coordinator: coordinator, shape: shape, mergePolicy: mergePolicy,
                contexts: shape.build(coordinator, mergePolicy))
        }

        init(
            coordinator: NSPersistentStoreCoordinator, shape: Shape, mergePolicy: NSMergePolicy,
            contexts: Shape.Contexts
        ) {
            self.coordinator = coordinator
            self.mergePolicy = mergePolicy
            self.shape = shape
            mainContext = contexts.main
            rootSavingContext = contexts.root ?? contexts.main
            makeWorker = contexts.makeWorker
            merging = StackMerging(
                coordinator: coordinator, contexts: [contexts.root, contexts.main].compactMap { $0 })
            Self.register(self)
        }

        /// The model.
        public var model: NSManagedObjectModel { coordinator.managedObjectModel }

        /// The stores, in the order in which they were opened.
        public var stores: [NSPersistentStore] { coordinator.persistentStores }

        /// Whether the stack has been torn down.
        public var isTornDown: Bool { activity.isClosed }

        func checkOpen() throws {
            if isTornDown { throw MagicalRecordError.tornDown }
        }

        /// A new context for one piece of work, of the kind the shape uses for that.
        ///
        /// Its changes reach the store with `save(to: .store)`.
        public func newContext(named name: String? = nil) -> NSManagedObjectContext {
            let context = makeWorker()
            // Logs show it where there is no working name, which would need a dictionary for each save.
            if let name { context.name = name }
            return context
        }

        /// A new private-queue context directly on the coordinator, for work that lasts.
        ///
        /// What the others save is merged into it, and what it saves into them, for as long as somebody holds it.
        public func newFollowingContext(named name: String) -> NSManagedObjectContext {
            let context = Shape.attached(.privateQueueConcurrencyType, to: coordinator, named: name, mergePolicy)
            merging.follow(context)
            return context
        }

        /// Returns once the main context, and every other lasting one, shows what was saved before the call.
        ///
        /// They follow by themselves, each on its own queue, a moment after a save; tests and programs that go on to
        /// read there can wait for it. Must not be awaited where the main queue waits for the caller.
        public func mergesHaveEnded() async {
            await merging.haveEnded()
        }

        private struct Weak {
            weak var stack: Stack?
            let identifier: ObjectIdentifier

            init(_ stack: Stack) {
                self.stack = stack
                identifier = ObjectIdentifier(stack)
            }
        }

        /// By their coordinators.
        private static let registry = Locked<[ObjectIdentifier: [Weak]]>([:])

        private static func register(_ stack: Stack) {
            registry.withLock { $0[ObjectIdentifier(stack.coordinator), default: []].append(Weak(stack)) }
        }

        deinit {
            let (coordinator, identifier) = (ObjectIdentifier(coordinator), ObjectIdentifier(self))
            // Another stack asked for here might end here, which would lock again.
            Self.registry.withLock { stacks in
                stacks[coordinator]?.removeAll { $0.identifier == identifier }
                if stacks[coordinator]?.isEmpty == true { stacks[coordinator] = nil }
            }
        }

        /// The open stack on a coordinator, if there is one.
        static func open(on coordinator: NSPersistentStoreCoordinator?) -> Stack? {
            latest(on: coordinator).flatMap { $0.isTornDown ? nil : $0 }
        }

        /// The stack on a coordinator, be it open or closed; of several an open one.
        static func latest(on coordinator: NSPersistentStoreCoordinator?) -> Stack? {
            guard let coordinator else { return nil }
            // Outside of the lock a stack may end with the last reference to it.
            let stacks = registry.withLock { $0[ObjectIdentifier(coordinator)]?.compactMap(\.stack) } ?? []
            return stacks.first { !$0.isTornDown } ?? stacks.first
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// Opens a store. A store of another model is deleted and made anew if the policy says so.
    @discardableResult
    func add(_ store: MagicalRecord.Store, migration: MagicalRecord.Migration) throws -> NSPersistentStore {
        var options = migration.options(ofStoresOfType: store.type)
        options.merge(store.options) { $1 }
        if store.isReadOnly { options[NSReadOnlyPersistentStoreOption] = true }
        let url = store.url
        if let url, url.isFileURL, !store.isReadOnly { try MagicalRecord.createDirectory(for: url) }
        do {
            if !store.isReadOnly { try migration.preparation?.run(store, managedObjectModel) }
            return try addStore(store, at: url, options: options)
        } catch {
            // A model without entities was not found, and is no reason to delete a store.
            guard migration.deletesOnMismatch, !managedObjectModel.entities.isEmpty, let url,
                MagicalRecord.Migration.isMismatch(error)
            else { throw error }
            return try MagicalRecord.recreatingStore(at: url, type: store.type) {
                try addStore(store, at: url, options: options)
            }
        }
    }

    private func addStore(_ store: MagicalRecord.Store, at url: URL?, options: [String: Any]) throws
        -> NSPersistentStore
    {
        try addPersistentStore(
            ofType: store.type, configurationName: store.configuration, at: url,
            options: options.isEmpty ? nil : options)
    }
}
