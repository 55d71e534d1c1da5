import CoreData

/// Routes the notifications of one name to handlers by the object they concern.
///
/// `NotificationCenter` calls every observer of a name for every notification, and off Apple's platforms it retains the sender
/// that an observer is registered for. Observers of each stack there would add to the cost of a save with every open stack.
final class NotificationRoute: Sendable {
    typealias Handler = @Sendable (Notification) -> Void

    /// A registered handler, called until it is cancelled.
    final class Observation: Sendable {
        private let route: NotificationRoute
        private let subject: ObjectIdentifier
        fileprivate let handler: Handler

        fileprivate init(_ route: NotificationRoute, _ subject: ObjectIdentifier, _ handler: @escaping Handler) {
            (self.route, self.subject, self.handler) = (route, subject, handler)
            route.observations.withLock { $0[subject, default: []].append(self) }
        }

        /// Removes the handler. A call in progress is completed.
        func cancel() {
            route.observations.withLock { observations in
                observations[subject]?.removeAll { $0 === self }
                if observations[subject]?.isEmpty ?? false { observations[subject] = nil }
            }
        }
    }

    private let observations = Locked<[ObjectIdentifier: [Observation]]>([:])

    /// Creates a route. `subject` returns the object that a notification concerns.
    private init(
        _ name: Notification.Name,
        about subject: @escaping @Sendable (Notification) -> ObjectIdentifier? = NotificationRoute.sender(of:)
    ) {
        // Observes until the process ends.
        _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
            [observations] notification in
            guard let subject = subject(notification) else { return }
            for observation in observations.withLock({ $0[subject] }) ?? [] { observation.handler(notification) }
        }
    }

    /// Calls `handler` for notifications about an object, on the posting thread. The object is not retained.
    func observe(_ subject: AnyObject, _ handler: @escaping Handler) -> Observation {
        Observation(self, ObjectIdentifier(subject), handler)
    }

    // MARK: Routes

    /// Changes of the objects in a context.
    static let changes = NotificationRoute(.NSManagedObjectContextObjectsDidChange)
    /// Saves of a context.
    static let saves = NotificationRoute(.NSManagedObjectContextDidSave)
    /// Merges of changes into a context.
    static let merges = NotificationRoute(NSManagedObjectContext.didMergeChangesObjectIDsNotification)
    /// Changes that a coordinator's stores report, by this program and others.
    static let remoteChanges = NotificationRoute(.NSPersistentStoreRemoteChange)
    /// Stacks that are torn down, by coordinator.
    static let closings = NotificationRoute(.magicalRecordStackClosed)
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
