import CoreDataRowStorage

// The initial values of a new object.

extension DefaultValues {
    /// Sets the default values in the row of a new object.
    @inline(__always)
    func apply(
        to row: UnsafeMutableRawPointer, in slab: RowSlab, of object: NSManagedObject, _ layout: EntityLayout
    ) {
        apply(to: row, in: slab, layout)
        if !boxed.isEmpty { giveBoxed(to: object) }
    }

    @inline(never)
    private func giveBoxed(to object: NSManagedObject) {
        for (index, value) in boxed { object.extra.setBoxed(value, at: index) }
    }

    /// Sets the default values that a private copy of an object's row lacks.
    func fill(_ object: NSManagedObject, _ layout: EntityLayout) {
        guard let row = object._row, let slab = object._slab else { return }
        fill(row, in: slab, layout)
        for (index, value) in boxed where object._extra?.boxed[index] == nil {
            object.extra.setBoxed(value, at: index)
        }
    }
}
