import Foundation

/// The results that a delegate knows by temporary IDs, from the list or from differences.
struct TemporaryResults {
    private var known: [ObjectIdentifier: (object: NSManagedObject, id: NSManagedObjectID)] = [:]

    var isEmpty: Bool { known.isEmpty }

    /// Adds the object if its ID is temporary.
    mutating func add(_ object: NSManagedObject) {
        if object._key < 0 { known[ObjectIdentifier(object)] = (object, object.objectID) }
    }

    /// Removes an object that was deleted from the results.
    mutating func remove(_ object: AnyObject) {
        known[ObjectIdentifier(object)] = nil
    }

    /// Removes and returns the objects with IDs that have become permanent, and their temporary IDs.
    mutating func takePermanent() -> [(object: NSManagedObject, id: NSManagedObjectID)] {
        let permanent = known.filter { $0.value.object.hasPermanentKey }
        for identifier in permanent.keys { known[identifier] = nil }
        return Array(permanent.values)
    }
}

extension CollectionDifference<NSManagedObjectID> {
    /// Creates the difference that replaces temporary IDs of results by their permanent ones.
    init?(permanent results: [(index: Int, temporary: NSManagedObjectID, permanent: NSManagedObjectID)]) {
        self.init(
            results.flatMap { index, temporary, permanent -> [Change] in
                [
                    .remove(offset: index, element: temporary, associatedWith: nil),
                    .insert(offset: index, element: permanent, associatedWith: nil),
                ]
            })
    }
}
