import CoreData
import Observation

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension MagicalRecord.ManagedObject where Self: Observable {
    /// Returns the value of a property, and has `withObservationTracking` track that it was read.
    ///
    /// ```swift
    /// extension User: Observable {}
    ///
    /// withObservationTracking { label.text = user.tracked(\.displayName) } onChange: { … }
    /// ```
    /// The class conforms to `Observable` and does not implement anything. Use this in code for all platforms: Apple's Core Data
    /// implements `@NSManaged` properties itself and calls no function that could be overridden, so there a plain
    /// `user.displayName` is not tracked. Off Apple's platforms both are.
    ///
    /// `onChange` is called once, when the context processes a change of the property, whatever caused it: at the end of a
    /// `perform` block or of the run loop's pass, before a save, or by `processPendingChanges()`. It is called on the context's
    /// queue, and the new value can be read. An object that is inserted, deleted, refreshed or changed by a merge counts as
    /// changed in all properties. `reset()` is not reported.
    ///
    /// Retain the object as long as its reads are tracked. Must be called on the queue of the object's context. For an object without a context, nothing is tracked.
    /// A read costs about a microsecond more than one that is not tracked.
    ///
    /// - Parameter property: the key path of one property. On Apple's platforms a computed property, or a chain of
    ///   properties, is tracked as a read of all properties of this object.
    public func tracked<Value>(_ property: KeyPath<Self, Value>) -> Value {
        #if canImport(ObjectiveC)
        if let context = managedObjectContext {
            ObservedReads.of(context).noteRead(property._kvcKeyPathString, of: self)
        }
        #endif
        return self[keyPath: property]
    }
}

#if canImport(ObjectiveC)
/// The reads in one context that `withObservationTracking` tracks, and the changes reported to it. Used on the context's queue.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
private final class ObservedReads: Observable, @unchecked Sendable {
    private struct Property: Hashable {
        let object: ObjectIdentifier
        /// nil for a read that may depend on all properties.
        let name: String?
    }

    private let registrar = ObservationRegistrar()
    /// The objects that were read. Objects at the same place later count as read, too.
    private var objects: Set<ObjectIdentifier> = []
    private var observation: NotificationRoute.Observation?

    private init(_ context: NSManagedObjectContext) {
        observation = NotificationRoute.changes.observe(context) { [weak self] in self?.report($0.userInfo ?? [:]) }
    }

    deinit { observation?.cancel() }

    /// Returns the tracker of a context, which keeps it among its user information.
    static func of(_ context: NSManagedObjectContext) -> ObservedReads {
        let key = "MagicalRecord.ObservedReads"
        if let known = context.userInfo[key] as? ObservedReads { return known }
        let made = ObservedReads(context)
        context.userInfo[key] = made
        return made
    }

    /// Makes a key path of each property of each object, which a registrar expects.
    private subscript(property: Property) -> Void { () }

    func noteRead(_ path: String?, of object: NSManagedObject) {
        objects.insert(ObjectIdentifier(object))
        let name = path.flatMap { object.entity.propertiesByName[$0] == nil ? nil : $0 }
        registrar.access(self, keyPath: \.[Property(object: ObjectIdentifier(object), name: name)])
    }

    private func report(_ userInfo: [AnyHashable: Any]) {
        let refreshed = userInfo[NSRefreshedObjectsKey] as? Set<NSManagedObject> ?? []
        let updated = (userInfo[NSUpdatedObjectsKey] as? Set<NSManagedObject> ?? []).subtracting(refreshed)
        // Collected before any `onChange` is called: it may change objects, which then tell of the new changes only.
        var properties: [Property] = []
        for object in ChangedObjects.all(in: userInfo) where objects.contains(ObjectIdentifier(object)) {
            let names = updated.contains(object) ? Array(object.changedValuesForCurrentEvent().keys) : []
            // Without names, any property may have changed.
            properties += (names.isEmpty ? Array(object.entity.propertiesByName.keys) : names)
                .map { Property(object: ObjectIdentifier(object), name: $0) }
            properties.append(Property(object: ObjectIdentifier(object), name: nil))
        }
        for property in properties { registrar.withMutation(of: self, keyPath: \.[property]) {} }
    }
}
#endif
