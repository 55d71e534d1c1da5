import CoreData

/// Merges the saves of other programs into a stack's contexts: when a store reports a change, it reads the store's history since
/// the last time.
///
/// A transaction that the stack's own stores have written is left out where the store tells; Apple's stores do not, and merging
/// it again refreshes its objects once more.
final class RemoteMerging: @unchecked Sendable {
    private let coordinator: NSPersistentStoreCoordinator
    private let merging: StackMerging
    /// Reads history, one question after the other.
    private let reader: NSManagedObjectContext
    private let state: Locked<State>
    private var observation: NotificationRoute.Observation?

    private struct State {
        /// The position up to which history was read, by store identifier. Stores that keep no history have none.
        var tokens: [String: NSPersistentHistoryToken]
        /// True from the report of a change until its history is read.
        var isDue = false
        var isStopped = false
    }

    /// Begins with what is saved from now on.
    init(_ coordinator: NSPersistentStoreCoordinator, _ merging: StackMerging) {
        self.coordinator = coordinator
        self.merging = merging
        reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        reader.persistentStoreCoordinator = coordinator
        reader.undoManager = nil
        reader.name = "MagicalRecord Remote Changes"
        let stores = coordinator.persistentStores.filter(Self.reportsChanges)
        state = Locked(State(tokens: Self.currentTokens(of: stores, coordinator)))
        observation = NotificationRoute.remoteChanges.observe(coordinator) { [weak self] _ in self?.noteChange() }
    }

    deinit { stop() }

    /// Ends the merging. Changes that are being read are merged.
    func stop() {
        observation?.cancel()
        state.withLock { $0.isStopped = true }
    }

    private static func reportsChanges(_ store: NSPersistentStore) -> Bool {
        (store.options?[NSPersistentStoreRemoteChangeNotificationPostOptionKey] as? NSNumber)?.boolValue ?? false
    }

    private static func currentTokens(
        of stores: [NSPersistentStore], _ coordinator: NSPersistentStoreCoordinator
    ) -> [String: NSPersistentHistoryToken] {
        var tokens: [String: NSPersistentHistoryToken] = [:]
        for store in stores {
            guard let identifier = store.identifier as String? else { continue }
            tokens[identifier] = coordinator.currentPersistentHistoryToken(fromStores: [store])
        }
        return tokens
    }

    /// Reads what is new, soon. Changes that are reported until then are read together.
    private func noteChange() {
        let isFirst = state.withLock { state in
            defer { state.isDue = true }
            return !state.isDue && !state.isStopped
        }
        if isFirst { reader.perform { [weak self] in self?.read() } }
    }

    /// Reads what is new in all stores, and merges it. On the reader's queue.
    private func read() {
        let (tokens, isStopped) = state.withLock { state in
            state.isDue = false
            return (state.tokens, state.isStopped)
        }
        guard !isStopped, merging.merges.begin() else { return }
        defer { merging.merges.end() }
        var changes = SavedChanges()
        for store in coordinator.persistentStores {
            guard let identifier = store.identifier as String?, let token = tokens[identifier] else { continue }
            do {
                let transactions = try transactions(in: store, after: token)
                for transaction in transactions where !Self.isOwn(transaction) {
                    changes.add(transaction.objectIDNotification().userInfo ?? [:])
                }
                if let last = transactions.last { state.withLock { $0.tokens[identifier] = last.token } }
            } catch {
                begin(at: store, identifier, after: error)
            }
        }
        if !changes.isEmpty { merging.mergeExternal(changes) }
    }

    private func transactions(
        in store: NSPersistentStore, after token: NSPersistentHistoryToken
    ) throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        request.affectedStores = [store]
        let result = try reader.execute(request) as? NSPersistentHistoryResult
        return result?.result as? [NSPersistentHistoryTransaction] ?? []
    }

    /// Goes on after an error: after a purge of what was not read, with the current state of everything.
    private func begin(at store: NSPersistentStore, _ identifier: String, after error: any Error) {
        MagicalRecord.handleErrors(error)
        guard (error as NSError).code == NSPersistentHistoryTokenExpiredError else { return }
        let token = coordinator.currentPersistentHistoryToken(fromStores: [store])
        state.withLock { if let token { $0.tokens[identifier] = token } }
        merging.refreshAll()
    }

    private static func isOwn(_ transaction: NSPersistentHistoryTransaction) -> Bool {
        #if canImport(Darwin)
        false
        #else
        transaction.isOwn
        #endif
    }
}
