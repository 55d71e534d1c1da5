import Observation

/// The reads of properties in one context that `withObservationTracking` tracks, and the changes reported to it.
///
/// Reads are tracked for classes that conform to `Observable`. Their objects are never read directly from the row
/// (``NSManagedObject/_readTag`` stays 0), so that other classes pay nothing. Changes are reported with each change-processing
/// pass, whatever caused them; so setting values costs nothing more either.
final class ObservedReads: Observable, Sendable {
    private struct Property: Hashable {
        let object: ObjectIdentifier
        let name: String
    }

    private let registrar = ObservationRegistrar()

    /// Makes a key path of each property of each object, which a registrar expects.
    private subscript(property: Property) -> Void { () }

    /// Notes that a property was read.
    func noteRead(_ name: String, of object: NSManagedObject) {
        registrar.access(self, keyPath: \.[Property(object: ObjectIdentifier(object), name: name)])
    }

    /// Reports the changes of one pass, while its notice is the context's reported one.
    func report(_ sets: borrowing NoticeSets<NSManagedObject>) {
        for object in sets.updated where !sets.refreshed.contains(object) && object.tracksReads {
            report(object.valuesBeforeEvent().keys, of: object)
        }
        // Any property may have changed.
        for objects in [sets.refreshed, sets.inserted, sets.deleted] {
            for object in objects where object.tracksReads { report(object.entity.propertiesByName.keys, of: object) }
        }
    }

    private func report(_ names: some Sequence<String>, of object: NSManagedObject) {
        for name in names {
            let property = Property(object: ObjectIdentifier(object), name: name)
            registrar.withMutation(of: self, keyPath: \.[property]) {}
        }
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
