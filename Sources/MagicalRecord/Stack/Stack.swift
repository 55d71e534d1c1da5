import CoreData

extension MagicalRecord {
    /// A model, a coordinator with its stores, and the contexts above it, which are kept in sync.
    ///
    /// A program may have several stacks: one per user, or one for the app and one for a cache. The default stack is the one
    /// that functions use when called without a context.
    ///
    /// ```swift
    /// let stack = try MagicalRecord.Stack([.sqlite(at: folder.appendingPathComponent("ann.sqlite"))])
    /// try await stack.save { context in … }
    /// try await stack.tearDown()
    /// ```
    ///
    /// A stack may be used from any thread, its contexts and their objects only on their queues. A stack ensures that
    /// - objects get permanent IDs before a child context saves, so that an ID read afterwards stays valid;
    /// - changes that one context writes to the store are merged into the stack's other long-lived contexts (see
    ///   `StackMerging`);
    /// - modern saves run one after the other (see ``save(onConflict:isolation:_:)->_``).
    public final class Stack: @unchecked Sendable {
        /// The coordinator of the stack's stores.
        public let coordinator: NSPersistentStoreCoordinator
        /// The arrangement of the contexts.
        public let shape: Shape
        /// The context for the user interface: main queue, except in ``Shape/server``.
        public let mainContext: NSManagedObjectContext
        /// The context that writes the store: the private root, or the main context if there is none.
        public let rootSavingContext: NSManagedObjectContext

        /// The policy for a save when another context or process has changed or deleted one of its rows since it was read, or
        /// has a row with the same unique values. Applies to contexts attached to the coordinator; those of
        /// ``Shape/custom(_:_:)`` have the policies that the shape set.
        public let mergePolicy: NSMergePolicy

        private let makeWorker: @Sendable () -> NSManagedObjectContext
        /// Held by a modern save from the beginning of its closure to the end of writing.
        let exclusiveSaves = AsyncMutex()
        /// Held by a save while it writes.
        let writing = AsyncMutex()
        let activity = StackActivity()
        let merging: StackMerging
        /// nil unless saves of other programs are merged.
        let remoteMerging = Locked<RemoteMerging?>(nil)

        /// Creates a stack: loads the model, migrates and opens every store on this thread, creates the contexts. On failure,
        /// stores that were opened are closed again.
        ///
        /// - Parameters:
        ///   - stores: the stores, at least one. Each of several stores should have its own configuration of the model.
        ///   - shape: the contexts of the stack.
        ///   - migration: the migration policy for stores of another model version.
        ///   - model: the model; by default all models of the main bundle, merged.
        ///   - mergePolicy: the policy for save conflicts; by default the save fails and overwrites nothing.
        /// - Throws: ``MagicalRecordError/Code/modelNotFound``, or Core Data's error for a store that cannot be opened.
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
            if stores.contains(where: \.mergesRemoteChanges) { mergeRemoteChanges() }
        }

