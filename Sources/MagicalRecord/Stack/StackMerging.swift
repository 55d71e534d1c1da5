import CoreData

/// Keeps the lasting contexts of a stack in step with the store, and children with what became of their saves.
///
/// Whoever saves to the coordinator (the root, a sibling, a context made by hand) posts object IDs; they are merged
/// into every other lasting context, on its own queue. A context whose parent is lasting too waits for its parent,
/// since it reads through it. Contexts that are children also get permanent IDs for new objects before they save.
///
/// What a context has itself pushed into its parent is not merged back into it (the original did, which made
/// fetched-results controllers report everything twice), but for what has become something else there: by the parent's hooks
/// and merge policy, or in the store. See ``NewsFromParent``. Other children learn of that at the end of the save through to the
/// store that they have begun, as a part of it. A block in line on the child's queue would wait for the parent's queue, and
/// deadlock where a block there waits for the child.
final class StackMerging: @unchecked Sendable {
    private struct Follower {
        weak var context: NSManagedObjectContext?
    }

    /// What a save of a context has put into its parent.
    private struct Push {
        weak var context: NSManagedObjectContext?
        /// The context that has it now and has not saved it yet.
        let holder: ObjectIdentifier
        let objects: PushedObjects
    }

    private struct State {
        /// Contexts that are followed for as long as they are referred to elsewhere.
        var followers: [Follower] = []
        /// Contexts that do not last and save through to the store, once for each such save.
        var savingThrough: [ObjectIdentifier] = []
        /// What is on its way to the store, in the order in which it was pushed, or has arrived there in a save that goes on.
        var pushes: [Push] = []
        /// News that contexts have not taken in yet, by context.
        var waiting: [ObjectIdentifier: [@Sendable () -> Void]] = [:]
    }

    /// The stack's own, which has the coordinator and these contexts for as long as it has this object. Weak references to
    /// them would make every count of references to them cost several times as much.
    private let coordinator: NSPersistentStoreCoordinator
    private let lasting: [NSManagedObjectContext]
    private let state = Locked(State())
    private let observations = Locked<[NotificationRoute.Observation]>([])
    /// The merges that are being executed. Closed by ``stop()``: those in line after that do nothing.
    let merges = StackActivity()

    init(coordinator: NSPersistentStoreCoordinator, contexts: [NSManagedObjectContext]) {
        self.coordinator = coordinator
        lasting = contexts
        observe(.beginningsOfSaves) { merging, context, _ in merging.willSave(context) }
        observe(.savesOfObjects) { $0.didPush($1, userInfo: $2) }
        observe(.savesOfIDs) { $0.didSave($1, userInfo: $2) }
    }

    deinit {
        stop()
    }

    /// Merges saves into `context` from now on, for as long as somebody holds it.
    func follow(_ context: NSManagedObjectContext) {
        state.withLock { state in
            state.followers.removeAll { $0.context == nil }
            state.followers.append(Follower(context: context))
        }
    }

    /// Ends all observation. A merge that is being executed goes on.
    func stop() {
        _ = merges.close()
        let observations = observations.withLock { observations in
            defer { observations = [] }
            return observations
        }
        for observation in observations { observation.cancel() }
        // Outside of the lock: objects may be the last to hold something.
        let pushes = state.withLock { state in
            defer { state.pushes = [] }
            return state.pushes
        }
        withExtendedLifetime(pushes) {}
    }

    /// The contexts still alive.
    var contexts: [NSManagedObjectContext] {
        lasting + state.withLock { $0.followers.compactMap(\.context) }
    }

    private func observe(
        _ route: NotificationRoute,
        _ handle: @escaping @Sendable (StackMerging, NSManagedObjectContext, [AnyHashable: Any]) -> Void
    ) {
        let observation = route.observe(coordinator) { [weak self] notification in
            guard let self, let context = notification.object as? NSManagedObjectContext else { return }
            handle(self, context, notification.userInfo ?? [:])
        }
        observations.withLock { $0.append(observation) }
    }

    /// On the queue of the context that is about to save.
    private func willSave(_ context: NSManagedObjectContext) {
        guard context.parent != nil else { return }
        let inserted = context.insertedObjects.filter(\.objectID.isTemporaryID)
        guard !inserted.isEmpty else { return }
        do {
            try context.obtainPermanentIDs(for: Array(inserted))
        } catch {
            MagicalRecord.handleErrors(error)
        }
    }

    /// On the queue of the context that has saved: notes what it has put into its parent.
    private func didPush(_ saver: NSManagedObjectContext, userInfo: [AnyHashable: Any]) {
        guard let parent = saver.parent, isLasting(saver) || isSavingThrough(saver) else { return }
        let objects = PushedObjects(userInfo)
        guard !objects.isEmpty else { return }
        state.withLock {
            $0.pushes.append(Push(context: saver, holder: ObjectIdentifier(parent), objects: objects))
        }
    }

    /// On the queue of the context that has saved, before its `save` returns.
    private func didSave(_ saver: NSManagedObjectContext, userInfo: [AnyHashable: Any]) {
        let changes = SavedChanges(userInfo)
        let pushes = passOn(from: saver)
        // Others learn only of what is in the store.
        let followers = saver.parent == nil && !changes.isEmpty ? contexts.filter { $0 !== saver } : []
        guard !followers.isEmpty || !pushes.isEmpty else { return }
        distribute(NewsFromParent(changes, of: saver, pushes: pushes, followers: followers))
    }

