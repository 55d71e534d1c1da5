import CoreDataRowStorage
import CoreDataRuntimeSupport

/// The changes that one save writes to one store, and their objects.
///
/// A context that repeatedly saves few objects reuses one plan, memory included.
final class SavePlan {
    /// The store; nil while the plan is not in use.
    @exclusivity(unchecked) private(set) var store: (any RowStore)!
    @exclusivity(unchecked) private(set) var changes = StoreChanges()
    @exclusivity(unchecked) private(set) var inserted: ContiguousArray<NSManagedObject> = []
    @exclusivity(unchecked) private(set) var updated: ContiguousArray<NSManagedObject> = []
    /// True for each updated object that has changes to write.
    @exclusivity(unchecked) private var isWritten: ContiguousArray<Bool> = []
    @exclusivity(unchecked) private(set) var deleted: ContiguousArray<NSManagedObject> = []
    /// The position of each entity's group by entity number, if there are several groups.
    @exclusivity(unchecked) private var insertGroups: [Int: Int] = [:]
    @exclusivity(unchecked) private var updateGroups: [Int: Int] = [:]
    @exclusivity(unchecked) private var deleteGroups: [Int: Int] = [:]
    @exclusivity(unchecked) private var lockGroups: [Int: Int] = [:]

    /// The expected number of objects.
    @exclusivity(unchecked) private var expected = 0

    /// The number of objects up to which the plan can be reused.
    private static let few = 64

    func begin(store: any RowStore, expecting expected: Int) {
        self.store = store
        self.expected = expected
        if expected > Self.few { changes = StoreChanges() }
    }

    /// Clears the plan. Returns false if it cannot be reused.
    func reset() -> Bool {
        // A store may have retained the changes.
        guard expected <= Self.few, isKnownUniquelyReferenced(&changes) else { return false }
        store = nil
        inserted.removeAll(keepingCapacity: true)
        if !updated.isEmpty {
            updated.removeAll(keepingCapacity: true)
            isWritten.removeAll(keepingCapacity: true)
        }
        if !deleted.isEmpty { deleted.removeAll(keepingCapacity: true) }
        if !insertGroups.isEmpty { insertGroups = [:] }
        if !updateGroups.isEmpty { updateGroups = [:] }
        if !deleteGroups.isEmpty { deleteGroups = [:] }
        if !lockGroups.isEmpty { lockGroups = [:] }
        changes.reset()
        return true
    }

    /// Removes groups of an earlier save that got no rows in this one.
    func dropUnusedGroups() {
        changes.inserts.dropUnused()
        changes.updates.dropUnused()
        changes.deletes.dropUnused()
        changes.locked.dropUnused()
    }

    /// Rounds the dates to write to microseconds, in the rows of the objects. Dates out of range stay: the store refuses them.
    func roundDates() {
        func round(_ group: StoreChanges.Group) {
            let layout = group.layout
            for cell in layout.roundedDates.cells {
                for row in group.rows where EntityLayout.isPresent(row.row, cell) {
                    let seconds = Double(bitPattern: layout.bits(row.row, cell))
                    guard let rounded = MicrosecondDate.rounded(seconds) else { continue }
                    layout.set(row.row, cell, rounded.bitPattern)
                }
            }
        }
        changes.inserts.forEach(round)
        changes.updates.forEach(round)
    }

    var isEmpty: Bool {
        changes.inserts.isEmpty && changes.updates.isEmpty && changes.deletes.isEmpty && changes.locked.isEmpty
            && changes.toMany.isEmpty && changes.metadata == nil
    }

    // MARK: Collecting

    func insert(_ object: NSManagedObject) {
        guard let row = object._row, object._slab != nil else { return }
        changes.inserts.add(
            StoreChanges.Row(
                key: object._key, version: EntityLayout.version(row), row: row, slab: object._slab.unsafelyUnwrapped),
            of: object, &insertGroups, expected)
        if inserted.isEmpty { inserted.reserveCapacity(expected) }
        inserted.append(object)
        addToMany(of: object)
    }

