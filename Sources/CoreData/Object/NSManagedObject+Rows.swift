import CoreDataRowStorage

// Loading an object's row, and creating its private copy.

extension EntityLayout {
    /// Returns the layout of an entity. The first use of any entity of a model freezes the model.
    package static func of(_ entity: NSEntityDescription) -> EntityLayout {
        if let layout = entity.layoutStorage { return unsafeDowncast(layout, to: EntityLayout.self) }
        guard let model = entity.model else {
            preconditionFailure(
                "The entity \(entity.name ?? "without a name") belongs to no model. Add it to an NSManagedObjectModel before making objects of it."
            )
        }
        _ = model.layouts
        return entity.layoutStorage as! EntityLayout
    }
}

extension NSManagedObject {
    final var layout: EntityLayout {
        if let table = _tableReference { return table._withUnsafeGuaranteedRef { $0.layout } }
        let address = UnsafeRawPointer(bitPattern: Int(_key)).unsafelyUnwrapped
        return EntityLayout.of(Unmanaged<NSEntityDescription>.fromOpaque(address).takeUnretainedValue())
    }

    /// The ``layout`` as an unmanaged reference, to avoid retain/release: the model retains it.
    @inline(__always)
    final var layoutReference: Unmanaged<EntityLayout> {
        if let table = _tableReference { return table._withUnsafeGuaranteedRef { $0.layoutReference } }
        return .passUnretained(layout)
    }

    final var context: NSManagedObjectContext? { contextReference?.takeUnretainedValue() }

    /// The ``context`` as an unmanaged reference, to avoid retain/release.
    @inline(__always)
    final var contextReference: Unmanaged<NSManagedObjectContext>? {
        guard !_state.isOut else { return nil }
        return _tableReference?._withUnsafeGuaranteedRef { $0.contextReference }
    }

    final var extra: ObjectExtra { extraReference.takeUnretainedValue() }

    /// The ``extra`` as an unmanaged reference, to avoid retain/release.
    @inline(__always)
    final var extraReference: Unmanaged<ObjectExtra> { _attachment.extra ?? makeExtra() }

    @inline(never)
    private func makeExtra() -> Unmanaged<ObjectExtra> {
        let extra = ObjectExtra()
        extra.table = _attachment.table
        let reference = Unmanaged.passRetained(extra)
        _attachment = ObjectAttachment(reference)
        return reference
    }

    /// The identity of the object's layout; nil for free-standing objects.
    @inline(__always)
    final var layoutIdentifier: ObjectIdentifier? {
        _tableReference?._withUnsafeGuaranteedRef { ObjectIdentifier($0.layout) }
    }

    /// The reference that to-one cells contain for this object. Free-standing objects have no key yet: the save corrects their
    /// cells.
    final var reference: RowReference {
        guard let table = _table else { return RowReference(entityNumber: 0, key: .min) }
        return RowReference(entityNumber: table.layout.number, key: _key)
    }

    // MARK: Realizing

    /// Loads the values of a fault. Returns false if there is nothing to load: the object is detached, or its row was deleted.
    @discardableResult
    final func realise() -> Bool {
        realiseAtHand() || realiseSlowly()
    }

    /// Loads the values of a fault as ``realise()``, but throws errors.
    ///
    /// - Throws: Errors of the store. The next access tries again.
    final func realiseOrThrow() throws -> Bool {
        if _row == nil, let context, !_state.isOut, !_state.contains(.inaccessible) {
            guard try context.loadRowOrThrow(of: self) else {
                context.noteMissingRow(of: self)
                return false
            }
        }
        return realise()
    }

    /// True if the row is in memory or known to be deleted; otherwise it could not be read, and the context has recorded the
    /// error.
    @inline(__always)
    final var isReadable: Bool { realiseAtHand() || isReadableWithoutRow }

    @inline(never)
    private final var isReadableWithoutRow: Bool {
        let count = context?.readErrors.count
        return realise() || context?.readErrors.count == count
    }

    /// Realizes a fault with a row in memory, from the fetch that created it. Returns false if there is more to do.
    @inline(__always)
    final func realiseAtHand() -> Bool {
        guard _row != nil, !ConcurrencyChecks.isOn, !_state.isOut else { return false }
        guard _state.contains(.fault) else { return true }
        if Probe.isOn { return false }
        guard _attachment.table?._withUnsafeGuaranteedRef({ $0.limitsAge }) != true else { return false }
        becomeRealised()
        return true
    }

