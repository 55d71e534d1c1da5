import CoreData

/// An observer of a context for one iterator, which ends when it is released.
///
/// Everything but `init`, ``next()`` and ``stop()`` happens on the context's queue. Uses public functions of Core Data only.
/// Holds the context until it is stopped; nothing that the context or the notification centre holds leads back here.
final class ContextWatcher<Value>: @unchecked Sendable {
    private let mailbox = ValueMailbox<Value>()
    private let source: WatchedSource<Value>
    /// The context and what is observed; nil after the end.
    private let watched: Locked<(context: NSManagedObjectContext, observations: [NotificationRoute.Observation])?>
    private var isScheduled = false

    /// Starts watching.
    init(_ context: NSManagedObjectContext, _ source: WatchedSource<Value>) {
        watched = Locked((context, []))
        self.source = source
        onQueue { watcher, context in
            try watcher.source.prepare(in: context)
            watcher.observe(context)
            guard MagicalRecord.Stack.latest(on: context.persistentStoreCoordinator)?.isTornDown != true else {
                return watcher.end()
            }
            try watcher.update(in: context)
        }
    }

    deinit { stop() }

    /// Returns the next value; nil after the end.
    func next() async throws -> Unchecked<Value>? {
        var value: Unchecked<Value>?
        // After an error too.
        defer { if value == nil { stop() } }
        value = try await mailbox.next {
            onQueue { watcher, context in
                // What is read from the objects is then of the same moment as the list of them.
                if watcher.isScheduled { try watcher.update(in: context) }
                try watcher.hand()
            }
        }
        return value
    }

    /// Ends the watching, and releases the context.
    private func stop() {
        // The context outlives the observations, which are found by its address, and releases its objects outside the lock.
        let former = watched.withLock { $0.take() }
        withExtendedLifetime(former) { former?.observations.forEach { $0.cancel() } }
    }

    /// Ends the sequence too.
    private func end(_ reason: Result<Void, any Error> = .success(())) {
        mailbox.finish(reason)
        stop()
    }

    private var context: NSManagedObjectContext? { watched.withLock { $0?.context } }

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
        if source.isOver { end() }
    }

    /// Makes a value for the iterator, if it waits.
    private func hand() throws {
        guard mailbox.isAwaited else { return }
        if let value = try source.take() { mailbox.hand(value) } else { mailbox.withdraw() }
    }

    private func observe(_ context: NSManagedObjectContext) {
        observe(.changes, of: context) { watcher, notification in
            if watcher.source.noteChanges(notification.userInfo ?? [:]) { watcher.schedule() }
        }
        observe(.saves, of: context) { watcher, _ in
            if watcher.source.noteSave() { watcher.schedule() }
        }
        if source.watchesStores { observe(.merges, of: context) { $0.rowsChanged($1.userInfo ?? [:]) } }
        guard let coordinator = context.persistentStoreCoordinator else { return }
        observe(.closings, of: coordinator) { watcher, notification in
            let closed = notification.object as? NSPersistentStoreCoordinator
            if watcher.context?.persistentStoreCoordinator === closed { watcher.end() }
        }
        guard source.watchesStores else { return }
        // What any context writes to the same stores, on the queue of that context.
        observe(.savesOfIDs, of: coordinator) { watcher, notification in
            guard (notification.object as? NSManagedObjectContext)?.parent == nil else { return }
            watcher.rowsChanged(notification.userInfo ?? [:])
        }
    }

    private func observe(
        _ route: NotificationRoute, of subject: AnyObject,
        _ body: @escaping @Sendable (ContextWatcher, Notification) -> Void
    ) {
        let observation = route.observe(subject) { [weak self] notification in
            if let self { body(self, notification) }
        }
        let isStopped = watched.withLock { watched in
            watched?.observations.append(observation)
            return watched == nil
        }
        if isStopped { observation.cancel() }
    }

    /// Notes rows that another context has saved. Called on any queue.
    private func rowsChanged(_ userInfo: [AnyHashable: Any]) {
        let ids = userInfo.values.lazy.compactMap { $0 as? Set<NSManagedObjectID> }.joined()
        // Entities in use do not change.
        let changed = Unchecked(Set(ids.map(\.entity)))
        guard !changed.value.isEmpty else { return }
        onQueue { watcher, _ in
            if watcher.source.noteRows(of: changed.value) { watcher.schedule() }
        }
    }
}
