import CoreDataRowStorage
import CoreDataRuntimeSupport
import Synchronization

/// What all object IDs of one entity in one store share: an ID itself holds only this and a key.
///
/// A store makes one per entity when it is added to a coordinator. IDs that are not saved yet share one per entity that
/// belongs to no store.
package final class ObjectIdentity: @unchecked Sendable {
    package let layout: EntityLayout
    /// nil for temporary IDs, and once the store is gone.
    package var store: NSPersistentStore? { storeHandle?.object }
    private let storeHandle: WeakHandle<NSPersistentStore>?
    /// Empty for temporary IDs.
    package let storeUUID: String
    /// Layouts and entities do not keep their model alive; IDs do.
    private let model: NSManagedObjectModel
    private let superidentity: ObjectIdentity?
    /// The same for two identities when a key means the same row under both.
    let seed: Int

    /// The identity of the entity whose rows share their keys with this one's: the top of the hierarchy.
    package var root: ObjectIdentity { superidentity?.root ?? self }

    /// - Parameter superidentity: The identity of the super-entity in the same store.
    package init(layout: EntityLayout, store: NSPersistentStore?, storeUUID: String, superidentity: ObjectIdentity?) {
        self.layout = layout
        storeHandle = store?.handle
        self.storeUUID = storeUUID
        self.superidentity = superidentity
        model = layout.entity.managedObjectModel
        if let superidentity {
            seed = superidentity.seed
        } else {
            var hasher = Hasher()
            hasher.combine(storeUUID)
            hasher.combine(layout.root.name)
            seed = hasher.finalize()
        }
    }

    /// True when a key stands for the same row under both identities, be it through different coordinators.
    func sharesRows(with other: ObjectIdentity) -> Bool {
        if self === other { return true }
        guard seed == other.seed else { return false }
        let (a, b) = (root, other.root)
        return a === b || (a.storeUUID == b.storeUUID && a.layout.name == b.layout.name)
    }

    // MARK: Temporary IDs

    private struct WeakIdentity {
        weak var identity: ObjectIdentity?
    }

    /// By the layout's address: the first dictionary with keys of a kind nobody else uses takes the runtime long to make. So
    /// does the first that grows.
    private static let temporaries = Locked([Int: WeakIdentity](minimumCapacity: 12))

    /// The identity of an entity's objects that are in no store yet. Takes a lock; callers keep the result.
    package static func temporary(for layout: EntityLayout) -> ObjectIdentity {
        let key = Int(bitPattern: ObjectIdentifier(layout))
        return temporaries.withLock { cache in
            if let found = cache[key]?.identity, found.layout === layout { return found }
            if cache.count > 256 { cache = cache.filter { $0.value.identity != nil } }
            let made = ObjectIdentity(layout: layout, store: nil, storeUUID: "", superidentity: nil)
            cache[key] = WeakIdentity(identity: made)
            return made
        }
    }
}