    @inline(never)
    private final func realiseSlowly() -> Bool {
        if _row != nil, !_state.contains(.fault) {
            if ConcurrencyChecks.isOn { _table?.context?.checkQueue(self) }
            return true
        }
        if _state.isOut { return false }
        guard let table = _table else {
            materialiseDetached()
            return true
        }
        guard let context = table.context else { return false }
        context.checkQueue(self)
        if _row != nil, context.isStale(self) { turnIntoFault() }
        if _row == nil {
            guard context.loadRow(of: self) else { return false }
        } else if Probe.isOn {
            Probe.hit(self)
        }
        becomeRealised()
        return true
    }

    /// Marks the object as realized: its row is in memory, and values may be read.
    @inline(__always)
    final func becomeRealised() {
        guard _state.contains(.fault) else { return }
        if _attachment.table?._withUnsafeGuaranteedRef({ $0.lacksTransients }) == true { restoreTransients() }
        allowDirectReads()
        _state = _state.subtracting(.fault).union(.awaking)
        awakeFromFetch()
        _state.remove(.awaking)
        if _state.contains(.ownsRow) { forgetChangesOfAwaking() }
    }

    /// Sets the default values of transient attributes that are nil, in a private copy of the row, because rows are shared.
    @inline(never)
    final func restoreTransients() {
        guard let defaults = layout.transientDefaults, _row != nil else { return }
        if !_state.contains(.ownsRow) { makeOwnRow() }
        defaults.fill(self, layout)
    }

    /// Clears the changes made while values were loaded.
    @inline(never)
    private func forgetChangesOfAwaking() {
        if let row = _row { memset(row + layout.changedOffset, 0, layout.bitWords * 8) }
    }

    @inline(__always)
    final func allowDirectReads() {
        if !ConcurrencyChecks.isOn {
            _readTag = _attachment.table?._withUnsafeGuaranteedRef { $0.tag } ?? layout.tag
        }
    }

    @inline(__always)
    final func allowDirectWrites() {
        if _readTag != 0 { _state.insert(.writable) }
    }

    /// Disables direct access to the row, for an object that loses its values or its context.
    final func forbidDirectAccess() {
        noteUnannouncedValues()
        _readTag = 0
        _state.remove(.writable)
    }

    /// Gives a free-standing object a private row with the default values.
    private func materialiseDetached() {
        let layout = layout
        let slab = RowSlab(rowBytes: layout.ownRowBytes * 2)
        adopt(makeDefaultRow(layout, in: slab), in: slab)
        _state.insert(.ownsRow)
        allowDirectReads()
    }

    /// Returns a new row with the entity's default values and change bits.
    final func makeDefaultRow(_ layout: EntityLayout, in slab: RowSlab) -> UnsafeMutableRawPointer {
        let row = slab.makeRow(bytes: layout.ownRowBytes)!
        (row + 4).storeBytes(of: UInt32(layout.changedOffset), as: UInt32.self)
        layout.defaults.apply(to: row, in: slab, of: self, layout)
        return row
    }

    @inline(__always)
    final func adopt(_ row: UnsafeMutableRawPointer, in slab: consuming RowSlab) {
        _row = row
        _slab = slab
    }

    // MARK: The private row

    /// Gives the object a private row to change, a copy in the context's slab.
    final func makeOwnRow() { makeOwnRow(in: contextReference) }

    /// Gives the object a private row, in a known context; nil for a free-standing object.
    final func makeOwnRow(in context: Unmanaged<NSManagedObjectContext>?) {
        let (row, slab) = layoutReference._withUnsafeGuaranteedRef { copyRow($0, in: context) }
        if !_state.contains(.ownsRow) {
            extraReference._withUnsafeGuaranteedRef { extra in
                // The reference to the slab is moved, without retain/release.
                extra.committed = RowSnapshot(row: _row!, slab: _slab.take()!, boxed: extra.boxed)
            }
            _state.insert(.ownsRow)
        }
        adopt(row, in: slab)
    }

