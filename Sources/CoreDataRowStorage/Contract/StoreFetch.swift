import PredicateFormat

/// A fetch as a store sees it: the request with its entity resolved.
package struct StoreFetch {
    package var layout: EntityLayout
    package var includesSubentities: Bool
    package var predicate: NSPredicate?
    package var sortDescriptors: [NSSortDescriptor]
    /// 0 for no limit; never negative.
    package var limit: Int
    /// Never negative.
    package var offset: Int
    /// What only some requests say, in a box so that copies of the others cost less.
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

    /// For dictionary results.
    package var table: FetchTable? { box?.table }
    /// The request behind ``table``, for stores that give it to the program's code; the graph's own object.
    package var source: AnyObject? { box?.source }
    /// What ends the fetch early; nil for most, which run to their end.
    @inlinable package var interruption: FetchInterruption? {
        get { box?.interruption }
        set { if newValue != nil || box != nil { box = Box(box?.table, box?.source, newValue) } }
    }

    /// All rows of an entity and of those below it.
    package init(layout: EntityLayout) {
        self.layout = layout
        includesSubentities = true
        sortDescriptors = []
        limit = 0
        offset = 0
    }

    /// How many rows, from the first one, hold the result when up to `replaced` of them are no part of it; 0 for all rows.
    package func rowsToRead(replaced: Int = 0) -> Int {
        guard limit > 0 else { return 0 }
        let (rows, isTooMany) = limit.addingReportingOverflow(offset)
        let (all, isFarTooMany) = rows.addingReportingOverflow(replaced)
        return isTooMany || isFarTooMany ? 0 : all
    }

    /// The fetch of the rows that the result is cut from, for who has other objects to put among them first.
    ///
    /// - Parameter replaced: how many of the rows, at most, make way for other objects.
    package func beginning(replaced: Int = 0) -> StoreFetch {
        var fetch = self
        (fetch.limit, fetch.offset) = (rowsToRead(replaced: replaced), 0)
        return fetch
    }

    package mutating func addTable(_ table: FetchTable, source: AnyObject) {
        box = Box(table, source, interruption)
    }
}
