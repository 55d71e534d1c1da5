import CoreData

/// Keeps the long-lived contexts of a stack in sync with the store, and children with the outcome of their saves.
///
/// Every context that saves to the coordinator (the root, a sibling, a context created by the program) posts object IDs, which
/// are merged into every other long-lived context on its own queue. A context with a long-lived parent merges after its parent,
/// since it reads through it. Child contexts also get permanent IDs for new objects before they save.
///
/// Changes that a context has pushed into its parent are not merged back into it (the original did so, and fetched-results
/// controllers reported everything twice), except where the parent's hooks, its merge policy or the store have altered them;
/// see ``NewsFromParent``. Short-lived children get these differences as part of the save to the store that they have begun: a
/// block enqueued on the child's queue would wait for the parent's, and deadlock with a block there that waits for the child.
final class StackMerging: @unchecked Sendable {
    private struct Follower {
        weak var context: NSManagedObjectContext?
    }

    /// The objects that a context's save has put into its parent.
    private struct Push {
        weak var context: NSManagedObjectContext?
        /// The context that holds the changes and has not saved them yet.
        let holder: ObjectIdentifier
        let objects: PushedObjects
    }

    private struct State {
        /// Contexts that are kept in sync without being retained.
        var followers: [Follower] = []
        /// Short-lived contexts in a save to the store, once for each such save.
        var savingThrough: [ObjectIdentifier] = []
        /// The pushed objects that have not been saved to the store, or only by a save in progress, in the order of the pushes.
        var pushes: [Push] = []
        /// Pending merges by context.
        var waiting: [ObjectIdentifier: [@Sendable () -> Void]] = [:]
    }

    /// The coordinator and contexts of the stack, which retains them anyway. Weak references to them would make reference
    /// counting several times slower.
    private let coordinator: NSPersistentStoreCoordinator
    private let lasting: [NSManagedObjectContext]
    private let state = Locked(State())
    private var observations: [NotificationRoute.Observation] = []
    /// Counts the merges in progress. Closed by ``stop()``: merges pending after that do nothing.
    let merges = StackActivity()

    init(coordinator: NSPersistentStoreCoordinator, contexts: [NSManagedObjectContext]) {
        self.coordinator = coordinator
        lasting = contexts
        observations = [
            observe(.beginningsOfSaves) { merging, context, _ in merging.willSave(context) },
            observe(.savesOfObjects) { $0.didPush($1, userInfo: $2) },
            observe(.savesOfIDs) { $0.didSave($1, userInfo: $2) },
        ]
    }

    deinit { stop() }

    /// Merges saves into `context` from now on, until it is released.
    func follow(_ context: NSManagedObjectContext) {
        state.withLock { state in
            state.followers.removeAll { $0.context == nil }
            state.followers.append(Follower(context: context))
        }
    }

    /// Ends all observation. A merge in progress is completed.
    func stop() {
        _ = merges.close()
        for observation in observations { observation.cancel() }
        // Released outside of the lock: these may be the last references to objects.
        let pushes = state.withLock { state in
            defer { state.pushes = [] }
            return state.pushes
        }
        withExtendedLifetime(pushes) {}
    }

    /// The long-lived contexts that exist.
    var contexts: [NSManagedObjectContext] { lasting + state.withLock { $0.followers.compactMap(\.context) } }

    private func observe(
        _ route: NotificationRoute,
        _ handle: @escaping @Sendable (StackMerging, NSManagedObjectContext, [AnyHashable: Any]) -> Void
    ) -> NotificationRoute.Observation {
        route.observe(coordinator) { [weak self] notification in
            guard let self, let context = notification.object as? NSManagedObjectContext else { return }
            handle(self, context, notification.userInfo ?? [:])
        }
    }

    /// Obtains permanent IDs for a child's new objects. Called on the queue of the context that is about to save.
    private func willSave(_ context: NSManagedObjectContext) {
        guard context.parent != nil else { return }
        let inserted = context.insertedObjects.filter(\.objectID.isTemporaryID)
        if !inserted.isEmpty { MagicalRecord.reporting { try context.obtainPermanentIDs(for: Array(inserted)) } }
    }

    /// Records the objects that a save has put into its parent. Called on the queue of the context that has saved.
    private func didPush(_ saver: NSManagedObjectContext, userInfo: [AnyHashable: Any]) {
        guard let parent = saver.parent,
            isLasting(saver) || state.withLock({ $0.savingThrough.contains(ObjectIdentifier(saver)) })
        else { return }
        let push = Push(context: saver, holder: ObjectIdentifier(parent), objects: PushedObjects(userInfo))
        if !push.objects.isEmpty { state.withLock { $0.pushes.append(push) } }
    }

    /// Distributes the changes of a save. Called on the queue of the context that has saved, before its `save` returns.
    private func didSave(_ saver: NSManagedObjectContext, userInfo: [AnyHashable: Any]) {
        let changes = SavedChanges(userInfo)
        let pushes = passOn(from: saver)
        // Other contexts merge only what is in the store.
        let followers = saver.parent == nil && !changes.isEmpty ? contexts.filter { $0 !== saver } : []
        guard !followers.isEmpty || !pushes.isEmpty else { return }
        distribute(NewsFromParent(changes, of: saver, pushes: pushes, followers: followers))
    }

