import CoreData

/// Keeps the lasting contexts of a stack in step with the store.
///
/// Whoever saves to the coordinator (the root, a sibling, a context made by hand) posts object IDs; they are merged
/// into every other lasting context, on its own queue. A context whose parent is lasting too waits for its parent,
/// since it reads through it. Contexts that are children also get permanent IDs for new objects before they save.
///
/// Changes the main context itself has pushed into the root are not merged back into it (the original did, which
/// made fetched-results controllers report everything twice), unless the store computes something on saving.
final class StackMerging: @unchecked Sendable {
    private struct Follower {
        weak var context: NSManagedObjectContext?
    }

    private struct State {
        /// Contexts that are followed for as long as they are referred to elsewhere.
        var followers: [Follower] = []
        /// What children have pushed into a parent and the parent has not written yet, by pushing child.
        var pushed: [ObjectIdentifier: Set<NSManagedObjectID>] = [:]
    }

    /// The stack's own, which has the coordinator and these contexts for as long as it has this object. Weak references to
    /// them would make every count of references to them cost several times as much.
    private let coordinator: NSPersistentStoreCoordinator
    private let lasting: [NSManagedObjectContext]
    private let state = Locked(State())
    private let tokens = Locked<[any NSObjectProtocol]>([])
    /// The merges that are being executed. Closed by ``stop()``: those in line after that do nothing.
    let merges = StackActivity()

    init(coordinator: NSPersistentStoreCoordinator, contexts: [NSManagedObjectContext]) {
        self.coordinator = coordinator
        lasting = contexts
        observe(NSManagedObjectContext.willSaveObjectsNotification) { $0.willSave($1) }
        observe(NSManagedObjectContext.didSaveObjectIDsNotification) { $0.didSave($1, userInfo: $2) }
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
        let tokens = tokens.withLock { tokens in
            defer { tokens = [] }
            return tokens
        }
        tokens.forEach(NotificationCenter.default.removeObserver)
    }

    /// The contexts still alive.
    var contexts: [NSManagedObjectContext] {
        lasting + state.withLock { $0.followers.compactMap(\.context) }
    }

    private func observe(
        _ name: Notification.Name,
        _ handle: @escaping @Sendable (StackMerging, NSManagedObjectContext, [AnyHashable: Any]) -> Void
    ) {
        let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
            [weak self] notification in
            guard let self, let context = notification.object as? NSManagedObjectContext,
                context.persistentStoreCoordinator === self.coordinator
            else { return }
            handle(self, context, notification.userInfo ?? [:])
        }
        tokens.withLock { $0.append(token) }
    }

    private func observe(
        _ name: Notification.Name, _ handle: @escaping @Sendable (StackMerging, NSManagedObjectContext) -> Void
    ) {
        observe(name) { merging, context, _ in handle(merging, context) }
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

    /// On the queue of the context that has saved, before its `save` returns.
    private func didSave(_ saver: NSManagedObjectContext, userInfo: [AnyHashable: Any]) {
        let changes = SavedChanges(userInfo)
        guard !changes.isEmpty else { return }
        if saver.parent != nil {
            state.withLock { $0.pushed[ObjectIdentifier(saver), default: []].formUnion(changes.all) }
            return
        }
        let followers = contexts.filter { $0 !== saver }
        let pushed = state.withLock { state in
            defer { state.pushed = [:] }
            return state.pushed
        }
        for follower in followers where !followers.contains(where: { $0 === follower.parent }) {
            var news = changes
            if follower.parent === saver { news.remove(Self.ownChanges(of: follower, in: pushed)) }
            merge(news, into: follower, among: followers)
        }
    }

    /// Merges a change made directly in the store into all lasting contexts but those that have it already.
    func mergeExternal(_ ids: [String: [NSManagedObjectID]], except done: [NSManagedObjectContext]) {
        let changes = SavedChanges([
            NSUpdatedObjectIDsKey: Set(ids[NSUpdatedObjectsKey] ?? []),
            NSDeletedObjectIDsKey: Set(ids[NSDeletedObjectsKey] ?? []),
        ])
        let followers = contexts.filter { context in !done.contains { $0 === context } }
        for follower in followers where !followers.contains(where: { $0 === follower.parent }) {
            merge(changes, into: follower, among: followers)
        }
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

    /// What `context` alone has pushed into its parent, where merging it back would change nothing.
    private static func ownChanges(
        of context: NSManagedObjectContext, in pushed: [ObjectIdentifier: Set<NSManagedObjectID>]
    ) -> Set<NSManagedObjectID> {
        let identifier = ObjectIdentifier(context)
        guard var own = pushed[identifier] else { return [] }
        for (other, ids) in pushed where other != identifier { own.subtract(ids) }
        return own.filter { !$0.entity.isComputedOnSaving }
    }

    /// Merges into `context`, and then into those of `followers` that read through it.
    private func merge(
        _ changes: SavedChanges, into context: NSManagedObjectContext, among followers: [NSManagedObjectContext]
    ) {
        let work: @Sendable () -> Void = {
            // The stores must not be closed meanwhile.
            guard self.merges.begin() else { return }
            defer { self.merges.end() }
            if !changes.isEmpty { changes.merge(into: context) }
            for child in followers where child.parent === context { self.merge(changes, into: child, among: followers) }
        }
        // On the main thread a main-queue context is up to date when the save returns, as in the original.
        if MainQueue.isCurrent && context.concurrencyType == .mainQueueConcurrencyType {
            context.runAndWait(work)
        } else {
            context.perform(work)
        }
    }
}

/// The object IDs of one save. Object IDs may cross threads; nothing else is kept.
private struct SavedChanges: @unchecked Sendable {
    private var sets: [(key: AnyHashable, ids: Set<NSManagedObjectID>)] = []

    /// All sets of object IDs there are. Looking the three keys up would take several times as long: the runtime unpacks both
    /// texts for each comparison.
    init(_ userInfo: [AnyHashable: Any]) {
        for (key, value) in userInfo {
            if let ids = value as? Set<NSManagedObjectID>, !ids.isEmpty { sets.append((key, ids)) }
        }
    }

    var isEmpty: Bool { sets.allSatisfy { $0.ids.isEmpty } }

    var all: Set<NSManagedObjectID> {
        guard let first = sets.first else { return [] }
        return sets.dropFirst().reduce(into: first.ids) { $0.formUnion($1.ids) }
    }

    mutating func remove(_ ids: Set<NSManagedObjectID>) {
        guard !ids.isEmpty else { return }
        for index in sets.indices { sets[index].ids.subtract(ids) }
    }

    /// On the queue of `context`.
    func merge(into context: NSManagedObjectContext) {
        var userInfo: [AnyHashable: Any] = [:]
        for set in sets { userInfo[set.key] = set.ids }
        context.mergeChanges(
            fromContextDidSave: Notification(
                name: NSManagedObjectContext.didSaveObjectIDsNotification, object: nil, userInfo: userInfo))
    }
}

extension NSEntityDescription {
    /// Whether the store works out values of this entity when it saves.
    fileprivate var isComputedOnSaving: Bool {
        !uniquenessConstraints.isEmpty || attributesByName.values.contains { $0 is NSDerivedAttributeDescription }
    }
}
