import CoreDataRowStorage
import CoreDataRuntimeSupport

/// The store that replaced another one, with the new key of each row.
///
/// Thread-safe: contexts on several threads use it when they move their objects.
final class StoreSuccessor: @unchecked Sendable {
    let store: any RowStore
    /// The version of every row of a store with a format that has no versions; nil if rows keep their versions.
    let version: UInt32?
    private let lock = Lock()
    private var copies: CopiedRows

    init(_ store: any RowStore, _ copies: CopiedRows) {
        self.store = store
        self.copies = copies
        version = store.keepsVersions ? nil : 1
    }

    /// Returns the new key of a row. A row that was not in the old store, such as that of a new object with a permanent ID,
    /// gets an unused key.
    ///
    /// - Returns: nil if the new store has no more keys.
    func key(for old: Int64, of layout: EntityLayout) -> Int64? {
        lock.withLock {
            let root = layout.root.number
            if let known = copies.rows[root]?[old] { return known.key }
            guard let fresh = try? store.reserveKeys(count: 1, of: layout.root).first else { return nil }
            copies.rows[root, default: [:]][old] = CopiedRows.Row(key: fresh, version: 0)
            return fresh
        }
    }

    /// Returns the reference to the copied row that `reference` refers to; nil if that was not copied.
    func reference(for reference: RowReference, _ layouts: ModelLayouts) -> RowReference? {
        if reference.isTemporary { return reference }
        guard let layout = layouts.byNumber[reference.entityNumber] else { return nil }
        return lock.withLock {
            copies.rows[layout.root.number]?[reference.key].map {
                RowReference(entityNumber: reference.entityNumber, key: $0.key)
            }
        }
    }

    /// Returns the version for saving a change that was based on `version` of the row with the old key `old`: one that no row
    /// has, if the copied row had another version.
    func version(for version: UInt32, of old: Int64, _ layout: EntityLayout) -> UInt32 {
        guard let ours = self.version else { return version }
        return lock.withLock { copies.rows[layout.root.number]?[old]?.version == version } ? ours : 0
    }

    /// Returns the ID of the copy of an object in the old store, or the ID itself if it belongs to another store.
    func objectID(for id: NSManagedObjectID, from old: any RowStore) -> NSManagedObjectID {
        guard !id.isTemporaryID, id.identity.store === old, let key = key(for: id.key, of: id.identity.layout) else {
            return id
        }
        return NSManagedObjectID(identity: store.identity(for: id.identity.layout), key: key)
    }
}

/// The keys of copied rows.
struct CopiedRows {
    struct Row {
        /// The key of the copy.
        var key: Int64
        /// The version of the original row.
        var version: UInt32
    }

    /// The copies, by the number of the root entity and the key in the old store.
    var rows: [Int: [Int64: Row]] = [:]
}
