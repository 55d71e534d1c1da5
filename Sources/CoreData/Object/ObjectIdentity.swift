import CoreDataRowStorage
import CoreDataRuntimeSupport
import Synchronization

/// The part that all object IDs of an entity in a store share: an ID consists of this and a key.
///
/// A store creates one per entity when it is added to a coordinator. Temporary IDs share one per entity, without a store.
package final class ObjectIdentity: @unchecked Sendable {
    package let layout: EntityLayout
    /// The store; nil for temporary IDs, and once the store is deallocated.
    package var store: NSPersistentStore? { storeHandle?.object }
    private let storeHandle: WeakHandle<NSPersistentStore>?
    /// The UUID of the store; empty for temporary IDs.
    package let storeUUID: String
    /// Retained by IDs, because layouts and entities do not retain their model.
    private let model: NSManagedObjectModel
    private let superidentity: ObjectIdentity?
    /// The hash seed, equal for two identities if a key means the same row under both.
    let seed: Int

    /// The identity of the root entity, which shares its keys with this one.
    package var root: ObjectIdentity { superidentity?.root ?? self }

    /// Creates an identity.
    ///
    /// - Parameter superidentity: The identity of the superentity in the same store.
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

    /// Returns true if a key means the same row under both identities, even through different coordinators.
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

    /// The identities by the layout's address. The key type and the initial capacity avoid generic instantiations at startup,
    /// which take long.
    private static let temporaries = Locked([Int: WeakIdentity](minimumCapacity: 12))

    /// Returns the identity of an entity's objects that are in no store yet. Takes a lock; callers cache the result.
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