    private func isLasting(_ context: NSManagedObjectContext) -> Bool { contexts.contains { $0 === context } }

    private func isSavingThrough(_ context: NSManagedObjectContext) -> Bool {
        state.withLock { $0.savingThrough.contains(ObjectIdentifier(context)) }
    }

    // MARK: Saves through to the store

    /// A context that has a parent begins to save through to the store. To be ended by ``endSavingThrough(_:)``.
    func beginSavingThrough(_ context: NSManagedObjectContext) {
        // One that is done with after this save need not be told.
        if isLasting(context) || WriteScope.isLastSave(of: context) { return }
        state.withLock { $0.savingThrough.append(ObjectIdentifier(context)) }
    }

    /// On the queue of the context, when its parents have saved and taken in what that came to: takes in what is waiting, and what
    /// has become of its own changes.
    func endSavingThrough(_ context: NSManagedObjectContext) {
        takeIn(context)
        let identifier = ObjectIdentifier(context)
        let pushes = state.withLock { state -> [Push] in
            guard let index = state.savingThrough.firstIndex(of: identifier) else { return [] }
            state.savingThrough.remove(at: index)
            let own = state.pushes.filter { $0.context === context }
            state.pushes.removeAll { $0.context === context }
            return own
        }
        guard !pushes.isEmpty, merges.begin() else { return }
        defer { merges.end() }
        NewsFromParent.mergeDifferences(of: pushes.map(\.objects), into: context)
    }

    /// A context has saved: what it had from its children is one context further up, or in the store.
    ///
    /// - Returns: what it had from lasting contexts.
    private func passOn(from saver: NSManagedObjectContext) -> [NewsFromParent.Push] {
        let (identifier, parent) = (ObjectIdentifier(saver), saver.parent.map { ObjectIdentifier($0) })
        let lasting = contexts
        // Objects are let go of outside of the lock.
        let (passed, others) = state.withLock { state -> ([Push], [Push]) in
            guard !state.pushes.isEmpty else { return ([], []) }
            let all = state.pushes
            let passed = all.filter { push in push.holder == identifier && lasting.contains { $0 === push.context } }
            state.pushes = all.compactMap { push in
                guard push.context != nil else { return nil }
                guard push.holder == identifier, lasting.contains(where: { $0 === push.context }) else { return push }
                return parent.map { Push(context: push.context, holder: $0, objects: push.objects) }
            }
            return (passed, all)
        }
        return withExtendedLifetime(others) {
            passed.compactMap { push in push.context.map { ($0, push.objects) } }
        }
    }

    /// Merges a change made directly in the store into all lasting contexts but those that have it already.
    func mergeExternal(_ ids: [String: [NSManagedObjectID]], except done: [NSManagedObjectContext]) {
        let changes = SavedChanges([
            NSUpdatedObjectIDsKey: Set(ids[NSUpdatedObjectsKey] ?? []),
            NSDeletedObjectIDsKey: Set(ids[NSDeletedObjectsKey] ?? []),
        ])
        let followers = contexts.filter { context in !done.contains { $0 === context } }
        distribute(NewsFromParent(changes, of: nil, pushes: [], followers: followers))
    }

    /// Returns once every lasting context has merged what was saved before the call.
    ///
    /// A parent puts the merges of its children in line while it merges itself, so parents are waited for first.
    func haveEnded() async {
        var waiting = contexts
        while !waiting.isEmpty {
            let ready = waiting.filter { context in !waiting.contains { $0 === context.parent } }
            for context in ready { await context.perform(schedule: .enqueued) {} }
            waiting.removeAll { context in ready.contains { $0 === context } }
        }
    }

    /// Hands news to the contexts they are for: to those first that read through none of the others.
    private func distribute(_ news: NewsFromParent) {
        for context in news.contexts where !news.contexts.contains(where: { $0 === context.parent }) {
            merge(news, into: context)
        }
    }

    /// Merges into `context`, and then into those that read through it.
    private func merge(_ news: NewsFromParent, into context: NSManagedObjectContext) {
        let work: @Sendable () -> Void = {
            // The stores must not be closed meanwhile.
            guard self.merges.begin() else { return }
            defer { self.merges.end() }
            news.merge(into: context)
            for child in news.contexts where child.parent === context { self.merge(news, into: child) }
        }
        // On the main thread a main-queue context is up to date when the save returns, as in the original.
        if MainQueue.isCurrent && context.concurrencyType == .mainQueueConcurrencyType {
            return context.runAndWait {
                takeIn(context)
                work()
            }
        }
        state.withLock { $0.waiting[ObjectIdentifier(context), default: []].append(work) }
        context.perform { self.takeIn(context) }
    }

    /// On the queue of `context`: merges what is waiting for it.
    func takeIn(_ context: NSManagedObjectContext) {
        let works = state.withLock { $0.waiting.removeValue(forKey: ObjectIdentifier(context)) } ?? []
        for work in works { work() }
    }
}
