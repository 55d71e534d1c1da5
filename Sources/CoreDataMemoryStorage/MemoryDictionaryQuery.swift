import CoreDataRowStorage
import Foundation
import PredicateFormat

/// A fetch of dictionaries over rows in memory.
struct MemoryDictionaryQuery {
    private let fetch: StoreFetch
    private let table: FetchTable
    private let world: MemoryObject.World
    private let query: MemoryQuery
    private let columns: [MemoryColumn]
    private let groupPaths: [[String]]

    init(_ fetch: StoreFetch, in world: MemoryObject.World) throws {
        self.fetch = fetch
        table = fetch.table ?? FetchTable()
        var rows = fetch
        (rows.sortDescriptors, rows.limit, rows.offset) = ([], 0, 0)
        query = try MemoryQuery(rows, in: world)
        self.world = world
        let check = KeyPathCheck(fetch.layout, world.state.layouts)
        columns = try MemoryColumn.columns(of: fetch, check: check)
        groupPaths = try table.groups.map { column in
            let path = MemoryColumn.path(of: column)
            try check.check(path: path)
            return path
        }
        let names = Set(columns.lazy.map(\.name).filter { !$0.contains(".") })
        for descriptor in fetch.sortDescriptors where !names.contains(descriptor.key ?? "") {
            try check.check(descriptor)
        }
        if !groupPaths.isEmpty {
            try checkGrouping()
        } else if table.having != nil {
            throw StoreErrors.invalidRequest(
                "A fetch request with a having predicate must have properties to group by.", entity: fetch.layout.name)
        }
    }

    private func checkGrouping() throws {
        for column in columns where !column.isAggregate {
            guard case .path(let path) = column.column.content, !groupPaths.contains(path) else { continue }
            throw StoreErrors.invalidRequest(
                "SELECT clauses in queries with GROUP BY components can only contain properties named in the GROUP BY or "
                    + "aggregate functions (\(column.name) is neither)", entity: fetch.layout.name, key: column.name)
        }
    }

    /// Runs the query.
    ///
    /// - Parameter object: Creates the object that represents a row among the values.
    func results(object: (RowReference) -> Any) throws -> [[String: Any]] {
        let objects = try query.matches().map { MemoryObject(world, $0.row, key: $0.key) }
        let columnNames = Set(columns.map(\.name))
        var results: [ResultRow] = []
        var seen: Set<[ValueKey]> = []
        for group in groups(of: objects) {
            var values: [String: Any] = [:]
            for column in columns { values[column.name] = try column.value(of: group, fetch.layout) }
            let result = ResultRow(values: values, first: group.first)
            if let having = table.having,
                try !AggregateResolver(group, columns: columnNames).resolve(having).holds(for: result)
            {
                continue
            }
            if table.isDistinct, !seen.insert(columns.map({ ValueKey(ofAny: values[$0.name]) })).inserted {
                continue
            }
            results.append(result)
        }
        if !fetch.sortDescriptors.isEmpty {
            results = try MemorySort(fetch.sortDescriptors, fetch.interruption).order(results).map { results[$0] }
        }
        let rest = results.dropFirst(fetch.offset)
        return (fetch.limit > 0 ? rest.prefix(fetch.limit) : rest).map { result in
            result.values.mapValues { ($0 as? MemoryObject).map { object($0.reference) } ?? $0 }
        }
    }

    /// Returns the objects of each dictionary.
    private func groups(of objects: [MemoryObject]) -> [[MemoryObject]] {
        if groupPaths.isEmpty {
            return columns.contains(where: \.isAggregate) ? [objects] : objects.map { [$0] }
        }
        var places: [[ValueKey]: Int] = [:]
        var groups: [[MemoryObject]] = []
        for object in objects {
            let key = groupPaths.map { ValueKey(ofAny: MemoryColumn.follow($0, from: object)) }
            if let place = places[key] {
                groups[place].append(object)
            } else {
                places[key] = groups.count
                groups.append([object])
            }
        }
        return groups
    }
}

/// A dictionary of the result with its first object, for sorting and the HAVING predicate. Objects among the values are not
/// converted yet.
private final class ResultRow: NSObject {
    let values: [String: Any]
    private let first: MemoryObject?

    init(values: [String: Any], first: MemoryObject?) {
        self.values = values
        self.first = first
    }

    func value(forKey key: String) -> Any? {
        if key == "self" || key == "SELF" { return first }
        return values[key] ?? first?.value(forKey: key)
    }
}

extension ResultRow: KeyValueCoding {}
