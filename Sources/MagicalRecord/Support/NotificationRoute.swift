import CoreData

/// Notifications of one name, handed on by the object they are about.
///
/// `NotificationCenter` calls every observer of a name for every notification, and off Apple's platforms it keeps a sender alive
/// that an observer names. With observers of each stack there, a save would cost more with every stack that is open.
final class NotificationRoute: Sendable {
    typealias Handler = @Sendable (Notification) -> Void

    /// A handler that is called until it is cancelled.
    struct Observation: Sendable {
        fileprivate let route: NotificationRoute
        fileprivate let subject: ObjectIdentifier
        fileprivate let number: Int

        /// Ends the calls. One that is going on ends by itself.
        func cancel() { route.remove(self) }
    }

    private struct State {
        var handlers: [ObjectIdentifier: [(number: Int, handler: Handler)]] = [:]
        var lastNumber = 0
    }

    private let state = Locked(State())

    /// - Parameter subject: tells what a notification is about.
    private init(_ name: Notification.Name, about subject: @escaping @Sendable (Notification) -> ObjectIdentifier?) {
        // For as long as the process runs.
        _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [state] notification in
            guard let subject = subject(notification) else { return }
            let handlers = state.withLock { $0.handlers[subject] }
            for (_, handler) in handlers ?? [] { handler(notification) }
        }
    }

    /// Calls `handler`, on the thread that posts, for notifications about an object, which is not kept alive.
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
        // What the handler holds is released outside of the lock.
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
    /// Stacks that are closed, by their coordinators.
    static let closings = NotificationRoute(.magicalRecordStackClosed, about: sender(of:))
    /// Saves that begin in contexts of a coordinator, or in children of these.
    static let beginningsOfSaves = NotificationRoute(
        NSManagedObjectContext.willSaveObjectsNotification, about: coordinator(of:))
    /// Saves in contexts of a coordinator, or in children of these, with objects.
    static let savesOfObjects = NotificationRoute(
        NSManagedObjectContext.didSaveObjectsNotification, about: coordinator(of:))
    /// The same with the objects' IDs.
    static let savesOfIDs = NotificationRoute(
        NSManagedObjectContext.didSaveObjectIDsNotification, about: coordinator(of:))

    @Sendable private static func sender(of notification: Notification) -> ObjectIdentifier? {
        (notification.object as AnyObject?).map { ObjectIdentifier($0) }
    }

    @Sendable private static func coordinator(of notification: Notification) -> ObjectIdentifier? {
        (notification.object as? NSManagedObjectContext)?.persistentStoreCoordinator.map { ObjectIdentifier($0) }
    }
}
