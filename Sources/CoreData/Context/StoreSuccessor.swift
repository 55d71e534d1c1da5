import CoreDataRowStorage
import CoreDataRuntimeSupport

/// The store that took another one's place, and where each row of that one has gone.
///
/// Contexts on several threads ask it, each when it moves its objects over.
final class StoreSuccessor: @unchecked Sendable {
    let store: any RowStore
    /// The version of every row of a store whose format keeps none; nil where rows keep the versions they had.
    let version: UInt32?
    private let lock = Lock()
    private var copies: CopiedRows

    init(_ store: any RowStore, _ copies: CopiedRows) {
        self.store = store
        self.copies = copies
        version = store.keepsVersions ? nil : 1
    }

    /// Where a row has gone. One that was not in the old store, such as that of a new object with a permanent ID, gets a key
    /// that no other row has.
    ///
    /// - Returns: nil when the new store has no more keys.
    func key(for old: Int64, of layout: EntityLayout) -> Int64? {
        lock.withLock {
            let root = layout.root.number
            if let known = copies.rows[root]?[old] { return known.key }
            guard let fresh = try? store.reserveKeys(count: 1, of: layout.root).first else { return nil }
            copies.rows[root, default: [:]][old] = CopiedRows.Row(key: fresh, version: 0)
            return fresh
        }
    }

    /// The reference to a row that has gone where `reference` leads; nil if that leads to no row.
    func reference(for reference: RowReference, _ layouts: ModelLayouts) -> RowReference? {
        if reference.isTemporary { return reference }
        guard let layout = layouts.byNumber[reference.entityNumber] else { return nil }
        return lock.withLock {
            copies.rows[layout.root.number]?[reference.key].map {
                RowReference(entityNumber: reference.entityNumber, key: $0.key)
            }
        }
    }

    /// The version by which a change to the row of the old key `old` is saved, when the change was made to a row of `version`:
    /// one that no row has, if the row was another by the time it was copied.
    func version(for version: UInt32, of old: Int64, _ layout: EntityLayout) -> UInt32 {
        guard let ours = self.version else { return version }
        return lock.withLock { copies.rows[layout.root.number]?[old]?.version == version } ? ours : 0
    }

    /// The ID of a row that has gone where `id` leads, if that was in the old store.
    func objectID(for id: NSManagedObjectID, from old: any RowStore) -> NSManagedObjectID {
        guard !id.isTemporaryID, id.identity.store === old, let key = key(for: id.key, of: id.identity.layout) else {
            return id
        }
        return NSManagedObjectID(identity: store.identity(for: id.identity.layout), key: key)
    }
}

/// What rows became when they were copied.
struct CopiedRows {
    struct Row {
        /// The key of the copy.
        var key: Int64
        /// The version of what was copied.
        var version: UInt32
    }

    /// By the number of the root entity and the key in the old store.
    var rows: [Int: [Int64: Row]] = [:]
}
