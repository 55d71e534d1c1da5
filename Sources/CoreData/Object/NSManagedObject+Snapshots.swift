import CoreDataRowStorage

// Changed values, and their previous values.

extension NSManagedObject {
    /// Returns the values that differ from those last fetched or saved; for a new object, from its values at insertion.
    final func unsavedValues() -> [String: Any] {
        guard _state.isInserted else { return changedValues(where: differsFromCommitted) }
        let start = valuesAtInsertion
        return changedValues { self.differs(self.layout.cells[$0], from: start) }
    }

    /// Returns the values set since the object was last fetched or saved; for a new object, including those set to the values
    /// it had.
    final func assignedValues() -> [String: Any] { changedValues(where: differsFromCommitted) }

    /// The row that a new object had when it was inserted.
    private final var valuesAtInsertion: RowSnapshot {
        _extra?.insertionStart ?? layout.defaults.snapshot(layout)
    }

    private final func changedValues(where isChanged: (Int) -> Bool) -> [String: Any] {
        guard hasUnsavedChanges else { return [:] }
        var result: [String: Any] = [:]
        for case let toMany as ToMany in _extra?.relationships ?? [] where toMany.hasChanges {
            result[toMany.relationship.name] = collection(of: loadedToMany(at: toMany.relationship.index))
        }
        let layout = layout
        forEachChangedCell { index in
            guard isChanged(index) else { return }
            let name = layout.cells[index].propertyName
            result[name] = value(of: layout.members[name]!) ?? NSNull()
        }
        return result
    }

    /// Returns the previous values of properties changed in the current change-processing pass, or in the one being reported.
    final func valuesBeforeEvent() -> [String: Any] {
        if _state.contains(.inEvent) {
            let start = ChangeNotice.EventStart(row: _extra?.eventStart, members: _extra?.changedMembers ?? [])
            return values(before: start, isDeletion: !_state.contains(.deletionReported))
        }
        guard let start = context?.reportedNotice?.start(of: self) else { return [:] }
        return values(before: start, isDeletion: true)
    }

    /// Returns the values that differ from the start of a pass.
    ///
    /// - Parameter isDeletion: Whether the object, if it is to be deleted, was not before the pass.
    private final func values(before event: ChangeNotice.EventStart, isDeletion: Bool) -> [String: Any] {
        guard let row = _row else { return [:] }
        var result: [String: Any] = [:]
        let start = event.row ?? lastSnapshot
        let layout = layout
        for cell in layout.cells {
            let changed =
                if let start {
                    differs(cell, from: start)
                } else {
                    EntityLayout.isPresent(row, cell.index) || _extra?.boxed[cell.index] != nil
                }
            guard changed else { continue }
            let name = cell.propertyName
            result[name] = start.flatMap { snapshotValue(of: layout.members[name]!, $0) } ?? NSNull()
        }
        for (index, members) in event.members {
            let relationship = layout.relationships[index]
            result[relationship.name] = relationship.collection(of: members)
        }
        if isDeletion, _state.isDeleted, _state.contains(.propagated) { addNullified(to: &result) }
        return result
    }

    /// Adds the relationships nullified by the object's deletion. They are still readable on this side.
    private final func addNullified(to result: inout [String: Any]) {
        for relationship in layout.rulesOfDeletion
        where relationship.deleteRule == .nullify && result[relationship.name] == nil {
            if !relationship.isToMany {
                result[relationship.name] = toOne(at: relationship.index)
            } else if isMaterialised(relationship.index), !toMany(at: relationship.index).isFault {
                let members = toMany(at: relationship.index).members
                if !members.isEmpty { result[relationship.name] = relationship.collection(of: members) }
            }
        }
    }

    /// Returns true if a cell differs from its value in a snapshot.
    final func differs(_ cell: EntityLayout.Cell, from start: RowSnapshot) -> Bool {
        guard let row = _row, let slab = _slab else { return false }
        if cell.kind == .boxed { return !AttributeValues.areEqual(_extra?.boxed[cell.index], start.boxed[cell.index]) }
        return !cellsAgree(cell.index, row, slab, start.row, start.slab)
    }

