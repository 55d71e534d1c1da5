import CoreData

/// The tokens of observations of contexts by others, by observer and observed.
private let observations = Locked<[[ObjectIdentifier]: [any NSObjectProtocol]]>([:])

extension NSManagedObjectContext {
    /// Merges every save of another context into this one, on this context's queue. (The original merged on the saving thread.)
    #if canImport(ObjectiveC)
    @objc(MR_observeContext:)
    #endif
    public func mr_observe(_ otherContext: NSManagedObjectContext) { observe(otherContext, waits: false) }

    /// Merges every save of another context into this one, a main-queue context, before that save returns.
    #if canImport(ObjectiveC)
    @objc(MR_observeContextOnMainThread:)
    #endif
    public func mr_observe(onMainThread otherContext: NSManagedObjectContext) { observe(otherContext, waits: true) }

    /// Ends both kinds of observation of a context.
    #if canImport(ObjectiveC)
    @objc(MR_stopObservingContext:)
    #endif
    public func mr_stopObserving(_ otherContext: NSManagedObjectContext) {
        let pair = [self, otherContext].map(ObjectIdentifier.init)
        let ended = observations.withLock { $0.removeValue(forKey: pair) } ?? []
        ended.forEach(NotificationCenter.default.removeObserver)
    }

    /// Merges every save of `other` into this context; the saving thread `waits` for that or not.
    private func observe(_ other: NSManagedObjectContext, waits: Bool) {
        let token = NotificationCenter.default.addObserver(
            forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: other, queue: nil
        ) { [weak self] notification in
            guard let self else { return }
            // Contains object IDs only, which may cross threads.
            let changes = Unchecked(notification)
            let merge: @Sendable () -> Void = { [weak self] in self?.mergeChanges(fromContextDidSave: changes.value) }
            if waits { runAndWait(merge) } else { perform(merge) }
        }
        let pair = [self, other].map(ObjectIdentifier.init)
        observations.withLock { $0[pair, default: []].append(token) }
    }
}
