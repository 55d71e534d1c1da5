import CoreData

/// Watches a context for one iterator.
///
/// Everything but ``start()``, ``stop()`` and ``ask()`` happens on the context's queue. Uses public functions of Core Data
/// only. Holds the context until it is stopped; nothing that the context or the notification centre holds leads back here.
final class ContextWatcher<Value>: @unchecked Sendable {
    let mailbox = ValueMailbox<Value>()
    /// The context; nil after the end.
    private let place: Locked<NSManagedObjectContext?>
    private let contextIdentity: ObjectIdentifier
    private let source: WatchedSource<Value>
    private let observations = Locked<[any NSObjectProtocol]?>([])
    private var isScheduled = false

    init(_ context: NSManagedObjectContext, _ source: WatchedSource<Value>) {
        place = Locked(context)
        contextIdentity = ObjectIdentifier(context)
        self.source = source
    }

    func start() {
        onQueue { watcher, context in
            try watcher.source.prepare(in: context)
            watcher.observe(context)
            guard MagicalRecord.Stack.latest(on: context.persistentStoreCoordinator)?.isTornDown != true else {
                return watcher.end()
            }
            try watcher.update(in: context)
        }
    }

    /// Ends the watching, and releases the context.
    func stop() {
        let tokens = observations.withLock { tokens in
            defer { tokens = nil }
            return tokens ?? []
        }
        for token in tokens { NotificationCenter.default.removeObserver(token) }
        // Whatever goes with the context goes outside the lock.
        _ = place.withLock { context in
            defer { context = nil }
            return context
        }
    }

    /// Hands over what has been announced.
    func ask() {
        onQueue { watcher, context in
            // What is read from the objects is then of the same moment as the list of them.
            if watcher.isScheduled { try watcher.update(in: context) }
            try watcher.hand()
        }
    }

    /// Ends the sequence too.
    private func end(_ reason: Result<Void, any Error> = .success(())) {
        mailbox.finish(reason)
        stop()
    }

    private var context: NSManagedObjectContext? { place.withLock { $0 } }

    private func onQueue(_ body: @escaping @Sendable (ContextWatcher, NSManagedObjectContext) throws -> Void) {
        context?.perform { [weak self] in
            guard let self, let context else { return }
            do {
                try body(self, context)
            } catch {
                end(.failure(error))
            }
        }
    }

    // MARK: Changes

    /// Looks after the results when the queue has done what it is doing: many changes in a row cost one look.
    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        onQueue { watcher, context in
            if watcher.isScheduled { try watcher.update(in: context) }
        }
    }

    private func update(in context: NSManagedObjectContext) throws {
        isScheduled = false
        if try source.update(in: context), mailbox.announce() { try hand() }
    }

    /// Makes a value for the iterator, if it waits.
    private func hand() throws {
        guard mailbox.isAwaited else { return }
        if let value = try source.take() { mailbox.hand(value) } else { mailbox.withdraw() }
    }

    private func observe(_ context: NSManagedObjectContext) {
        var tokens = [
            observer(.NSManagedObjectContextObjectsDidChange) { watcher, notification in
                if watcher.source.noteChanges(notification.userInfo ?? [:]) { watcher.schedule() }
            },
            observer(.NSManagedObjectContextDidSave) { watcher, _ in
                if watcher.source.noteSave() { watcher.schedule() }
            },
            NotificationCenter.default.addObserver(forName: .magicalRecordStackClosed, object: nil, queue: nil) {
                [weak self] notification in
                guard let self, let closed = notification.object as? NSPersistentStoreCoordinator,
                    self.context?.persistentStoreCoordinator === closed
                else { return }
                end()
            },
        ]
        if source.watchesStores { tokens += storeObservers(context) }
        let isStopped = observations.withLock { known in
            guard known != nil else { return true }
            known = tokens
            return false
        }
        if isStopped {
            for token in tokens { NotificationCenter.default.removeObserver(token) }
        }
    }

    /// Observes what the context itself posts, on its queue.
    private func observer(
        _ name: Notification.Name, _ body: @escaping @Sendable (ContextWatcher, Notification) -> Void
    ) -> any NSObjectProtocol {
        // Foundation off Apple would keep a context alive that is named as the notifications' sender.
        let identity = contextIdentity
        return NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
            [weak self] notification in
            guard let self, let sender = notification.object as? NSManagedObjectContext,
                ObjectIdentifier(sender) == identity
            else { return }
            body(self, notification)
        }
    }

    /// Observes what any context writes to the same stores, and what this one merges.
    private func storeObservers(_ context: NSManagedObjectContext) -> [any NSObjectProtocol] {
        let coordinator = context.persistentStoreCoordinator.map(ObjectIdentifier.init)
        let merges = observer(NSManagedObjectContext.didMergeChangesObjectIDsNotification) { watcher, notification in
            watcher.rowsChanged(notification.userInfo ?? [:])
        }
        let saves = NotificationCenter.default.addObserver(
            forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: nil, queue: nil
        ) { [weak self] notification in
            // On the queue of the context that has saved.
            guard let self, let saver = notification.object as? NSManagedObjectContext, saver.parent == nil,
                saver.persistentStoreCoordinator.map(ObjectIdentifier.init) == coordinator
            else { return }
            rowsChanged(notification.userInfo ?? [:])
        }
        return [merges, saves]
    }

    /// On any queue.
    private func rowsChanged(_ userInfo: [AnyHashable: Any]) {
        var entities: Set<NSEntityDescription> = []
        for case let ids as Set<NSManagedObjectID> in userInfo.values {
            for id in ids { entities.insert(id.entity) }
        }
        guard !entities.isEmpty else { return }
        // Entities in use do not change.
        let changed = Unchecked(entities)
        onQueue { watcher, _ in
            if watcher.source.noteRows(of: changed.value) { watcher.schedule() }
        }
    }
}
