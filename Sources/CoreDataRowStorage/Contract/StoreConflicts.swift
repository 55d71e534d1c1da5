/// The conflicts found by a save, because another writer has committed first.
package struct StoreConflicts: Error, @unchecked Sendable {
    /// A row with another version than the context knows.
    package struct Changed {
        package var layout: EntityLayout
        package var key: Int64
        package var knownVersion: UInt32
        /// The row as it is in the store now; nil if it was deleted.
        package var current: (row: UnsafeMutableRawPointer, slab: RowSlab)?

        package init(
            layout: EntityLayout, key: Int64, knownVersion: UInt32,
            current: (row: UnsafeMutableRawPointer, slab: RowSlab)? = nil
        ) {
            self.layout = layout
            self.key = key
            self.knownVersion = knownVersion
            self.current = current
        }
    }
    /// A uniqueness constraint that a row of this save violates.
    package struct Duplicate {
        package var layout: EntityLayout
        package var constraint: [String]
        /// The key of the row in this save (temporary if it is an insert).
        package var key: Int64
        /// The row in the store that already has the values.
        package var existing: RowReference

        package init(layout: EntityLayout, constraint: [String], key: Int64, existing: RowReference) {
            self.layout = layout
            self.constraint = constraint
            self.key = key
            self.existing = existing
        }
    }
    package var changed: [Changed] = []
    package var duplicates: [Duplicate] = []

    package init() {}
}