    /// Returns a copy of the current row with change bits, copied if the object has some already.
    private func copyRow(
        _ layout: EntityLayout, in context: Unmanaged<NSManagedObjectContext>?
    ) -> (UnsafeMutableRawPointer, RowSlab) {
        let old = _row!
        let slab: RowSlab
        let row: UnsafeMutableRawPointer
        // The context's slabs live long, and would keep external files of values that have been replaced.
        let namesFiles = _slab.unsafelyUnwrapped.namesFiles
        if let context, !namesFiles {
            (row, slab) = context._withUnsafeGuaranteedRef { $0.registry.makeRow(bytes: layout.ownRowBytes) }
        } else {
            slab = RowSlab(rowBytes: layout.ownRowBytes * 2)
            slab.isOpen = context != nil
            row = slab.makeRow(bytes: layout.ownRowBytes)!
        }
        memcpy(row, old, _state.contains(.ownsRow) ? layout.ownRowBytes : layout.rowBytes)
        (row + 4).storeBytes(of: UInt32(layout.changedOffset), as: UInt32.self)
        let oldSlab = Unmanaged.passUnretained(_slab.unsafelyUnwrapped)
        if oldSlab.toOpaque() != Unmanaged.passUnretained(slab).toOpaque() {
            oldSlab._withUnsafeGuaranteedRef { oldSlab in
                // Text in an immutable slab is shared. The copy's slab does not share in turn, because one would keep the other
                // alive indefinitely.
                if slab.isOpen, !oldSlab.isOpen, !namesFiles, !_state.contains(.ownsRow) {
                    slab.borrow(from: oldSlab)
                } else {
                    layout.copyHeap(from: oldSlab, of: row, to: slab)
                }
            }
        }
        return (row, slab)
    }

    /// Returns the slab of the object's private row, with room for `bytes` more; a row in a slab that has grown large moves to
    /// a new one.
    @usableFromInline
    final func ownSlab(adding bytes: Int) -> RowSlab {
        let slab = _slab.unsafelyUnwrapped
        if RowArena.hasRoom(slab, for: bytes) { return slab }
        let (row, fresh) = copyRow(layout, in: contextReference)
        adopt(row, in: fresh)
        return fresh
    }

    final var changedOffset: Int { layoutReference._withUnsafeGuaranteedRef { $0.changedOffset } }

    /// Calls `body` with the index of each cell that changed since the last save.
    final func forEachChangedCell(_ body: (Int) -> Void) {
        guard _state.contains(.ownsRow), let row = _row else { return }
        let layout = layout
        for word in 0..<layout.bitWords {
            var bits = row.load(fromByteOffset: layout.changedOffset + word << 3, as: UInt64.self)
            while bits != 0 {
                body(word << 6 + bits.trailingZeroBitCount)
                bits &= bits - 1
            }
        }
    }

    final func isCellChanged(_ index: Int) -> Bool {
        guard _state.contains(.ownsRow), let row = _row else { return false }
        return row.load(fromByteOffset: changedOffset + (index >> 6) << 3, as: UInt64.self) & (1 << UInt64(index & 63))
            != 0
    }
}

extension NSManagedObject {
    /// Copies one cell of a row with the same layout to the object's private row, as a change. The change must have been
    /// announced.
    final func copyCell(_ cell: EntityLayout.Cell, from source: UnsafeRawPointer, in slab: RowSlab) {
        let layout = layout
        if EntityLayout.isPresent(source, cell.index) {
            var bits = layout.bits(source, cell.index)
            if cell.kind.usesHeap {
                let range = HeapRange(bits: bits)
                bits = ownSlab(adding: range.count).append(range, of: slab).bits
            }
            layout.set(_row!, cell.index, bits)
        } else {
            layout.clear(_row!, cell.index)
        }
        markCellChanged(cell.index)
    }
}

extension EntityLayout {
    /// Copies the text and bytes that a row refers to from one slab to another, and updates the row.
    func copyHeap(from old: RowSlab, of row: UnsafeMutableRawPointer, to slab: RowSlab) {
        for index in heapCells where EntityLayout.isPresent(row, index) {
            let range = slab.append(HeapRange(bits: bits(row, index)), of: old)
            row.storeBytes(of: range.bits, toByteOffset: cellsOffset + index << 3, as: UInt64.self)
        }
    }

    /// Returns a copy of a row in a separate slab, without change bits.
    func copyRow(_ row: UnsafeRawPointer, in slab: RowSlab) -> (UnsafeMutableRawPointer, RowSlab) {
        let copySlab = RowSlab(rowBytes: rowBytes)
        let copy = copySlab.makeRow(bytes: rowBytes)!
        memcpy(copy, row, rowBytes)
        (copy + 4).storeBytes(of: 0, as: UInt32.self)
        copyHeap(from: slab, of: copy, to: copySlab)
        return (copy, copySlab)
    }
}
