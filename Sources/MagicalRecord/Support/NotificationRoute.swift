import CoreData

/// Routes the notifications of one name to handlers by the object they concern.
///
/// `NotificationCenter` calls every observer of a name for every notification, and off Apple's platforms it retains the sender
/// that an observer is registered for. Observers of each stack there would add to the cost of a save with every open stack.
final class NotificationRoute: Sendable {
    typealias Handler = @Sendable (Notification) -> Void

    /// A registered handler, called until it is cancelled.
    struct Observation: Sendable {
        fileprivate let route: NotificationRoute
        fileprivate let subject: ObjectIdentifier
        fileprivate let number: Int

        /// Removes the handler. A call in progress is completed.
        func cancel() { route.remove(self) }
    }

    private struct State {
        var handlers: [ObjectIdentifier: [(number: Int, handler: Handler)]] = [:]
        var lastNumber = 0
    }

    private let state = Locked(State())

    /// Creates a route.
    ///
    /// - Parameter subject: returns the object that a notification concerns.
    private init(_ name: Notification.Name, about subject: @escaping @Sendable (Notification) -> ObjectIdentifier?) {
        // Observes until the process ends.
        _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [state] notification in
            guard let subject = subject(notification) else { return }
            let handlers = state.withLock { $0.handlers[subject] }
            for (_, handler) in handlers ?? [] { handler(notification) }
        }
    }

    /// Calls `handler` for notifications about an object, on the posting thread. The object is not retained.
    func observe(_ subject: AnyObject, _ handler: @escaping Handler) -> Observation {
        let subject = ObjectIdentifier(subject)
        let number = state.withLock { state in
            state.lastNumber += 1
            state.handlers[subject, default: []].append((state.lastNumber, handler))
            return state.lastNumber
        }
        return Observation(route: self, subject: subject, number: number)
    }

    private func remove(_ observation: Observation) {
        // The handler's captures are released outside of the lock.
        let removed = state.withLock { state -> Handler? in
            guard var handlers = state.handlers.removeValue(forKey: observation.subject) else { return nil }
            let index = handlers.firstIndex { $0.number == observation.number }
            let removed = index.map { handlers.remove(at: $0).handler }
            if !handlers.isEmpty { state.handlers[observation.subject] = handlers }
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    // MARK: Routes

    /// Changes of the objects in a context.
    static let changes = NotificationRoute(.NSManagedObjectContextObjectsDidChange, about: sender(of:))
    /// Saves of a context.
    static let saves = NotificationRoute(.NSManagedObjectContextDidSave, about: sender(of:))
    /// Merges of changes into a context.
    static let merges = NotificationRoute(
        NSManagedObjectContext.didMergeChangesObjectIDsNotification, about: sender(of:))
    /// Stacks that are torn down, by coordinator.
    static let closings = NotificationRoute(.magicalRecordStackClosed, about: sender(of:))
    /// Beginning saves of contexts of a coordinator, including child contexts.
    static let beginningsOfSaves = NotificationRoute(
        NSManagedObjectContext.willSaveObjectsNotification, about: coordinator(of:))
    /// Saves of contexts of a coordinator, including child contexts, with the objects.
    static let savesOfObjects = NotificationRoute(
        NSManagedObjectContext.didSaveObjectsNotification, about: coordinator(of:))
    /// Saves of contexts of a coordinator, including child contexts, with the object IDs.
    static let savesOfIDs = NotificationRoute(
        NSManagedObjectContext.didSaveObjectIDsNotification, about: coordinator(of:))

    @Sendable private static func sender(of notification: Notification) -> ObjectIdentifier? {
        (notification.object as AnyObject?).map { ObjectIdentifier($0) }
    }

    @Sendable private static func coordinator(of notification: Notification) -> ObjectIdentifier? {
        (notification.object as? NSManagedObjectContext)?.persistentStoreCoordinator.map { ObjectIdentifier($0) }
    }
}
