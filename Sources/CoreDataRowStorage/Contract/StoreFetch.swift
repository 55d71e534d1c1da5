import PredicateFormat

/// A fetch as a store sees it: the request with its entity resolved.
package struct StoreFetch {
    package var layout: EntityLayout
    package var includesSubentities: Bool
    package var predicate: NSPredicate?
    package var sortDescriptors: [NSSortDescriptor]
    /// 0 for no limit.
    package var limit: Int
    package var offset: Int
    /// What only some requests say, in a box so that copies of the others cost less.
    private var box: Box?

    private final class Box {
        let table: FetchTable
        let source: AnyObject

        init(_ table: FetchTable, _ source: AnyObject) {
            self.table = table
            self.source = source
        }
    }

    /// For dictionary results.
    package var table: FetchTable? { box?.table }
    /// The request behind ``table``, for stores that give it to the program's code; the graph's own object.
    package var source: AnyObject? { box?.source }

    /// All rows of an entity and of those below it.
    package init(layout: EntityLayout) {
        self.layout = layout
        includesSubentities = true
        sortDescriptors = []
        limit = 0
        offset = 0
    }

    package mutating func addTable(_ table: FetchTable, source: AnyObject) { box = Box(table, source) }
}
