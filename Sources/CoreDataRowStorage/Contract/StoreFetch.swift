import PredicateFormat

/// A fetch for a store: the request with its entity resolved.
package struct StoreFetch {
    package var layout: EntityLayout
    package var includesSubentities: Bool
    package var predicate: NSPredicate?
    package var sortDescriptors: [NSSortDescriptor]
    /// The fetch limit; 0 for no limit. Never negative.
    package var limit: Int
    /// The fetch offset. Never negative.
    package var offset: Int
    /// The rarely used properties, boxed so that copying other fetches costs less.
    @usableFromInline var box: Box?

    @usableFromInline final class Box {
        let table: FetchTable?
        let source: AnyObject?
        @usableFromInline let interruption: FetchInterruption?

        init(_ table: FetchTable?, _ source: AnyObject?, _ interruption: FetchInterruption?) {
            self.table = table
            self.source = source
            self.interruption = interruption
        }
    }

    /// The columns and groups of a fetch of dictionaries.
    package var table: FetchTable? { box?.table }
    /// The request that ``table`` was made from, for stores that pass it to the program's code; the graph's own object.
    package var source: AnyObject? { box?.source }
    /// The conditions that end the fetch early; nil for most fetches.
    @inlinable package var interruption: FetchInterruption? {
        get { box?.interruption }
        set { if newValue != nil || box != nil { box = Box(box?.table, box?.source, newValue) } }
    }

    /// Creates a fetch of all rows of an entity and of its subentities.
    package init(layout: EntityLayout) {
        self.layout = layout
        includesSubentities = true
        sortDescriptors = []
        limit = 0
        offset = 0
    }

    /// Returns how many rows from the first contain the result if up to `replaced` of them are not part of it; 0 for all
    /// rows.
    package func rowsToRead(replaced: Int = 0) -> Int {
        guard limit > 0 else { return 0 }
        let (rows, isTooMany) = limit.addingReportingOverflow(offset)
        let (all, isFarTooMany) = rows.addingReportingOverflow(replaced)
        return isTooMany || isFarTooMany ? 0 : all
    }

    /// Returns the fetch without its offset, for a caller that merges other objects into the rows before it applies the
    /// limit.
    ///
    /// - Parameter replaced: the maximum number of rows that other objects replace.
    package func beginning(replaced: Int = 0) -> StoreFetch {
        var fetch = self
        (fetch.limit, fetch.offset) = (rowsToRead(replaced: replaced), 0)
        return fetch
    }

    package mutating func addTable(_ table: FetchTable, source: AnyObject) {
        box = Box(table, source, interruption)
    }
}
