import CoreData

/// An observer of a context for one iterator.
///
/// Everything but ``start()``, ``stop()`` and ``ask()`` happens on the context's queue. Uses public functions of Core Data
/// only. Holds the context until it is stopped; nothing that the context or the notification centre holds leads back here.
final class ContextWatcher<Value>: @unchecked Sendable {
    let mailbox = ValueMailbox<Value>()
    /// The context; nil after the end.
    private let place: Locked<NSManagedObjectContext?>
    private let source: WatchedSource<Value>
    private let observations = Locked<[NotificationRoute.Observation]?>([])
    private var isScheduled = false

    init(_ context: NSManagedObjectContext, _ source: WatchedSource<Value>) {
        place = Locked(context)
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
        let observations = observations.withLock { observations in
            defer { observations = nil }
            return observations ?? []
        }
        for observation in observations { observation.cancel() }
        // Objects that the context releases are released outside the lock.
        _ = place.withLock { context in
            defer { context = nil }
            return context
        }
    }

    /// Delivers the announced value.
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

    /// Schedules an update of the results behind the queue's current work, so that many changes in a row cost one update.
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
        var new = [
            observe(.changes, of: context) { watcher, notification in
                if watcher.source.noteChanges(notification.userInfo ?? [:]) { watcher.schedule() }
            },
            observe(.saves, of: context) { watcher, _ in
                if watcher.source.noteSave() { watcher.schedule() }
            },
        ]
        if let coordinator = context.persistentStoreCoordinator {
            new.append(
                observe(.closings, of: coordinator) { watcher, notification in
                    let closed = notification.object as? NSPersistentStoreCoordinator
                    if watcher.context?.persistentStoreCoordinator === closed { watcher.end() }
                })
        }
        if source.watchesStores { new += storeObservations(context) }
        let isStopped = observations.withLock { known in
            guard known != nil else { return true }
            known = new
            return false
        }
        if isStopped { for observation in new { observation.cancel() } }
    }

    private func observe(
        _ route: NotificationRoute, of subject: AnyObject,
        _ body: @escaping @Sendable (ContextWatcher, Notification) -> Void
    ) -> NotificationRoute.Observation {
        route.observe(subject) { [weak self] notification in
            if let self { body(self, notification) }
        }
    }

    /// Observes what any context writes to the same stores, and what this one merges.
    private func storeObservations(_ context: NSManagedObjectContext) -> [NotificationRoute.Observation] {
        let merges = observe(.merges, of: context) { watcher, notification in
            watcher.rowsChanged(notification.userInfo ?? [:])
        }
        guard let coordinator = context.persistentStoreCoordinator else { return [merges] }
        // On the queue of the context that has saved.
        let saves = observe(.savesOfIDs, of: coordinator) { watcher, notification in
            guard (notification.object as? NSManagedObjectContext)?.parent == nil else { return }
            watcher.rowsChanged(notification.userInfo ?? [:])
        }
        return [merges, saves]
    }

    /// Notes rows that another context has saved. Called on any queue.
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
