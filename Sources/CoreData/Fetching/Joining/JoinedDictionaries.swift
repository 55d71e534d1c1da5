import CoreDataRowStorage
import PredicateFormat

/// Merges the dictionary results of several stores: sorts them, removes duplicates, and applies limit and offset, as one store
/// would.
struct JoinedDictionaries {
    private let request: FetchRequestBase
    private let fetch: StoreFetch
    private let table: FetchTable

    init(_ request: FetchRequestBase, _ fetch: StoreFetch) {
        self.request = request
        self.fetch = fetch
        table = fetch.table ?? FetchTable()
    }

    /// Returns the merged rows.
    ///
    /// - Parameter fetched: Executes a fetch in all stores.
    /// - Throws: The errors of the stores; `NSCoreDataError` for aggregates that cannot be computed from those of each store.
    func rows(_ fetched: (StoreFetch) throws -> [[String: Any]]) throws -> [[String: Any]] {
        guard table.groups.isEmpty, !table.hasAggregates else {
            let totals = try JoinedTotals(request, fetch)
            return finish(try totals.rows(fetched), hiding: totals.hiddenNames)
        }
        let names = table.columns?.map(\.name) ?? fetch.layout.columnNames
        let hidden = DictionaryOrder.names(fetch.sortDescriptors).filter { !names.contains($0) }
        let part = request.copy() as! FetchRequestBase
        if !hidden.isEmpty { part.propertiesToFetch = (part.propertiesToFetch ?? names) + hidden }
        part.fetchOffset = 0
        // Rows that differ only in a hidden value are duplicates: the number of rows needed is unknown.
        let isUncut = fetch.limit == 0 || table.isDistinct && !hidden.isEmpty
        part.fetchLimit = isUncut ? 0 : fetch.rowsToRead()
        var partFetch = try StoreFetch(layout: fetch.layout, part)
        partFetch.interruption = fetch.interruption
        return finish(try fetched(partFetch), hiding: hidden)
    }

    private func finish(_ rows: [[String: Any]], hiding hidden: [String]) -> [[String: Any]] {
        var rows = DictionaryOrder(fetch.sortDescriptors).sorted(rows)
        if !hidden.isEmpty {
            for index in rows.indices { for name in hidden { rows[index][name] = nil } }
        }
        if table.isDistinct {
            var seen: Set<[String: ValueKey]> = []
            rows.removeAll { !seen.insert($0.mapValues { ValueKey(ofAny: $0) }).inserted }
        }
        let rest = rows.dropFirst(fetch.offset)
        return Array(fetch.limit > 0 ? rest.prefix(fetch.limit) : rest)
    }
}

extension FetchTable {
    /// True if a column is an aggregate of several rows.
    fileprivate var hasAggregates: Bool {
        columns?.contains { column in
            guard case .expression(let node, _) = column.content else { return false }
            return node.containsAggregate
        } ?? false
    }
}

extension EntityLayout {
    /// The properties in the dictionaries of a fetch that names none.
    var columnNames: [String] {
        var names: Set<String> = []
        return cells.compactMap { cell in
            let name = cell.compositeName ?? cell.name
            return cell.isTransient || cell.kind == .boxed || !names.insert(name).inserted ? nil : name
        }
    }
}
