import CoreDataRowStorage

// Saving into a parent context.

extension NSManagedObjectContext {
    /// Moves all changes into the parent, where they are unsaved.
    ///
    /// - Throws: The error of the merge policy if the parent has deleted changed objects; errors of the store.
    final func save(into parent: NSManagedObjectContext) throws {
        try resolveDeletions(in: parent)
        try requireStoresOfChanges()
        var outcome = SaveOutcome()
        var transfers: [Transfer] = []
        for object in changedObjects {
            let state = object._state
            if state.life == .discarded { continue }
            if state.isDeleted {
                outcome.deleted.append(object)
            } else if state.isInserted {
                outcome.inserted.append(object)
            } else {
                outcome.updated.append(object)
            }
            transfers.append(Transfer(object))
        }
        let moved = transfers
        try throwReadError()
        try inParent(parent) {
            // The parent has no unsaved change that was made from placeholders.
            if !parent.hasUnsavedChanges { parent.takeReadError() }
            // The context does not retain unchanged objects.
            let read = try parent.readWhatChanges(with: moved)
            withExtendedLifetime(read) {
                parent.receive(moved, from: self)
                parent.processPendingChanges()
            }
        }
        for object in outcome.inserted + outcome.updated {
            object.didCommit(version: object._row.map { EntityLayout.version($0) } ?? 0)
        }
        for object in outcome.deleted { object.didCommitDeletion() }
        if retainsRegisteredObjects { registry.retain(outcome.inserted) }
        publish(outcome)
    }

    /// Runs the merge policy for changed objects that the parent has deleted.
    private final func resolveDeletions(in parent: NSManagedObjectContext) throws {
        let edited = changedObjects.filter {
            !$0._state.isInsertedOrDeleted && $0.hasChangesOfItsOwn
        }
        guard !edited.isEmpty else { return }
        let lost = try inParent(parent) { try edited.filter { !(try parent.holds($0)) } }
        guard !lost.isEmpty else { return }
        let report = ConflictReport(self, StoreConflicts(deleted: lost))
        // The parent's unsaved deletion cannot be undone from here.
        let isPending = inParent(parent) {
            lost.contains { parent.counterpart(of: $0)?._state.isDeleted == true }
        }
        // All rows were deleted from the store, by any context.
        let isOfStore = !isPending && lost.allSatisfy { $0.hasPermanentKey }
        let policy = isOfStore ? policyForMissingRows : mergePolicy as! NSMergePolicy
        if isPending, policy.letsObjectsWin { throw report.unresolvedError }
        defer { saves.forgetConflicts() }
        try report.resolve(by: policy)
        reapplyDeleteRules()
        processPendingChanges()
    }

    /// The merge policy for edits of rows that were deleted from the store: this context's, or, if that reports errors only,
    /// the one of the ancestor on the store, which would meet the conflict next.
    private final var policyForMissingRows: NSMergePolicy {
        let policy = mergePolicy as! NSMergePolicy
        let decides = policy.mergeType != .errorMergePolicyType || type(of: policy) != NSMergePolicy.self
        guard !decides, let parent else { return policy }
        return inParent(parent) { parent.policyForMissingRows }
    }

    /// Returns true if this context has a child's object and does not delete it.
    ///
    /// - Throws: Errors of the store, which is read if the object is not in memory.
    final func holds(_ object: NSManagedObject) throws -> Bool {
        guard let counterpart = counterpart(of: object) else { return false }
        return try !counterpart._state.isEnding && counterpart.realiseOrThrow()
    }

    /// The changes of one object for the parent. The child waits while they are read, so its memory may be accessed.
    fileprivate struct Transfer {
        let object: NSManagedObject
        let changedCells: [Int]

        var hasChanges: Bool { !changedCells.isEmpty || object.hasToManyChanges }

        init(_ object: NSManagedObject) {
            self.object = object
            guard !object._state.isDeleted else {
                changedCells = []
                return
            }
            _ = object.keepRealChanges()
            var cells: [Int] = []
            object.forEachChangedCell { cells.append($0) }
            changedCells = object.layout.withWholeComposites(cells)
        }

        /// The to-many relationships that gained or lost members.
        var changedToMany: [ToMany] {
            object._extra?.relationships.compactMap { contents in
                guard let toMany = contents as? ToMany, toMany.hasChanges else { return nil }
                return toMany
            } ?? []
        }

        /// Calls `body` with the objects added to, or removed from, the changed relationships, as far as the child has loaded
        /// them.
        func forEachEnd(_ body: (NSManagedObject, EntityLayout.Relationship) -> Void) {
            guard !object._state.isDeleted, let extra = object._extra, !extra.relationships.isEmpty else { return }
            for index in changedCells where object.layout.cells[index].kind == .reference {
                let relationship = object.layout.relationships[object.layout.cells[index].relationshipIndex]
                if let end = extra.relationships[relationship.index] as? NSManagedObject { body(end, relationship) }
            }
            for case let toMany as ToMany in extra.relationships where toMany.hasChanges {
                for end in toMany.added { body(end, toMany.relationship) }
                for end in toMany.removed { body(end, toMany.relationship) }
            }
        }
    }