        /// Creates a stack over a coordinator that has its stores, such as that of an `NSPersistentContainer`.
        public init(
            coordinator: NSPersistentStoreCoordinator, shape: Shape = .rootSaving, mergePolicy: NSMergePolicy = .error
        ) {
            let contexts = shape.build(coordinator, mergePolicy)
            self.coordinator = coordinator
            self.mergePolicy = mergePolicy
            self.shape = shape
            mainContext = contexts.main
            rootSavingContext = contexts.root ?? contexts.main
            makeWorker = contexts.makeWorker
            let lasting = [contexts.root, contexts.main].compactMap(\.self)
            merging = StackMerging(coordinator: coordinator, contexts: lasting)
            let entry = Weak(stack: self, identifier: ObjectIdentifier(self))
            Self.registry.withLock { $0[ObjectIdentifier(coordinator), default: []].append(entry) }
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

        /// Returns a new context for one unit of work, the shape's worker. `save(to: .store)` writes its changes to the store.
        public func newContext(named name: String? = nil) -> NSManagedObjectContext {
            let context = makeWorker()
            // Logs fall back to it if there is no working name, which would cost a dictionary for each save.
            if let name { context.name = name }
            return context
        }

        /// Returns a new private-queue context attached to the coordinator, for long-lived work, which the stack does not retain.
        /// Saves of the stack's other contexts are merged into it, and its saves into them, until it is released.
        public func newFollowingContext(named name: String) -> NSManagedObjectContext {
            let context = newContextOnStore(named: name)
            merging.follow(context)
            return context
        }

        /// Returns a new private-queue context attached to the coordinator, with a merge policy: by default the stack's.
        func newContextOnStore(named name: String? = nil, _ policy: NSMergePolicy? = nil) -> NSManagedObjectContext {
            Shape.attached(to: coordinator, named: name, policy ?? mergePolicy)
        }

        /// Waits until the main context and every other long-lived context have merged, each on its queue, what was saved before
        /// the call. Must not be awaited while the main queue waits for the caller.
        public func mergesHaveEnded() async { await merging.haveEnded() }

        /// Merges what other programs save into the stack's long-lived contexts from now on, so that results and `observe` follow
        /// it.
        ///
        /// Concerns the stores that were added with the options `NSPersistentHistoryTrackingKey` and
        /// `NSPersistentStoreRemoteChangeNotificationPostOptionKey`, as ``MagicalRecord/Store/mergingRemoteChanges()`` sets them
        /// and begins the merging. Calling it again changes nothing. Errors of reading the history go to the error handler; if
        /// the history since the last merge was purged, the contexts read all their objects again.
        public func mergeRemoteChanges() {
            remoteMerging.withLock { if $0 == nil, !isTornDown { $0 = RemoteMerging(coordinator, merging) } }
        }

        private struct Weak {
            weak var stack: Stack?
            let identifier: ObjectIdentifier
        }

        /// The stacks by coordinator.
        private static let registry = Locked<[ObjectIdentifier: [Weak]]>([:])

        deinit {
            let (coordinator, identifier) = (ObjectIdentifier(coordinator), ObjectIdentifier(self))
            // Only compares identifiers: a strong reference taken here could be the last one of another stack, and its `deinit`
            // would deadlock.
            Self.registry.withLock { stacks in
                stacks[coordinator]?.removeAll { $0.identifier == identifier }
                if stacks[coordinator]?.isEmpty == true { stacks[coordinator] = nil }
            }
        }

        /// Returns the open stack on a coordinator, if there is one.
        static func open(on coordinator: NSPersistentStoreCoordinator?) -> Stack? {
            latest(on: coordinator).flatMap { $0.isTornDown ? nil : $0 }
        }

        /// Returns a stack on a coordinator, preferably an open one.
        static func latest(on coordinator: NSPersistentStoreCoordinator?) -> Stack? {
            guard let coordinator else { return nil }
            // The references are released outside of the lock: one may be the last, and `deinit` takes the lock.
            let stacks = registry.withLock { $0[ObjectIdentifier(coordinator)]?.compactMap(\.stack) } ?? []
            return stacks.first { !$0.isTornDown } ?? stacks.first
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// Opens a store. If the policy allows it, a store of another model version is deleted and created again.
    @discardableResult
    func add(_ store: MagicalRecord.Store, migration: MagicalRecord.Migration) throws -> NSPersistentStore {
        var options = migration.options(ofStoresOfType: store.type)
        options.merge(store.options) { $1 }
        if store.isReadOnly { options[NSReadOnlyPersistentStoreOption] = true }
        let url = store.url
        if let url, url.isFileURL, !store.isReadOnly { try MagicalRecord.createDirectory(for: url) }
        let open = {
            try self.addPersistentStore(
                ofType: store.type, configurationName: store.configuration, at: url,
                options: options.isEmpty ? nil : options)
        }
        do {
            if !store.isReadOnly { try migration.preparation?.run(store, managedObjectModel) }
            return try open()
        } catch {
            // An empty model means that no model was found: no reason to delete a store.
            guard migration.deletesOnMismatch, !managedObjectModel.entities.isEmpty, let url,
                MagicalRecord.Migration.isMismatch(error)
            else { throw error }
            return try MagicalRecord.recreatingStore(at: url, type: store.type, open)
        }
    }
}
