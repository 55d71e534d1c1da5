// Where rows and relationship members come from when a fault fires: the parent, or the store.

extension NSManagedObjectContext {
    /// Gives a fault its row. False if there is none: then the object reads as deleted, or the program stops, by
    /// ``shouldDeleteInaccessibleFaults``.
    final func loadRow(of object: NSManagedObject) -> Bool {
        if object._state.contains(.inaccessible) { return false }
        if let found = try? loadRowOrThrow(of: object), found { return true }
        guard shouldHandleInaccessibleFault(object, for: object.objectID, triggeredByProperty: nil) else {
            fatalError(
                "CoreData could not fulfill a fault for '\(object.objectID.uriRepresentation().absoluteString)'. Its row was deleted; keep shouldDeleteInaccessibleFaults on, or use existingObject(with:) to find out."
            )
        }
        object._state.insert(.inaccessible)
        return false
    }

    /// Reads the row of a fault; false if there is none.
    final func loadRowOrThrow(of object: NSManagedObject) throws -> Bool {
        if let parent {
            return parent.performAndWait { parent.lendRow(to: object) }
        }
        guard let table = object._table, let store = table.store else { return false }
        if let batch = batches.last(where: { $0.contains(object) }) {
            let keys = batch.takeBatch(around: object._key)
            try store.readRows(keys: keys, of: table.layout, into: BatchSink(self, store: store))
        } else {
            try store.readRows(keys: [object._key], of: table.layout, into: FaultSink(object))
        }
        return object._row != nil
    }

    /// The members of a to-many relationship as they are saved (in a child: as the parent has them).
    final func storedMembers(
        of object: NSManagedObject, _ relationship: EntityLayout.Relationship
    ) -> ContiguousArray<NSManagedObject> {
        if let parent {
            let references: [(RowReference, EntityLayout)] = parent.performAndWait {
                guard let original = parent.counterpart(of: object) else { return [] }
                return original.toManyMembers(at: relationship.index).map { ($0.reference, $0.layout) }
            }
            return ContiguousArray(references.compactMap { member($0.0, $0.1, near: object) })
        }
        guard let table = object._table, let store = table.store else { return [] }
        let references = (try? store.readToMany(relationship, of: table.layout, key: object._key)) ?? []
        return ContiguousArray(references.compactMap { self.object($0, near: table) })
    }

    private final func member(
        _ reference: RowReference, _ layout: EntityLayout, near object: NSManagedObject
    ) -> NSManagedObject? {
        if reference.isTemporary { return unsavedTable(of: layout).object(for: reference.key) }
        guard let table = object._table else { return nil }
        guard let store = table.store ?? persistentStoreCoordinator?.rowStores.first else { return nil }
        return self.table(of: layout, in: store).object(for: reference.key)
    }

    // MARK: Parents

    /// This context's object for a child's object; nil if it is unknown here.
    final func counterpart(of object: NSManagedObject) -> NSManagedObject? {
        if object._key < 0 { return unsavedObject(object._key) }
        guard let table = object._table, let store = table.store else { return nil }
        return self.table(of: table.layout, in: store).object(for: object._key)
    }

    /// Gives a child's fault this context's values, unsaved ones included. Runs on this context's queue while the child waits.
    private final func lendRow(to object: NSManagedObject) -> Bool {
        guard let original = counterpart(of: object), !original._state.contains(.deleted), original.realise() else {
            return false
        }
        object.adoptCopy(of: original)
        return true
    }
}

extension NSManagedObject {
    /// Takes the values of the same object in a parent context: the very row if it cannot change any more, else a copy.
    final func adoptCopy(of original: NSManagedObject) {
        guard let row = original._row, let slab = original._slab else { return }
        let layout = layout
        if original._state.contains(.ownsRow) {
            let copySlab = RowSlab(rowBytes: layout.rowBytes)
            let copy = copySlab.makeRow(bytes: layout.rowBytes)!
            memcpy(copy, row, layout.rowBytes)
            (copy + 4).storeBytes(of: 0, as: UInt32.self)
            layout.copyHeap(from: slab, of: copy, to: copySlab)
            adopt(copy, in: copySlab)
        } else {
            adopt(row, in: slab)
        }
        if let boxed = original._extra?.boxed, !boxed.isEmpty { extra.boxed = boxed }
    }
}

/// Receives the row of one fault.
final class FaultSink: RowSink {
    private let object: NSManagedObject

    init(_ object: NSManagedObject) { self.object = object }

    func next(entityNumber: Int, key: Int64) -> Bool { key == object._key }

    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) { object.adopt(row, in: slab) }
}

/// Receives the rows of several faults of one fetch.
final class BatchSink: RowSink {
    private let context: NSManagedObjectContext
    private let store: any RowStore
    private var object: NSManagedObject?

    init(_ context: NSManagedObjectContext, store: any RowStore) {
        self.context = context
        self.store = store
    }

    func next(entityNumber: Int, key: Int64) -> Bool {
        guard let layout = context.layouts.byNumber[entityNumber] else { return false }
        object = context.table(of: layout, in: store).uniquing.object(for: key)
        return object.map { $0._state.contains(.fault) && $0._row == nil } ?? false
    }

    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) { object?.adopt(row, in: slab) }
}

/// The rows of a fetch that are read some at a time, as their objects are touched.
final class FetchBatch {
    private let root: EntityLayout
    private let store: any RowStore
    private let size: Int
    private var keys: ContiguousArray<Int64>
    private lazy var positions = Dictionary(
        zip(keys, keys.indices), uniquingKeysWith: { first, _ in first })

    init(keys: ContiguousArray<Int64>, size: Int, root: EntityLayout, store: any RowStore) {
        self.keys = keys
        self.size = size
        self.root = root
        self.store = store
    }

    func contains(_ object: NSManagedObject) -> Bool {
        guard let table = object._table, table.store === store, table.layout.root === root else { return false }
        return positions[object._key] != nil
    }

    /// The keys of the batch that a key is in.
    func takeBatch(around key: Int64) -> ContiguousArray<Int64> {
        guard let position = positions[key] else { return [key] }
        let start = position / size * size
        return ContiguousArray(keys[start..<min(start + size, keys.count)])
    }
}