    /// Reads everything that receiving the changes needs, before the first is received, so that they are applied completely or
    /// not at all.
    ///
    /// - Returns: The objects, to be retained until the changes are received.
    /// - Throws: Errors of the store.
    fileprivate final func readWhatChanges(with transfers: [Transfer]) throws -> [NSManagedObject] {
        var objects: [NSManagedObject] = []
        var ends: [(NSManagedObject, EntityLayout.Relationship)] = []
        for transfer in transfers where transfer.object._state.isDeleted || transfer.hasChanges {
            if let object = counterpart(of: transfer.object) { objects.append(object) }
            transfer.forEachEnd { end, relationship in
                // Without an inverse the destination does not change.
                guard relationship.description.inverseRelationship != nil, let object = counterpart(of: end) else {
                    return
                }
                objects.append(object)
                if let inverse = relationship.inverseToOne { ends.append((object, inverse)) }
            }
        }
        try loadRows(of: objects)
        for transfer in transfers where !transfer.object._state.isDeleted && transfer.hasChanges {
            guard let object = counterpart(of: transfer.object), object._row != nil else { continue }
            for index in transfer.changedCells where object.layout.cells[index].kind == .reference {
                let relationship = object.layout.relationships[object.layout.cells[index].relationshipIndex]
                guard relationship.description.inverseRelationship != nil else { continue }
                if let end = object.toOne(at: relationship.index) { objects.append(end) }
            }
            for toMany in transfer.changedToMany where toMany.isReadToChange {
                _ = try object.loadToMany(at: toMany.relationship.index)
            }
        }
        for (object, inverse) in ends where object._row != nil {
            if let end = object.toOne(at: inverse.index) { objects.append(end) }
        }
        try loadRows(of: objects)
        // Rows known to be deleted are not read again either.
        for object in objects where object.lacksRow { _ = try object.realiseOrThrow() }
        return objects
    }

    fileprivate final func receive(_ transfers: [Transfer], from child: NSManagedObjectContext) {
        // New objects first: others may refer to them.
        let counterparts = transfers.map { transfer -> NSManagedObject? in
            let isNew = transfer.object._state.isInserted
            return isNew ? receiveInsertion(of: transfer.object) : counterpart(of: transfer.object)
        }
        rest(transfers, counterparts, of: child)
        for (transfer, counterpart) in zip(transfers, counterparts) {
            guard let counterpart, !transfer.object._state.isDeleted else { continue }
            guard transfer.hasChanges else { continue }
            counterpart.receive(transfer.changedCells, from: transfer.object, in: self)
        }
        for (transfer, counterpart) in zip(transfers, counterparts) where transfer.object._state.isDeleted {
            if let counterpart { delete(counterpart) }
        }
    }

    /// Bases the changes on the rows that the child has read, before the first is received: setting inverses changes other
    /// objects too.
    private final func rest(
        _ transfers: [Transfer], _ counterparts: [NSManagedObject?], of child: NSManagedObjectContext
    ) {
        for (transfer, counterpart) in zip(transfers, counterparts)
        where transfer.object._state.isDeleted || transfer.hasChanges { counterpart?.realise() }
        // Reading may have queued versions saved by ancestors, which are no conflict.
        applyParentChanges()
        child.applyParentChanges()
        for (transfer, counterpart) in zip(transfers, counterparts) {
            guard let counterpart, let base = transfer.object.committedSnapshot else { continue }
            if transfer.object._state.isDeleted {
                counterpart.rest(on: base, changing: nil)
            } else if !transfer.changedCells.isEmpty {
                counterpart.rest(on: base, changing: transfer.changedCells)
            }
        }
    }

    /// Returns this context's object for a child's new object. If the child deleted and restored it under the same key, its
    /// deletion may be pending here: then it is cancelled, and the object takes the child's values.
    private final func receiveInsertion(of object: NSManagedObject) -> NSManagedObject {
        guard let waiting = counterpart(of: object), waiting._state.life == .deleted else {
            return insertCounterpart(of: object)
        }
        takeBackDeletion(of: waiting)
        // The deletion has already removed it from the inverse relationships.
        for relationship in waiting.layout.relationships {
            if relationship.isToMany {
                waiting.setToMany([], at: relationship.index)
            } else {
                waiting.setToOne(nil, at: relationship.index)
            }
        }
        return waiting
    }