    func update(_ object: NSManagedObject) {
        if !object._state.contains(.ownsRow), object.realise() { object.makeOwnRow() }
        let isWritten = object.keepRealChanges()
        if updated.isEmpty {
            updated.reserveCapacity(expected)
            self.isWritten.reserveCapacity(expected)
        }
        updated.append(object)
        self.isWritten.append(isWritten)
        guard isWritten, let row = object._row, object._slab != nil else { return }
        changes.updates.add(
            StoreChanges.Row(
                key: object._key, version: EntityLayout.version(row), row: row, slab: object._slab.unsafelyUnwrapped),
            of: object, &updateGroups, expected)
        addToMany(of: object)
    }

    func delete(_ object: NSManagedObject) {
        if deleted.isEmpty { deleted.reserveCapacity(expected) }
        deleted.append(object)
        // Already deleted: there is nothing to delete, but the deletion is reported.
        guard object.realise() else { return }
        if !object._state.isInserted, !object._state.contains(.ownsRow), let row = object._row,
            let slab = object._slab
        {
            changes.deletes.add(
                StoreChanges.Row(key: object._key, version: EntityLayout.version(row), row: row, slab: slab),
                of: object, &deleteGroups, expected)
            addToMany(of: object)
            return
        }
        guard let row = object.committedSnapshot else { return }
        changes.deletes.add(
            StoreChanges.Row(key: object._key, version: EntityLayout.version(row.row), row: row.row, slab: row.slab),
            of: object, &deleteGroups, expected)
        addToMany(of: object)
    }

    func lock(_ object: NSManagedObject) {
        guard let row = object._row, let slab = object._slab else { return }
        changes.locked.add(
            StoreChanges.Row(key: object._key, version: EntityLayout.version(row), row: row, slab: slab),
            of: object, &lockGroups, 1)
    }

    @inline(__always)
    private func addToMany(of object: NSManagedObject) {
        guard let extra = object._extraReference else { return }
        if extra._withUnsafeGuaranteedRef({ !$0.relationships.isEmpty }) { addMaterialisedToMany(of: object) }
    }

    @inline(never)
    private func addMaterialisedToMany(of object: NSManagedObject) {
        guard let extra = object._extra else { return }
        let isDeleted = object._state.isDeleted
        for case let toMany as ToMany in extra.relationships where toMany.hasChanges {
            let relationship = toMany.relationship
            guard relationship.isKeptApart else { continue }
            let members = relationship.isOrdered && !isDeleted ? object.toManyMembers(at: relationship.index) : nil
            changes.toMany.append(
                StoreChanges.LinkChanges(
                    layout: object.layout, relationship: relationship, source: object.reference,
                    // The members that a deleted object had gained may never have been saved themselves.
                    added: isDeleted ? [] : toMany.added.references,
                    removed: toMany.removed.filter { $0.hasPermanentKey }.references,
                    order: members?.references))
        }
    }

    // MARK: After the transaction

    /// Marks the objects as saved: assigns their permanent keys and new versions.
    func commit(_ keys: SavedKeys, in context: NSManagedObjectContext) {
        context.adoptPermanentKeys(keys, of: inserted, in: store)
        let hasChildren = !context.children.isEmpty
        // Rows that refer to new objects can be updated only once all have their permanent keys.
        inserted.forEachUnretained { object in
            object.resolveReferences()
            let version = object._row.map { EntityLayout.version($0) } ?? 0
            object.didCommit(version: version + 1)
            if hasChildren { context.noteVersion(of: object, from: version, to: version + 1) }
        }
        var position = 0
        updated.forEachUnretained { object in
            object.resolveReferences()
            let version = object._row.map { EntityLayout.version($0) } ?? 0
            object.didCommit(version: isWritten[position] ? version + 1 : version)
            if hasChildren, isWritten[position] {
                context.noteVersion(of: object, from: version, to: version + 1)
            }
            position += 1
        }
        deleted.forEachUnretained { $0.didCommitDeletion() }
        if context.retainsRegisteredObjects { context.registry.retain(inserted) }
        if !keys.recomputed.isEmpty {
            let saved = Set((inserted + updated).map(ObjectIdentifier.init))
            context.takeOverComputedValues(keys.recomputed, in: store, besides: saved)
        }
    }
}