    private func isLasting(_ context: NSManagedObjectContext) -> Bool { contexts.contains { $0 === context } }

    // MARK: Saves through to the store

    /// Begins a child context's save to the store. Must be followed by ``endSavingThrough(_:)``.
    func beginSavingThrough(_ context: NSManagedObjectContext) {
        // A context that is discarded after this save needs no merge.
        if isLasting(context) || WriteScope.isLastSave(of: context) { return }
        state.withLock { $0.savingThrough.append(ObjectIdentifier(context)) }
    }

    /// Ends a child context's save to the store: merges pending changes, and the differences between its own changes and what
    /// its parents have saved. For the context's queue, after its parents have saved and merged.
    func endSavingThrough(_ context: NSManagedObjectContext) {
        takeIn(context)
        let identifier = ObjectIdentifier(context)
        let pushes = state.withLock { state -> [Push] in
            guard let index = state.savingThrough.firstIndex(of: identifier) else { return [] }
            state.savingThrough.remove(at: index)
            defer { state.pushes.removeAll { $0.context === context } }
            return state.pushes.filter { $0.context === context }
        }
        guard !pushes.isEmpty, merges.begin() else { return }
        defer { merges.end() }
        NewsFromParent(SavedChanges(), of: nil, pushes: pushes.map { (context, $0.objects) }, followers: [])
            .merge(into: context)
    }

    /// Moves the changes that the context had from long-lived children one context up, or removes them if they are in the
    /// store, and returns them.
    private func passOn(from saver: NSManagedObjectContext) -> [NewsFromParent.Push] {
        let (identifier, parent) = (ObjectIdentifier(saver), saver.parent.map { ObjectIdentifier($0) })
        let lasting = contexts
        // Objects are released outside of the lock.
        let (passed, all) = state.withLock { state in
            let all = state.pushes
            var passed: [NewsFromParent.Push] = []
            state.pushes = all.compactMap { push in
                guard push.context != nil else { return nil }
                guard push.holder == identifier, let context = lasting.first(where: { $0 === push.context })
                else { return push }
                passed.append((context, push.objects))
                return parent.map { Push(context: context, holder: $0, objects: push.objects) }
            }
            return (passed, all)
        }
        return withExtendedLifetime(all) { passed }
    }

    /// Merges changes made directly in the store into all long-lived contexts, except those that have them already.
    func mergeExternal(_ ids: [String: [NSManagedObjectID]], except done: [NSManagedObjectContext]) {
        let changes = SavedChanges([
            NSUpdatedObjectIDsKey: Set(ids[NSUpdatedObjectsKey] ?? []),
            NSDeletedObjectIDsKey: Set(ids[NSDeletedObjectsKey] ?? []),
        ])
        let followers = contexts.filter { context in !done.contains { $0 === context } }
        distribute(NewsFromParent(changes, of: nil, pushes: [], followers: followers))
    }

    /// Merges changes that other programs have saved into all long-lived contexts.
    func mergeExternal(_ changes: SavedChanges) {
        distribute(NewsFromParent(changes, of: nil, pushes: [], followers: contexts))
    }

    /// Makes all long-lived contexts read their unchanged objects again.
    func refreshAll() {
        for context in contexts {
            context.perform {
                guard self.merges.begin() else { return }
                defer { self.merges.end() }
                context.refreshAllObjects()
            }
        }
    }

    /// Waits until every long-lived context has merged what was saved before the call. A parent enqueues the merges of its
    /// children while it merges itself, so parents are awaited first.
    func haveEnded() async {
        var waiting = contexts
        while !waiting.isEmpty {
            let ready = waiting.filter { context in !waiting.contains { $0 === context.parent } }
            for context in ready { await context.perform(schedule: .enqueued) {} }
            waiting.removeAll { context in ready.contains { $0 === context } }
        }
    }

    /// Distributes changes, beginning with the contexts that read through none of the others.
    private func distribute(_ news: NewsFromParent) {
        for context in news.contexts where !news.contexts.contains(where: { $0 === context.parent }) {
            merge(news, into: context)
        }
    }

    /// Merges changes into `context`, and then into its children among the receivers.
    private func merge(_ news: NewsFromParent, into context: NSManagedObjectContext) {
        let work: @Sendable () -> Void = {
            // Keeps the stores open meanwhile.
            guard self.merges.begin() else { return }
            defer { self.merges.end() }
            news.merge(into: context)
            for child in news.contexts where child.parent === context { self.merge(news, into: child) }
        }
        // On the main thread, a main-queue context has merged when the save returns, as in the original.
        if MainQueue.isCurrent && context.concurrencyType == .mainQueueConcurrencyType {
            return context.runAndWait {
                takeIn(context)
                work()
            }
        }
        state.withLock { $0.waiting[ObjectIdentifier(context), default: []].append(work) }
        context.perform { self.takeIn(context) }
    }

    /// Merges the pending changes of `context`. For its queue.
    private func takeIn(_ context: NSManagedObjectContext) {
        let works = state.withLock { $0.waiting.removeValue(forKey: ObjectIdentifier(context)) } ?? []
        for work in works { work() }
    }
}
