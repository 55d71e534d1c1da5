import CoreDataRowStorage
import PredicateFormat

/// Aggregates over several stores, for each group of rows, combined from the aggregates of each store.
struct JoinedTotals {
    private typealias Column = (name: String, node: ExpressionNode, kind: CellKind?)

    private let fetch: StoreFetch
    private let part: FetchRequestBase
    private var totals: [JoinedTotal] = []
    /// The columns computed from aggregates, which are replaced by variables.
    private var computed: [Column] = []
    private var having: PredicateNode?
    /// The names of values that need no aggregation.
    private var plain: [String] = []
    private let groups: [String]
    /// The names of values that the fetch does not ask for.
    private(set) var hiddenNames: [String] = []

    /// Creates the columns for a request.
    ///
    /// - Throws: `NSCoreDataError` for values that cannot be computed from each store's aggregates.
    init(_ request: FetchRequestBase, _ fetch: StoreFetch) throws {
        self.fetch = fetch
        part = request.copy() as! FetchRequestBase
        let table = fetch.table ?? FetchTable()
        groups = table.groups.map(\.name)
        let given = request.settings.propertiesToFetch ?? fetch.layout.columnNames
        let columns = table.columns ?? fetch.layout.columnNames.map { FetchColumn(name: $0, content: .path([$0])) }
        var properties: [Any] = []
        for (column, property) in zip(columns, given) {
            if case .expression(let node, let kind) = column.content, node.containsAggregate {
                computed.append((column.name, try replaceAggregates { try node.replacing($0) }, kind))
            } else {
                properties.append(property)
                plain.append(column.name)
            }
        }
        for (group, property) in zip(groups, request.settings.propertiesToGroupBy ?? []) where !plain.contains(group) {
            properties.append(property)
            plain.append(group)
            if !columns.contains(where: { $0.name == group }) { hiddenNames.append(group) }
        }
        if !groups.isEmpty {
            having = try table.having.map { predicate in
                try replaceAggregates { try predicate.node.replacing($0) }
            }
            part.havingPredicate = nil
            try checkOrder()
        }
        part.propertiesToFetch = properties + totals.flatMap(\.parts)
        part.sortDescriptors = nil
        (part.fetchLimit, part.fetchOffset, part.returnsDistinctResults) = (0, 0, false)
    }

    private mutating func replaceAggregates<Node>(
        _ replace: ((ExpressionNode) throws -> ExpressionNode?) throws -> Node
    ) throws -> Node {
        var found: [JoinedTotal] = []
        let start = totals.count
        let entity = fetch.layout
        let node = try replace { node in
            guard let (function, argument) = node.aggregateOfRows else { return nil }
            let total = try JoinedTotal(function, of: argument, number: start + found.count, entity)
            found.append(total)
            return .variable(total.name)
        }
        totals += found
        return node
    }

    private func checkOrder() throws {
        let known = plain + computed.map(\.name)
        for name in DictionaryOrder.names(fetch.sortDescriptors) where !known.contains(name) {
            throw Self.unsupported(
                "the order by \(name), which is neither fetched nor grouped by,", fetch.layout, key: name)
        }
    }

    static func unsupported(_ what: String, _ layout: EntityLayout, key: String? = nil) -> NSError {
        CoreDataError.make(
            NSCoreDataError, description: "The fetch request cannot be executed on several stores.",
            reason: "For each group of rows, \(what) does not follow from what each store gives.",
            advice: "Name one store in affectedStores, or fetch the values and work it out in memory.",
            entity: layout.name, key: key)
    }

    // MARK: Rows

    func rows(_ fetched: (StoreFetch) throws -> [[String: Any]]) throws -> [[String: Any]] {
        var partFetch = try StoreFetch(layout: fetch.layout, part)
        partFetch.interruption = fetch.interruption
        var places: [[ValueKey]: Int] = [:]
        var members: [[[String: Any]]] = []
        for row in try fetched(partFetch) {
            let key = groups.map { ValueKey(ofAny: row[$0]) }
            if let place = places[key] {
                members[place].append(row)
            } else {
                places[key] = members.count
                members.append([row])
            }
        }
        return try members.compactMap(row)
    }

    /// Returns the dictionary of one group; nil if the having predicate excludes it.
    private func row(of parts: [[String: Any]]) throws -> [String: Any]? {
        var row: [String: Any] = [:]
        for name in plain { row[name] = parts.lazy.compactMap { $0[name] }.first }
        var variables: [String: Any] = [:]
        for total in totals { variables[total.name] = try total.value(of: parts) }
        let names = Set(plain + computed.map(\.name))
        for column in computed {
            let node = try column.node.replacing { try value(of: $0, row, variables, names) }
            guard let value = try JoinedTotal.evaluate(node) else { continue }
            row[column.name] =
                try column.kind.map { try DeclaredValue.of(value, as: $0, column: column.name, of: fetch.layout) }
                ?? value
        }
        if let having {
            let node = try having.replacing { try value(of: $0, row, variables, names) }
            guard try NSPredicate(node: node).holds(for: NSNull()) else { return nil }
        }
        return row
    }

    /// Returns the value that replaces a variable or key path; nil for other expressions.
    private func value(
        of node: ExpressionNode, _ row: [String: Any], _ variables: [String: Any], _ names: Set<String>
    ) throws -> ExpressionNode? {
        switch node {
        case .variable(let name):
            if totals.contains(where: { $0.name == name }) { return .constant(variables[name]) }
            return names.contains(name) ? .constant(row[name]) : nil
        case .keyPath(let keys, .evaluatedObject) where names.contains(keys.joined(separator: ".")):
            return .constant(row[keys.joined(separator: ".")])
        case .constant, .function, .aggregate, .conditional: return nil
        default: throw Self.unsupported(node.expressionFormat, fetch.layout)
        }
    }
}
