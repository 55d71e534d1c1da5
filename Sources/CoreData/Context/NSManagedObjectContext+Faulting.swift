import CoreDataRowStorage

// The sources of rows and relationship members for a firing fault: the parent or the store.

extension NSManagedObjectContext {
    /// Gives a fault its row. Returns false if there is no row; then the object reads as deleted or the program stops,
    /// depending on ``shouldDeleteInaccessibleFaults``. Also returns false if the row could not be read; the error is recorded,
    /// and the next access tries again.
    final func loadRow(of object: NSManagedObject) -> Bool {
        if object._state.contains(.inaccessible) {
            object._state.insert(.fired)
            return false
        }
        do {
            if try loadRowOrThrow(of: object) { return true }
        } catch {
            note(readError: error, of: object)
            return false
        }
        noteMissingRow(of: object)
        return false
    }

    /// Makes a fault with a deleted row read as deleted, or stops the program, depending on ``shouldDeleteInaccessibleFaults``.
    final func noteMissingRow(of object: NSManagedObject) {
        guard shouldHandleInaccessibleFault(object, for: object.objectID, triggeredByProperty: nil) else {
            fatalError(
                "CoreData could not fulfill a fault for '\(object.objectID.uriRepresentation().absoluteString)'. Its row was deleted. Keep shouldDeleteInaccessibleFaults on, or use existingObject(with:) to find out."
            )
        }
        object._state.formUnion([.inaccessible, .fired])
    }

    /// Reads the row of a fault. Returns false if there is none.
    final func loadRowOrThrow(of object: NSManagedObject) throws -> Bool {
        guard Probe.isOn else { return try readRow(of: object) }
        return try Probe.fault(object, self) { try readRow(of: object) }
    }

    private final func readRow(of object: NSManagedObject) throws -> Bool {
        // The object may have moved to another store.
        handleRemovals()
        guard arrivals.lostStores.isEmpty || !isLost(object) else { return false }
        if !batches.isEmpty, object.hasPermanentKey {
            try loadBatch(with: object)
            if object._row != nil { return true }
        }
        if let parent {
            return try inParent(parent) { try parent.lendRow(to: object, of: self) }
        }
        guard let table = object._table, let store = table.store, object.hasPermanentKey else { return false }
        if object._row == nil {
            try reading(store) { try $0.readRows(keys: [object._key], of: table.layout, into: FaultSink(object)) }
        }
        return object._row != nil
    }

    /// Returns the members of a to-many relationship as saved, or as in the parent.
    final func storedMembers(
        of object: NSManagedObject, _ relationship: EntityLayout.Relationship
    ) throws -> ContiguousArray<NSManagedObject> {
        guard Probe.isOn else { return try readMembers(of: object, relationship) }
        return try Probe.relationshipFault(object, relationship, self) { try readMembers(of: object, relationship) }
    }

    private final func readMembers(
        of object: NSManagedObject, _ relationship: EntityLayout.Relationship
    ) throws -> ContiguousArray<NSManagedObject> {
        handleRemovals()
        if let parent {
            return try inParent(parent) {
                try parent.counterpart(of: object).map { borrow(try parent.members(of: $0, relationship)) } ?? []
            }
        }
        guard let table = object._table, let store = table.store, object.hasPermanentKey else { return [] }
        if store.deliversRows {
            // The members' rows are read with their keys; a query for each member on access would cost far more.
            let sink = FetchSink(self, store: store)
            let keys: ContiguousArray = [object._key]
            let isRead: Void? = try? reading(store) {
                try $0.readToManyRows(relationship, of: table.layout, keys: keys, into: sink) { _ in }
            }
            if isRead != nil { return destinations(ContiguousArray(sink.takeObjects()), of: relationship) }
            // The row of a member is unreadable; the keys of the members can be read without it.
        }
        let references = try reading(store) { try $0.readToMany(relationship, of: table.layout, key: object._key) }
        return destinations(ContiguousArray(references.compactMap { self.object($0, near: table) }), of: relationship)
    }

    // MARK: Destinations

    /// Returns true if the relationship may refer to the object. In a damaged file a key may belong to another entity's row,
    /// and generated accessors assume that every destination has the declared class.
    @inline(__always)
    final func isDestination(_ object: NSManagedObject, of relationship: EntityLayout.Relationship) -> Bool {
        object.layout.number == relationship.destinationNumber || isDescendant(object, of: relationship)
    }

    @inline(never)
    private final func isDescendant(_ object: NSManagedObject, of relationship: EntityLayout.Relationship) -> Bool {
        guard let destination = layouts.byNumber[relationship.destinationNumber] else { return true }
        return object.layout.isKind(of: destination)
    }

    /// Returns the members that a to-many relationship may refer to. If the destination is a root entity, all rows of its table
    /// qualify.
    final func destinations(
        _ members: ContiguousArray<NSManagedObject>, of relationship: EntityLayout.Relationship
    ) -> ContiguousArray<NSManagedObject> {
        guard let destination = layouts.byNumber[relationship.destinationNumber], !destination.isRoot,
            !members.allSatisfy({ isDestination($0, of: relationship) })
        else { return members }
        return members.filter { isDestination($0, of: relationship) }
    }

