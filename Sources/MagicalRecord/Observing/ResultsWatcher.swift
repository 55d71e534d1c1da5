import CoreData

/// Keeps the results of one request up to date with its context, and puts every new state into a mailbox.
///
/// Everything but ``start()`` and ``stop()`` happens on the context's queue. Uses public functions of Core Data only. Holds
/// the context until it is stopped; nothing that the context or the notification centre holds leads back here.
final class ResultsWatcher<Object: NSManagedObject>: @unchecked Sendable {
    /// The context; nil after the end.
    private let place: Locked<NSManagedObjectContext?>
    private let contextIdentity: ObjectIdentifier
    private let question: Unchecked<MagicalRecord.LiveResults<Object>.Question>
    private let mailbox: ResultsMailbox<Object>
    private let observations = Locked<[any NSObjectProtocol]?>([])

    private var request = NSFetchRequest<Object>()
    private var sectionNameKeyPath: String?
    private var dependencies = ResultsDependencies.none
    private var editor: ResultsEditor<Object>?
    private var state = ResultState<Object>()
    /// Changed since the last look: objects that may be results, and objects that results are related to.
    private var changed: Set<NSManagedObject> = []
    private var related: Set<NSManagedObject> = []
    private var needsFetch = false
    private var hasFetched = false
    private var isScheduled = false

    init(
        _ context: NSManagedObjectContext, _ question: Unchecked<MagicalRecord.LiveResults<Object>.Question>,
        _ mailbox: ResultsMailbox<Object>
    ) {
        place = Locked(context)
        contextIdentity = ObjectIdentifier(context)
        self.question = question
        self.mailbox = mailbox
    }

    // MARK: Beginning and ending

    func start() {
        context?.perform { [weak self] in
            guard let self, let context else { return }
            do {
                try prepare(context)
                observe(context)
                guard MagicalRecord.Stack.latest(on: context.persistentStoreCoordinator)?.isTornDown != true else {
                    return end()
                }
                try fetch(in: context, updated: [])
            } catch {
                end(.failure(error))
            }
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

    /// Ends the sequence too.
    private func end(_ reason: Result<Void, any Error> = .success(())) {
        mailbox.finish(reason)
        stop()
    }

    private var context: NSManagedObjectContext? { place.withLock { $0 } }

    private func prepare(_ context: NSManagedObjectContext) throws {
        request = try question.value.request(context)
        sectionNameKeyPath = try question.value.sectionNameKeyPath()
        guard let entity = request.entity else { return }
        dependencies = ResultsDependencies(of: request, sectionNameKeyPath, entity: entity)
        editor = ResultsEditor(request, sectionNameKeyPath, entity: entity)
    }

    private func observe(_ context: NSManagedObjectContext) {
        // Foundation off Apple would keep a context alive that is named as the notifications' sender.
        func observer(_ name: Notification.Name, _ body: @escaping (ResultsWatcher, Notification) -> Void)
            -> any NSObjectProtocol
        {
            let identity = contextIdentity
            // Both notifications are posted on the context's queue.
            let body = Unchecked(body)
            return NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                [weak self] notification in
                guard let self, let sender = notification.object as? NSManagedObjectContext,
                    ObjectIdentifier(sender) == identity
                else { return }
                body.value(self, notification)
            }
        }
        let tokens = [
            observer(.NSManagedObjectContextObjectsDidChange) { $0.contextChanged($1.userInfo ?? [:]) },
            observer(.NSManagedObjectContextDidSave) { watcher, _ in watcher.contextSaved() },
            NotificationCenter.default.addObserver(forName: .magicalRecordStackClosed, object: nil, queue: nil) {
                [weak self] notification in
                guard let self, let closed = notification.object as? NSPersistentStoreCoordinator,
                    self.context?.persistentStoreCoordinator === closed
                else { return }
                end()
            },
        ]
        let isStopped = observations.withLock { known in
            guard known != nil else { return true }
            known = tokens
            return false
        }
        if isStopped {
            for token in tokens { NotificationCenter.default.removeObserver(token) }
        }
    }

    // MARK: Changes

    private func contextChanged(_ userInfo: [AnyHashable: Any]) {
        if userInfo[NSInvalidatedAllObjectsKey] != nil { needsFetch = true }
        let keys = [
            NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey, NSRefreshedObjectsKey,
            NSInvalidatedObjectsKey,
        ]
        for key in keys {
            for object in userInfo[key] as? Set<NSManagedObject> ?? [] {
                if dependencies.includesResults(of: object.entity) { changed.insert(object) }
                if dependencies.reach(object.entity) { related.insert(object) }
            }
        }
        if needsFetch || !changed.isEmpty || !related.isEmpty { schedule() }
    }

    private func contextSaved() {
        // Only then does a fetch that leaves out unsaved changes see them.
        guard !request.includesPendingChanges else { return }
        needsFetch = true
        schedule()
    }

    /// Looks after the results when the queue has done what it is doing: many changes in a row cost one look.
    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        context?.perform { [weak self] in
            guard let self else { return }
            isScheduled = false
            guard let context else { return }
            do {
                try update(in: context)
            } catch {
                end(.failure(error))
            }
        }
    }

    private func update(in context: NSManagedObjectContext) throws {
        let changed = self.changed, related = self.related
        self.changed = []
        self.related = []
        guard !needsFetch, let editor else { return try fetch(in: context, updated: changed) }
        var candidates = changed
        for object in related {
            guard let affected = dependencies.affected(by: object) else {
                return try fetch(in: context, updated: changed)
            }
            candidates.formUnion(affected)
        }
        let (new, members) = editor.applying(candidates, to: state, in: context)
        let updated = members.intersection(changed.compactMap { $0 as? Object })
        if let new { state = new }
        if new != nil || !updated.isEmpty { mailbox.put(state, updated: updated) }
    }

    private func fetch(in context: NSManagedObjectContext, updated: Set<NSManagedObject>) throws {
        needsFetch = false
        let objects = try context.results(of: request)
        let names = sectionNameKeyPath.map { path in objects.map { SectionName.of($0, path) } }
        let new = ResultState(objects, names: names)
        let members = updated.isEmpty ? [] : Set(objects.lazy.filter { updated.contains($0) })
        let isSame = hasFetched && state.isSame(as: new)
        hasFetched = true
        state = new
        if !isSame || !members.isEmpty { mailbox.put(new, updated: members) }
    }
}

/// The name of an object's section.
enum SectionName {
    /// The value of a key path as text; empty for none.
    static func of(_ object: NSManagedObject, _ keyPath: String) -> String {
        switch object.value(forKeyPath: keyPath) {
        case nil, is NSNull: ""
        case let text as String: text
        case let number as NSNumber: number.stringValue
        case .some(let value): "\(value)"
        }
    }
}
