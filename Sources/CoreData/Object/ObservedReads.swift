import Observation

/// The reads of properties in one context that `withObservationTracking` tracks, and the changes reported to it.
///
/// Reads are tracked for classes that conform to `Observable`. Their objects are never read directly from the row
/// (``NSManagedObject/_readTag`` stays 0), so that other classes pay nothing. Changes are reported with each change-processing
/// pass, whatever caused them: setting values costs nothing more, and a pass a little for each object that was read.
///
/// Used on the context's queue only; `Observable` asks for `Sendable`.
final class ObservedReads: Observable, @unchecked Sendable {
    private struct Property: Hashable {
        let object: ObjectIdentifier
        let name: String
    }

    private let registrar = ObservationRegistrar()
    /// The objects that were read. Objects at the same place later count as read, too.
    private var objects: Set<ObjectIdentifier> = []

    /// Makes a key path of each property of each object, which a registrar expects.
    private subscript(property: Property) -> Void { () }

    /// Notes that a property was read.
    func noteRead(_ name: String, of object: NSManagedObject) {
        objects.insert(ObjectIdentifier(object))
        registrar.access(self, keyPath: \.[Property(object: ObjectIdentifier(object), name: name)])
    }

    /// Reports the changes of one pass, while its notice is the context's reported one.
    func report(_ sets: borrowing NoticeSets<NSManagedObject>) {
        // Collected before any `onChange` is called: it may change objects, which then tell of the new changes only.
        var properties: [Property] = []
        func note(_ names: some Sequence<String>, of object: NSManagedObject) {
            properties += names.map { Property(object: ObjectIdentifier(object), name: $0) }
        }
        for object in sets.updated where isRead(object) && !sets.refreshed.contains(object) {
            note(object.valuesBeforeEvent().keys, of: object)
        }
        // Any property may have changed.
        for objects in [sets.refreshed, sets.inserted, sets.deleted] {
            for object in objects where isRead(object) { note(object.entity.propertiesByName.keys, of: object) }
        }
        for property in properties { registrar.withMutation(of: self, keyPath: \.[property]) {} }
    }

    private func isRead(_ object: NSManagedObject) -> Bool {
        objects.contains(ObjectIdentifier(object)) && object.tracksReads
    }
}

extension NSManagedObject {
    /// True if the object's class is `Observable`.
    final var tracksReads: Bool { _attachment.table?._withUnsafeGuaranteedRef { $0.tracksReads } ?? false }

    /// Notes that a property of an object that is not read directly is being read.
    @inline(never)
    final func noteRead(_ name: String) {
        guard tracksReads, !_state.contains(.awaking), let context else { return }
        let reads = context.observedReads ?? ObservedReads()
        context.observedReads = reads
        reads.noteRead(name, of: self)
    }

    /// Loads the values, and notes that a property is being read.
    @inline(never)
    final func noteAccess(_ name: String?) {
        realise()
        if _readTag == 0, let name { noteRead(name) }
    }
}
