/// Why a save could not be written: somebody else got there first.
package struct StoreConflicts: Error, @unchecked Sendable {
    /// A row whose version is no longer the one the context knows.
    package struct Changed {
        package var layout: EntityLayout
        package var key: Int64
        package var knownVersion: UInt32
        /// The row as it is in the store now; nil when it is gone.
        package var current: (row: UnsafeMutableRawPointer, slab: RowSlab)?
    }
    /// A uniqueness constraint that a row of this save hits.
    package struct Duplicate {
        package var layout: EntityLayout
        package var constraint: [String]
        /// Key of the row in this save (temporary if it is an insert).
        package var key: Int64
        /// The row in the store that holds the values already.
        package var existing: RowReference
    }
    package var changed: [Changed] = []
    package var duplicates: [Duplicate] = []

    package init() {}
}
