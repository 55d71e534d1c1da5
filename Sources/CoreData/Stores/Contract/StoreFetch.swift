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
    private let table: Table?

    private final class Table {
        let propertiesToFetch: [Any]?
        let propertiesToGroupBy: [Any]?
        let havingPredicate: NSPredicate?
        let returnsDistinctResults: Bool

        init(_ settings: FetchSettings) {
            propertiesToFetch = settings.propertiesToFetch
            propertiesToGroupBy = settings.propertiesToGroupBy
            havingPredicate = settings.havingPredicate
            returnsDistinctResults = settings.returnsDistinctResults
        }
    }

    // Dictionary results only:
    /// Names, property descriptions or expression descriptions.
    package var propertiesToFetch: [Any]? { table?.propertiesToFetch }
    package var propertiesToGroupBy: [Any]? { table?.propertiesToGroupBy }
    package var havingPredicate: NSPredicate? { table?.havingPredicate }
    package var returnsDistinctResults: Bool { table?.returnsDistinctResults ?? false }

    /// All rows of an entity and of those below it.
    package init(layout: EntityLayout) {
        self.layout = layout
        includesSubentities = true
        sortDescriptors = []
        limit = 0
        offset = 0
        table = nil
    }

    /// What a request asks for, of that entity. Never part of its caller, which would make it elsewhere and copy it.
    @inline(never)
    init(layout: EntityLayout, _ request: FetchRequestBase) {
        // Settings are read one by one: passed on as a whole, they would be copied.
        self.layout = layout
        includesSubentities = request.settings.includesSubentities
        predicate = request.settings.predicate
        sortDescriptors = request.settings.sortDescriptors ?? []
        limit = request.settings.fetchLimit
        offset = request.settings.fetchOffset
        let isPlain =
            request.settings.propertiesToFetch == nil && request.settings.propertiesToGroupBy == nil
            && request.settings.havingPredicate == nil && !request.settings.returnsDistinctResults
        table = isPlain ? nil : Table(request.settings)
    }
}