    /// Inserts an object for a child's new object, under the same key.
    private final func insertCounterpart(of object: NSManagedObject) -> NSManagedObject {
        let layout = object.layout
        let copy = localObject(for: object)
        let (row, slab) = registry.makeRow(bytes: layout.ownRowBytes)
        memcpy(row, object._row!, layout.ownRowBytes)
        layout.copyHeap(from: object._slab!, of: row, to: slab)
        // Relationships are set one by one, which sets their inverses.
        for relationship in layout.relationships where relationship.cell >= 0 { layout.clear(row, relationship.cell) }
        copy.adopt(row, in: slab)
        if let boxed = object._extra?.boxed, !boxed.isEmpty { copy.extra.boxed = boxed }
        if let store = object._extra?.assignedStore { copy.extra.assignedStore = store }
        // The row of an object that a child restores may have been found missing here.
        copy._state.subtract([.fault, .inaccessible, .fired])
        copy.move(to: .inserted)
        copy._state.insert(.ownsRow)
        copy.allowDirectReads()
        changes.enlist(copy)
        if !copy._state.contains(.inEvent) { joinEvent(copy) }
        return copy
    }
}

extension EntityLayout.Relationship {
    /// The inverse if it is a to-one relationship: a new member leaves its former owner.
    fileprivate var inverseToOne: EntityLayout.Relationship? {
        guard let description = description.inverseRelationship, !description.isToMany else { return nil }
        let owner = EntityLayout.of(description.entity)
        return owner.relationshipIndex(named: description.name).map { owner.relationships[$0] }
    }

}

extension ToMany {
    /// True if the parent reads the members before it receives these changes.
    fileprivate var isReadToChange: Bool {
        !removed.isEmpty || relationship.isOrdered || relationship.description.inverseRelationship?.isToMany != false
    }
}

extension NSManagedObject {
    /// True if the object has a change that no change of another object implies: of an attribute, or of a relationship without
    /// inverse.
    fileprivate final var hasChangesOfItsOwn: Bool {
        guard keepRealChanges() else { return false }
        var result = false
        forEachChangedCell { index in
            let cell = layout.cells[index]
            guard cell.kind == .reference else {
                if !cell.isTransient { result = true }
                return
            }
            let relationship = layout.relationships[cell.relationshipIndex]
            if relationship.description.inverseRelationship == nil { result = true }
        }
        if result { return true }
        return _extra?.relationships.contains {
            guard let toMany = $0 as? ToMany, toMany.hasChanges else { return false }
            return toMany.relationship.description.inverseRelationship == nil
        } ?? false
    }

    /// Applies a child's changes, which override unsaved ones of this context.
    fileprivate final func receive(
        _ changedCells: [Int], from child: NSManagedObject, in context: NSManagedObjectContext
    ) {
        let layout = layout
        beginChange()
        guard _state.contains(.ownsRow), let source = child._row, let sourceSlab = child._slab else { return }
        let isNew = _state.isInserted && child._state.isInserted
        for index in changedCells {
            let cell = layout.cells[index]
            if cell.kind == .reference {
                receiveToOne(cell, from: child, context)
                continue
            }
            guard !isNew else { continue }
            copyCell(cell, from: source, in: sourceSlab)
            if cell.kind == .boxed || cell.kind == .transformable {
                extra.setBoxed(child._extra?.boxed[index], at: index)
            }
        }
        for case let toMany as ToMany in child._extra?.relationships ?? [] where toMany.hasChanges {
            receiveToMany(toMany, context)
        }
    }

    private final func receiveToOne(
        _ cell: EntityLayout.Cell, from child: NSManagedObject, _ context: NSManagedObjectContext
    ) {
        let destination = child.toOne(at: cell.relationshipIndex).flatMap { context.counterpart(of: $0) }
        setToOne(destination, at: cell.relationshipIndex)
    }

    private final func receiveToMany(_ toMany: ToMany, _ context: NSManagedObjectContext) {
        let index = toMany.relationship.index
        // The inverses of a deleted member are changed by its deletion, which comes last.
        let leavesByRule = toMany.relationship.description.inverseRelationship?.deleteRule == .nullifyDeleteRule
        for member in toMany.removed where !(leavesByRule && member._state.isDeleted) {
            if let counterpart = context.counterpart(of: member) { removeFromMany(counterpart, at: index) }
        }
        for member in toMany.added {
            if let counterpart = context.counterpart(of: member) { addToMany(counterpart, at: index) }
        }
        guard toMany.relationship.isOrdered else { return }
        let order = toMany.knownOrder.compactMap { context.counterpart(of: $0) }
        let known = Set(order.map(ObjectIdentifier.init))
        let members = toManyMembers(at: index)
        let present = Set(members.map(ObjectIdentifier.init))
        // Members that only the parent knows stay: after those that the child has ordered, before those it added.
        let others = members.filter { !known.contains(ObjectIdentifier($0)) }
        let placed = ContiguousArray(order.filter { present.contains(ObjectIdentifier($0)) })
        setToMany(toMany.isFault && !toMany.orderChanged ? others + placed : placed + others, at: index)
    }
}
