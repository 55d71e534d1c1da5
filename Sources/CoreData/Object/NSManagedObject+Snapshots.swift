extension NSManagedObject {
    /// Properties changed since the last fetch or save, with their new values; `NSNull` for nil.
    public final func changedValues() -> [String: Any] {
        guard _state.contains(.ownsRow), _row != nil else { return toManyChanges() }
        var result = toManyChanges()
        let layout = layout
        forEachChangedCell { index in
            let cell = layout.cells[index]
            if let composite = cell.composite {
                result[composite.name] = value(of: layout.members[composite.name]!) ?? NSNull()
            } else {
                result[cell.name] = value(of: .cell(index)) ?? NSNull()
            }
        }
        return result
    }

    private func toManyChanges() -> [String: Any] {
        var result: [String: Any] = [:]
        for case let toMany as ToMany in _extra?.relationships ?? [] where toMany.hasChanges {
            result[toMany.relationship.name] = collection(of: loadedToMany(at: toMany.relationship.index))
        }
        return result
    }

    /// Properties changed since changes were last processed, with the values they had before; `NSNull` for nil.
    public final func changedValuesForCurrentEvent() -> [String: Any] {
        guard _state.contains(.inEvent), let row = _row, let slab = _slab else { return [:] }
        var result: [String: Any] = [:]
        let start = eventStartSnapshot
        let layout = layout
        for cell in layout.cells {
            let changed =
                start.map { !layout.cellsEqual(cell.index, row, slab, $0.row, $0.slab) }
                ?? EntityLayout.isPresent(row, cell.index)
            guard changed else { continue }
            let name = cell.composite?.name ?? cell.name
            result[name] = start.flatMap { snapshotValue(cell, $0) } ?? NSNull()
        }
        for case let toMany as ToMany in _extra?.relationships ?? [] {
            if let members = toMany.eventStartMembers { result[toMany.relationship.name] = Set(members) }
        }
        return result
    }

    /// The row at the start of the event; nil if the object was inserted in it.
    final var eventStartSnapshot: ObjectExtra.Snapshot? { _extra?.eventStart ?? _extra?.committed }

    /// The values fetched or saved last; `NSNull` for nil.
    ///
    /// - Parameter keys: Property names; nil for all attributes and to-one relationships.
    public final func committedValues(forKeys keys: [String]?) -> [String: Any] {
        guard realise() else { return [:] }
        let layout = layout
        let names =
            keys
            ?? layout.members.keys.filter { name in
                switch layout.members[name]! {
                case .cell(let index): !layout.cells[index].isTransient
                case .composite: true
                default: false
                }
            }
        var result: [String: Any] = [:]
        let committed = committedSnapshot
        for name in names {
            switch layout.members[name] {
            case .cell(let index):
                result[name] = committed.flatMap { snapshotValue(layout.cells[index], $0) } ?? NSNull()
            case .toMany(let index):
                let toMany = loadedToMany(at: index)
                let members = _state.contains(.inserted) ? [] : toMany.committedMembers ?? toMany.members
                result[name] =
                    toMany.relationship.isOrdered ? NSOrderedSet(array: Array(members)) as Any : Set(members) as Any
            case .composite(let composite, let cells):
                result[name] =
                    committed.flatMap { snapshot in
                        var dictionary: [String: Any] = [:]
                        for index in cells {
                            dictionary[layout.cells[index].elementPath.joined(separator: ".")] = snapshotValue(
                                layout.cells[index], snapshot)
                        }
                        return dictionary.isEmpty ? nil : dictionary
                    } ?? NSNull()
                _ = composite
            default: break
            }
        }
        return result
    }

    /// The value of a cell in a snapshot; managed objects for to-one relationships.
    final func snapshotValue(_ cell: EntityLayout.Cell, _ snapshot: ObjectExtra.Snapshot) -> Any? {
        if let boxed = snapshot.boxed[cell.index] { return boxed }
        guard EntityLayout.isPresent(snapshot.row, cell.index) else { return nil }
        let bits = layout.bits(snapshot.row, cell.index)
        guard cell.kind == .reference else { return CellCoding.decode(bits, as: cell, in: snapshot.slab) }
        guard let table = _table else { return nil }
        return context?.object(RowReference(bits: bits), near: table)
    }

    /// Attributes and to-one relationships (as object IDs) of a row, the form conflicts are described in.
    final func conflictSnapshot(_ snapshot: ObjectExtra.Snapshot) -> [String: Any] {
        var result: [String: Any] = [:]
        for cell in layout.cells where !cell.isTransient {
            let value = snapshotValue(cell, snapshot)
            result[cell.name] = (value as? NSManagedObject)?.objectID ?? value ?? NSNull()
        }
        return result
    }
}
