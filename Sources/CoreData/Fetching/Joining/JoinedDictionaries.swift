import CoreDataRowStorage
import PredicateFormat

/// A fetch of dictionaries from several stores, whose rows are put together, ordered, told apart and cut as those of one.
struct JoinedDictionaries {
    private let request: FetchRequestBase
    private let fetch: StoreFetch
    private let table: FetchTable

    init(_ request: FetchRequestBase, _ fetch: StoreFetch) {
        self.request = request
        self.fetch = fetch
        table = fetch.table ?? FetchTable()
    }

    /// - Parameter fetched: Gives what all stores find.
    /// - Throws: As one of the stores, and `NSCoreDataError` for totals that do not follow from those of each store.
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
        // Rows that differ in a hidden value alone are one: how many of them are needed is not known.
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
    /// True where a column combines several rows.
    fileprivate var hasAggregates: Bool {
        columns?.contains { column in
            guard case .expression(let node, _) = column.content else { return false }
            return node.containsAggregate
        } ?? false
    }
}

extension EntityLayout {
    /// The properties that dictionaries have if their fetch names none.
    var columnNames: [String] {
        var names: Set<String> = []
        return cells.compactMap { cell in
            let name = cell.compositeName ?? cell.name
            return cell.isTransient || cell.kind == .boxed || !names.insert(name).inserted ? nil : name
        }
    }
}
