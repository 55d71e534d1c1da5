import CoreData

/// Observations of one context's saves by another, as the original offers them.
enum ContextObservation {
    private struct Key: Hashable {
        let observer: ObjectIdentifier
        let observed: ObjectIdentifier
    }

    private static let tokens = Locked<[Key: [any NSObjectProtocol]]>([:])

    /// Merges every save of `observed` into `observer`, on the observer's queue.
    ///
    /// - Parameter waits: whether the saving thread waits for the merge.
    static func start(_ observer: NSManagedObjectContext, _ observed: NSManagedObjectContext, waits: Bool) {
        let token = NotificationCenter.default.addObserver(
            forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: observed, queue: nil
        ) { [weak observer] notification in
            guard let observer else { return }
            // Contains object IDs only, which may cross threads.
            let changes = Unchecked(notification)
            let merge: @Sendable () -> Void = { [weak observer] in
                observer?.mergeChanges(fromContextDidSave: changes.value)
            }
            if waits { observer.runAndWait(merge) } else { observer.perform(merge) }
        }
        tokens.withLock { $0[key(observer, observed), default: []].append(token) }
    }

    static func stop(_ observer: NSManagedObjectContext, _ observed: NSManagedObjectContext) {
        let ended = tokens.withLock { $0.removeValue(forKey: key(observer, observed)) } ?? []
        ended.forEach(NotificationCenter.default.removeObserver)
    }

    private static func key(_ observer: NSManagedObjectContext, _ observed: NSManagedObjectContext) -> Key {
        Key(observer: ObjectIdentifier(observer), observed: ObjectIdentifier(observed))
    }
}

extension NSManagedObjectContext {
    /// Merges every save of another context into this one, on this context's queue. (The original merged on the saving thread.)
    #if canImport(ObjectiveC)
    @objc(MR_observeContext:)
    #endif
    public func mr_observe(_ otherContext: NSManagedObjectContext) {
        ContextObservation.start(self, otherContext, waits: false)
    }

    /// Merges every save of another context into this one, a main-queue context, before that save returns.
    #if canImport(ObjectiveC)
    @objc(MR_observeContextOnMainThread:)
    #endif
    public func mr_observe(onMainThread otherContext: NSManagedObjectContext) {
        ContextObservation.start(self, otherContext, waits: true)
    }

    /// Ends both kinds of observation of a context.
    #if canImport(ObjectiveC)
    @objc(MR_stopObservingContext:)
    #endif
    public func mr_stopObserving(_ otherContext: NSManagedObjectContext) {
        ContextObservation.stop(self, otherContext)
    }
}