    /// The row at the start of the pass; nil if the object was inserted in it.
    final var eventStartSnapshot: RowSnapshot? { _extra?.eventStart ?? lastSnapshot }

    /// The row at the start of a pass in which the object had no private row.
    private final var lastSnapshot: RowSnapshot? {
        if let committed = _extra?.committed { return committed }
        return _state.isInserted ? nil : currentSnapshot
    }

    final func savedValues(forKeys keys: [String]?) -> [String: Any] {
        guard !_state.isInserted, _tableReference != nil, realise() else { return [:] }
        let layout = layout
        var result: [String: Any] = [:]
        let committed = committedSnapshot
        for name in keys ?? layout.persistentKeys {
            switch layout.members[name] {
            case .toMany(let index):
                let toMany = loadedToMany(at: index)
                let members = toMany.committedMembers ?? toMany.members
                result[name] = toMany.relationship.collection(of: members)
            case .cell, .composite:
                let value = committed.flatMap { snapshot in
                    keys == nil
                        ? readableSnapshotValue(of: layout.members[name]!, snapshot)
                        : snapshotValue(of: layout.members[name]!, snapshot)
                }
                result[name] = value ?? NSNull()
            case .fetched, nil: break
            }
        }
        return result
    }

    // MARK: Values of other rows

    /// Returns the value of an attribute or to-one relationship in a snapshot; managed objects for the latter.
    final func snapshotValue(of member: EntityLayout.Member, _ snapshot: RowSnapshot) -> Any? {
        switch member {
        case .cell(let index): snapshotValue(layout.cells[index], snapshot)
        case .composite(_, let cells): composite(cells) { snapshotValue($0, snapshot) }
        case .toMany, .fetched: nil
        }
    }

    final func snapshotValue(_ cell: EntityLayout.Cell, _ snapshot: RowSnapshot) -> Any? {
        if let boxed = snapshot.boxed[cell.index] { return boxed }
        guard EntityLayout.isPresent(snapshot.row, cell.index) else { return nil }
        let bits = layout.bits(snapshot.row, cell.index)
        guard cell.kind == .reference else {
            if let file = layout.file(snapshot.row, cell.index) { return externalValueOrNil(file, cell) }
            let value = CellCoding.decode(bits, as: cell, in: snapshot.slab)
            if value == nil, cell.kind == .transformable { requireTransformer(of: cell) }
            return value
        }
        guard let table = _table, let context, let object = context.object(RowReference(bits: bits), near: table),
            context.isDestination(object, of: layout.relationships[cell.relationshipIndex])
        else { return nil }
        return object
    }

    /// Returns the attributes and to-one relationships (as object IDs) of a row, in the form of conflict snapshots; `NSNull`
    /// for nil.
    final func conflictSnapshot(
        _ snapshot: RowSnapshot, where isWanted: (String) -> Bool = { _ in true }
    ) -> [String: Any] {
        var result: [String: Any] = [:]
        for name in layout.persistentKeys where isWanted(name) {
            let value = readableSnapshotValue(of: layout.members[name]!, snapshot)
            result[name] = (value as? NSManagedObject)?.identifier ?? value ?? NSNull()
        }
        return result
    }
}

extension EntityLayout {
    /// The names of the persistent attributes and to-one relationships.
    var persistentKeys: [String] {
        members.names.filter { name in
            switch members[name] {
            case .cell(let index): !cells[index].isTransient
            case .composite?: members[name]?.composite?.isTransient == false
            case .toMany, .fetched, nil: false
            }
        }
    }
}

extension EntityLayout.Cell {
    /// The name of the property that the cell belongs to: the cell's, or that of the composite attribute it is an element of.
    var propertyName: String { composite?.name ?? name }
}

extension EntityLayout.Relationship {
    /// Returns members as the collection that key-value coding uses.
    func collection(of members: ContiguousArray<NSManagedObject>) -> Any {
        isOrdered ? NSOrderedSet(array: Array(members)) : NSSet(array: Array(members))
    }
}
