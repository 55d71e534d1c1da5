/// What one save writes to one store, and to which objects it belongs.
struct SavePlan {
    let store: any RowStore
    var changes = StoreChanges()
    private(set) var inserted: [NSManagedObject] = []
    /// With whether there was anything to write about them.
    private(set) var updated: [(object: NSManagedObject, isWritten: Bool)] = []
    private(set) var deleted: [NSManagedObject] = []
    /// Position of each entity's group, by entity number.
    private var insertGroups: [Int: Int] = [:]
    private var updateGroups: [Int: Int] = [:]
    private var deleteGroups: [Int: Int] = [:]
    private var lockGroups: [Int: Int] = [:]

    init(store: any RowStore) { self.store = store }

    var isEmpty: Bool {
        changes.inserts.isEmpty && changes.updates.isEmpty && changes.deletes.isEmpty && changes.locked.isEmpty
            && changes.toMany.isEmpty && changes.metadata == nil
    }

    // MARK: Collecting

    mutating func insert(_ object: NSManagedObject) {
        guard let row = object._row, let slab = object._slab else { return }
        changes.inserts.add(
            StoreChanges.Row(key: object._key, version: 0, row: row, slab: slab), of: object.layout, &insertGroups)
        inserted.append(object)
        addToMany(of: object)
    }

    mutating func update(_ object: NSManagedObject) {
        if !object._state.contains(.ownsRow), object.realise() { object.makeOwnRow() }
        let isWritten = object.keepRealChanges()
        updated.append((object, isWritten))
        guard isWritten, let row = object._row, let slab = object._slab else { return }
        changes.updates.add(
            StoreChanges.Row(key: object._key, version: EntityLayout.version(row), row: row, slab: slab),
            of: object.layout, &updateGroups)
        addToMany(of: object)
    }

    mutating func delete(_ object: NSManagedObject) {
        deleted.append(object)
        // Gone already: nothing to delete, nothing to report but that it is gone.
        guard object.realise(), let row = object.committedSnapshot else { return }
        changes.deletes.add(
            StoreChanges.Row(key: object._key, version: EntityLayout.version(row.row), row: row.row, slab: row.slab),
            of: object.layout, &deleteGroups)
        addToMany(of: object)
    }

    mutating func lock(_ object: NSManagedObject) {
        guard let row = object._row, let slab = object._slab else { return }
        changes.locked.add(
            StoreChanges.Row(key: object._key, version: EntityLayout.version(row), row: row, slab: slab),
            of: object.layout, &lockGroups)
    }

    private mutating func addToMany(of object: NSManagedObject) {
        guard let extra = object._extra, !extra.relationships.isEmpty else { return }
        let isDeleted = object._state.contains(.deleted)
        for case let toMany as ToMany in extra.relationships where toMany.hasChanges {
            let relationship = toMany.relationship
            guard relationship.isKeptApart else { continue }
            let members = relationship.isOrdered && !isDeleted ? object.toManyMembers(at: relationship.index) : nil
            changes.toMany.append(
                StoreChanges.ToMany(
                    layout: object.layout, relationship: relationship, source: object.reference,
                    // What a deleted object had joined may never have been saved itself.
                    added: isDeleted ? [] : toMany.added.references,
                    removed: toMany.removed.filter { $0._key > 0 }.references,
                    order: members?.references))
        }
    }

    // MARK: After the transaction

    /// Tells the objects that what they hold is saved.
    func commit(_ keys: SavedKeys, in context: NSManagedObjectContext) {
        for object in inserted where object._key < 0 {
            if let key = keys[object._key] { context.adoptPermanentKey(key, of: object, in: store) }
        }
        // Only now that every new object has its key can rows that refer to them be put right.
        for object in inserted {
            object.resolveReferences()
            object.didCommit(version: 1)
        }
        for (object, isWritten) in updated {
            object.resolveReferences()
            let version = object._row.map { EntityLayout.version($0) } ?? 0
            object.didCommit(version: isWritten ? version + 1 : version)
        }
        for object in deleted { object.didCommitDeletion() }
        if context.retainsRegisteredObjects { context.retained.formUnion(inserted) }
        if !keys.recomputed.isEmpty {
            let saved = Set((inserted + updated.map(\.object)).map(ObjectIdentifier.init))
            context.takeOverComputedValues(keys.recomputed, in: store, besides: saved)
        }
    }
}

extension [StoreChanges.Group] {
    fileprivate mutating func add(_ row: StoreChanges.Row, of layout: EntityLayout, _ groups: inout [Int: Int]) {
        if !isEmpty, self[count - 1].layout === layout {
            self[count - 1].rows.append(row)
        } else if let index = groups[layout.number] {
            self[index].rows.append(row)
        } else {
            groups[layout.number] = count
            append(StoreChanges.Group(layout: layout, rows: [row]))
        }
    }
}

extension ContiguousArray<NSManagedObject> {
    fileprivate var references: ContiguousArray<RowReference> { ContiguousArray<RowReference>(lazy.map(\.reference)) }
}

extension EntityLayout.Relationship {
    /// Whether the store keeps members, or their order, apart from the rows: one-to-many relationships lie in the rows of
    /// the other side.
    fileprivate var isKeptApart: Bool {
        guard !description.isTransient else { return false }
        guard let inverse = description.inverseRelationship else { return true }
        return inverse.isToMany || isOrdered
    }
}

extension NSManagedObject {
    /// Points to-one cells that name new objects by their temporary keys to the permanent ones.
    final func resolveReferences() {
        guard let row = _row, let extra = _extra, !extra.relationships.isEmpty else { return }
        let layout = layout
        for relationship in layout.relationships where relationship.cell >= 0 {
            guard EntityLayout.isPresent(row, relationship.cell),
                RowReference(bits: layout.bits(row, relationship.cell)).isTemporary,
                let destination = extra.relationships[relationship.index] as? NSManagedObject
            else { continue }
            layout.set(row, relationship.cell, UInt64(bitPattern: destination.reference.bits))
        }
    }
}

extension NSManagedObjectContext {
    /// A save made the store compute values: objects that are in memory take them over at once. Those that were not
    /// saved themselves are reported as refreshed.
    fileprivate final func takeOverComputedValues(
        _ references: ContiguousArray<RowReference>, in store: any RowStore, besides saved: Set<ObjectIdentifier>
    ) {
        let layouts = layouts
        let objects = references.compactMap { reference -> NSManagedObject? in
            guard let layout = layouts.byNumber[reference.entityNumber] else { return nil }
            return table(of: layout, in: store).uniquing.object(for: reference.key)
        }
        let present = objects.filter { $0._row != nil && $0._state.isDisjoint(with: [.deleted, .deletionSaved]) }
        var lost: [LostDestination] = []
        for (object, row) in freshRows(of: present) {
            object.rebase(on: row, &lost, keepsRelationships: true)
            if !saved.contains(ObjectIdentifier(object)) { noteRefreshed(object) }
        }
    }
}