    // MARK: Parents

    /// Returns this context's object for a child's object; nil if there is none.
    final func counterpart(of object: NSManagedObject) -> NSManagedObject? {
        if object._key < 0 { return unsavedObject(object._key) }
        guard let table = object._table, let store = table.store else { return nil }
        return self.table(of: table.layout, in: store).object(for: object._key)
    }

    /// Returns this context's object for an object of its parent.
    final func localObject(for original: NSManagedObject) -> NSManagedObject {
        if original._key < 0 { return unsavedTable(of: original.layout).object(for: original._key) }
        guard let table = original._table, let store = table.store else {
            preconditionFailure("A parent's object with a permanent ID belongs to a store.")
        }
        return self.table(of: table.layout, in: store).object(for: original._key)
    }

    /// Returns this context's objects for a relationship's members in the parent, with the rows that the parent has in memory.
    private final func borrow(_ members: ContiguousArray<NSManagedObject>) -> ContiguousArray<NSManagedObject> {
        ContiguousArray(members.lazy.filter { !$0._state.isEnding }.map { self.borrow($0) })
    }

    /// Copies this context's values, unsaved ones included, to a child's fault. Runs on this context's queue while the child
    /// waits.
    private final func lendRow(to object: NSManagedObject, of child: NSManagedObjectContext) throws -> Bool {
        guard let original = counterpart(of: object), !original._state.isDeleted, try original.realiseOrThrow() else {
            return false
        }
        object.borrow(from: original, for: child)
        return object._row != nil
    }

    /// Copies this context's values to several faults of a child, reading missing rows together. Objects with deleted rows stay
    /// faults.
    final func lendRows(to objects: [NSManagedObject], of child: NSManagedObjectContext) throws {
        let originals = objects.map { counterpart(of: $0) }
        try loadRows(of: originals.compactMap { $0 })
        for (object, original) in zip(objects, originals) {
            guard let original, !original.lacksRow, !original._state.isDeleted, try original.realiseOrThrow() else {
                continue
            }
            object.borrow(from: original, for: child)
        }
    }

    /// Fills a to-many relationship of several objects of a child with this context's members, reading missing members
    /// together.
    final func lendMembers(
        _ relationship: EntityLayout.Relationship, to objects: [NSManagedObject], of child: NSManagedObjectContext,
        materialisesEmpty: Bool
    ) throws {
        let originals = objects.map { counterpart(of: $0) }
        for (table, group) in Self.groupedByTable(originals.compactMap { $0 }) {
            try prefetchToMany(relationship, of: group, table, loadsRows: false)
        }
        for (object, original) in zip(objects, originals) {
            let members = try original.map { try self.members(of: $0, relationship) } ?? []
            if !members.isEmpty || materialisesEmpty || object.isMaterialised(relationship.index) {
                object.toMany(at: relationship.index).fill(child.borrow(members))
            }
        }
    }

    /// Returns the members of a to-many relationship for a child, without reading the object's own row.
    private final func members(
        of object: NSManagedObject, _ relationship: EntityLayout.Relationship
    ) throws -> ContiguousArray<NSManagedObject> {
        let members = try object.loadToMany(at: relationship.index).members
        // Merges skip faults, so a fault must not keep members that may become outdated.
        if object._row == nil, !object.hasToManyChanges { object.materialise(nil, at: relationship.index) }
        return members
    }
}

extension NSManagedObject {
    /// Takes the values of the same object in a parent context.
    final func borrow(from original: NSManagedObject, for context: NSManagedObjectContext) {
        guard let snapshot = original.sharedSnapshot else { return }
        adopt(snapshot.row, in: snapshot.slab)
        if !snapshot.boxed.isEmpty { extra.boxed = snapshot.boxed }
        if snapshot.row != original._row, leadsToUnsaved {
            context.arrivals.note(lent: self)
        }
    }

    private var leadsToUnsaved: Bool {
        guard let row = _row else { return false }
        return layout.relationships.contains { relationship in
            relationship.cell >= 0 && EntityLayout.isPresent(row, relationship.cell)
                && RowReference(bits: layout.bits(row, relationship.cell)).isTemporary
        }
    }
}

extension NSManagedObject {
    /// Returns true if a row of the entity fits this object.
    @inline(__always)
    final func takesRow(of entityNumber: Int) -> Bool {
        layout.number == entityNumber || takesRow(ofDescendant: entityNumber)
    }

    /// Returns true if the row of a descendant entity fits this object. An ID may name an ancestor of the row's entity; the
    /// ancestor's cells are the first ones of the row.
    @inline(never)
    private final func takesRow(ofDescendant entityNumber: Int) -> Bool {
        guard let actual = context?.layouts.byNumber[entityNumber] else { return false }
        return actual.isKind(of: layout) && actual.bitWords == layout.bitWords
    }
}

/// A sink that receives the row of one fault.
final class FaultSink: RowSink {
    private let object: NSManagedObject

    init(_ object: NSManagedObject) { self.object = object }

    func next(entityNumber: Int, key: Int64) -> RowDecision {
        key == object._key && object.takesRow(of: entityNumber) ? .take : .skip
    }

    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) { object.adopt(row, in: slab) }
}