extension [StoreChanges.Group] {
    @inline(__always)
    fileprivate mutating func add(
        _ row: StoreChanges.Row, of object: NSManagedObject, _ groups: inout [Int: Int], _ expected: Int
    ) {
        // Nearly always all rows are of one entity.
        if !isEmpty, ObjectIdentifier(self[count - 1].layout) == object.layoutIdentifier {
            self[count - 1].append(row)
        } else {
            addToOther(row, of: object.layout, &groups, expected)
        }
    }

    @inline(never)
    private mutating func addToOther(
        _ row: StoreChanges.Row, of layout: EntityLayout, _ groups: inout [Int: Int], _ expected: Int
    ) {
        dropUnused()
        // The dictionary is used from the second entity on.
        if count == 1 { groups[self[0].layout.number] = 0 }
        if let index = groups[layout.number] {
            self[index].append(row)
        } else {
            if !isEmpty { groups[layout.number] = count }
            append(StoreChanges.Group(layout: layout, expecting: isEmpty ? expected : 0))
            self[count - 1].append(row)
        }
    }
}

extension [StoreChanges.Group] {
    /// Removes the unused group of an earlier save, which leaves one group at most.
    @inline(__always)
    fileprivate mutating func dropUnused() {
        if count == 1, self[0].rows.isEmpty { removeAll(keepingCapacity: true) }
    }

    @inline(__always)
    fileprivate mutating func reset() {
        if count == 1 {
            self[0].removeRows()
        } else if !isEmpty {
            self = []
        }
    }
}

extension StoreChanges {
    /// Removes all changes. The group of a single entity stays, for the rows of another save.
    fileprivate func reset() {
        inserts.reset()
        updates.reset()
        deletes.reset()
        locked.reset()
        if !toMany.isEmpty { toMany = [] }
        author = nil
        contextName = nil
        metadata = nil
    }
}

extension ContiguousArray<NSManagedObject> {
    fileprivate var references: ContiguousArray<RowReference> { ContiguousArray<RowReference>(lazy.map(\.reference)) }
}

extension EntityLayout.Relationship {
    /// True if the store keeps members, or their order, apart from the rows; one-to-many relationships are stored in the rows
    /// of the other side.
    var isKeptApart: Bool {
        guard !description.isTransient else { return false }
        guard let inverse = description.inverseRelationship else { return true }
        return inverse.isToMany || isOrdered
    }
}

extension NSManagedObject {
    /// Replaces the temporary keys of new objects in to-one cells by their permanent keys.
    @inline(__always)
    final func resolveReferences() {
        guard let row = _row else { return }
        _extraReference?._withUnsafeGuaranteedRef { extra in
            if !extra.relationships.isEmpty { resolveReferences(in: row, extra) }
        }
    }

    @inline(never)
    private func resolveReferences(in row: UnsafeMutableRawPointer, _ extra: ObjectExtra) {
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
    /// Refreshes objects in memory for which the save made the store compute values. Those that the save did not include are
    /// reported as refreshed.
    fileprivate final func takeOverComputedValues(
        _ references: ContiguousArray<RowReference>, in store: any RowStore, besides saved: Set<ObjectIdentifier>
    ) {
        let layouts = layouts
        let objects = references.compactMap { reference -> NSManagedObject? in
            guard let layout = layouts.byNumber[reference.entityNumber] else { return nil }
            return table(of: layout, in: store).uniquing.object(for: reference.key)
        }
        let present = objects.filter { $0._row != nil && !$0._state.isDeleted && !$0._state.isErased }
        var lost: [LostDestination] = []
        guard let rows = try? freshRows(of: present) else {
            // They are saved. Computed values are read on access.
            for object in present {
                object.turnIntoFault()
                if !saved.contains(ObjectIdentifier(object)) { noteRefreshed(object) }
            }
            return
        }
        for (object, row) in rows {
            object.rebase(on: row, &lost, keepsRelationships: true)
            if !saved.contains(ObjectIdentifier(object)) { noteRefreshed(object) }
        }
    }
}
