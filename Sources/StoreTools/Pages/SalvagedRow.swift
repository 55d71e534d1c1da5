/// A row that was read from a page of a table without SQLite.
///
/// Values are as stored: a whole number in a column of type `REAL` or `FLOAT` is an integer, and an `INTEGER PRIMARY
/// KEY` is null. Text that is not valid in the database's encoding is a blob of its bytes.
package struct SalvagedRow: Sendable {
    /// The page of the row's cell.
    package let page: Int
    /// The row's key (`rowid`).
    package let key: Int64
    /// The values. Those of columns that were added to the table later may be missing at the end, as may those that
    /// could not be read if the row is not complete.
    package let values: [StoredValue]
    /// The number of values of the record, including those that could not be read.
    package let columnCount: Int
    /// True if all values could be read, and their sizes agree with the size of the record.
    package let isComplete: Bool
}

/// The table to which a page belongs.
package enum PageOwner: Sendable, Hashable {
    /// The page is reachable from this root.
    case tree(root: Int)
    /// The page is not reachable, or its keys do not belong to its place. The parents in the pointer map lead to this
    /// root; or a damaged page below this root names it, or misses a page with its range of keys.
    case pointerMap(root: Int)
    /// The page is on a consistent freelist, or the pointer map says that it is free. Its rows were deleted.
    case free
    case unknown
}

/// A row of `sqlite_schema`.
package struct SchemaEntry: Sendable, Hashable {
    /// `table`, `index`, `trigger` or `view`.
    package let type: String
    package let name: String
    package let table: String
    /// The root page; 0 if it has none, or the number is not that of a page.
    package let rootPage: Int
    package let sql: String?
}
