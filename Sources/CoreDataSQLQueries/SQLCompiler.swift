import CoreDataRowStorage
import Foundation
import PredicateFormat

/// Translates predicates and expressions to SQL with numbered parameters.
///
/// One compiler compiles one statement, from trees with numbered constants (``ShapeWriter``): values never become part of the
/// text.
package final class SQLCompiler {
    let tables: any TableNames
    var dialect: any SQLDialect { tables.dialect }
    private var parameterCount = 0
    private var aliasCount = 0
    /// The columns of a dictionary fetch by name; HAVING may refer to them as keys or as variables.
    package var computedColumns: [String: (sql: SQLFragment, type: ValueType)] = [:]
    /// Resolves key paths in a query that is not about an entity of the model.
    package var names: (([String]) throws -> Operand)?
    /// True if nil differs from every value, and `NOT` is true for every condition that is not true, as in memory. Otherwise,
    /// as in SQL, neither matches nil.
    package var isTwoValued: Bool
    /// Whether `sum:` and the other aggregates apply to the rows of a group, as in the columns of a dictionary fetch.
    package var aggregatesRows = false
    /// Whether the next sum or mean of decimals has all its digits, as text if SQLite has no number for it. Only for results,
    /// because SQLite compares text differently.
    package var givesAllDigits = false
    /// The number of such functions compiled so far.
    package var aggregates = 0
    /// The last one compiled.
    package var lastAggregate: (text: SQLFragment, function: AggregateFunction, argument: SQLFragment, kind: CellKind?)?

    package init(_ tables: any TableNames) {
        self.tables = tables
        isTwoValued = tables.dialect.isTwoValued
    }

    func makeAlias() -> String {
        aliasCount += 1
        return "t\(aliasCount)"
    }

    /// Returns a parameter for a constant in the given form.
    package func parameter(_ constant: NumberedConstant, _ form: ParameterBinding.Form) throws -> SQLFragment {
        try parameter(slot: constant.slot, form, constant)
    }

    /// Returns a parameter for a constant that is not part of the request's predicates and expressions.
    ///
    /// - Parameter slot: the constant's number among those that are bound; negative if it has none.
    package func parameter(
        slot: Int, _ form: ParameterBinding.Form, _ constant: NumberedConstant? = nil
    ) throws -> SQLFragment {
        parameterCount += 1
        return SQLFragment(
            SQLParameter(
                id: parameterCount, binding: ParameterBinding(slot: slot, form: form),
                type: try dialect.parameterType(form, of: constant)))
    }

    /// Returns a table or column name for a statement.
    func name(_ name: String) -> SQLFragment { dialect.identifier(name) }

    /// Returns the key column of a table.
    func key(_ alias: String) -> SQLFragment { "\(raw: alias).\(dialect.keyColumn)" }

    // MARK: Predicates

    package func predicate(_ node: PredicateNode, _ scope: QueryScope) throws -> SQLFragment {
        switch node {
        case .constant(let value): return value ? "1 = 1" : "1 = 0"
        case .and: return try join(Self.flattened(node), .and, scope)
        case .or: return try join(Self.flattened(node), .or, scope)
        case .not(let node):
            let condition = try predicate(node, scope)
            return isTwoValued ? "(\(condition)) IS NOT TRUE" : "NOT (\(condition))"
        case .opaque(let predicate):
            if predicate.isNestedTooDeep { throw ConditionError.tooDeep() }
            throw UnsupportedQuery.block()
        case .comparison(let comparison): return try self.comparison(comparison, scope)
        }
    }

    /// Returns the operands of a compound and of nested compounds of the same kind, because SQLite's parser limits the depth.
    private static func flattened(_ node: PredicateNode) -> [PredicateNode] {
        var operands: [PredicateNode] = []
        var open: [PredicateNode]
        switch node {
        case .and(let nodes), .or(let nodes): open = nodes.reversed()
        default: open = [node]
        }
        while let next = open.popLast() {
            switch (node, next) {
            case (.and, .and(let nodes)) where !nodes.isEmpty, (.or, .or(let nodes)) where !nodes.isEmpty:
                open += nodes.reversed()
            default: operands.append(next)
            }
        }
        return operands
    }

    private func join(_ nodes: [PredicateNode], _ kind: Compound, _ scope: QueryScope) throws -> SQLFragment {
        if nodes.isEmpty { return kind.empty }
        return chain(try operands(of: kind, nodes, scope), kind)
    }

    /// Joins many terms. SQLite limits the depth of expressions, and parses `a AND b AND c` as `(a AND b) AND c`.
    func chain(_ terms: [SQLFragment], _ kind: Compound) -> SQLFragment {
        var terms = terms
        while terms.count > Self.longestChain {
            terms = stride(from: 0, to: terms.count, by: Self.longestChain).map { start in
                let end = min(start + Self.longestChain, terms.count)
                return "(\(Array(terms[start..<end]).joined(separator: kind.connective)))"
            }
        }
        return terms.joined(separator: kind.connective)
    }

    private static let longestChain = 64

    private func comparison(_ comparison: ComparisonNode, _ scope: QueryScope) throws -> SQLFragment {
        let left = try operand(comparison.left, scope)
        switch comparison.modifier {
        case .direct:
            let right = try operand(comparison.right, scope)
            return try compare(left, comparison.comparison, right, comparison.options, comparison)
        case .any, .all:
            guard case .toMany(let toMany) = left else {
                if comparison.modifier == .any, case .value = left {
                    // ANY of a single value is that value, as in Apple's SQLite store.
                    let right = try operand(comparison.right, scope)
                    return try compare(left, comparison.comparison, right, comparison.options, comparison)
                }
                // The to-many relationship may be on the right, as in ANY 3 IN numbers.
                throw UnsupportedQuery.predicate(
                    .comparison(comparison), " (ANY and ALL need a to-many relationship on the left)")
            }
            if comparison.modifier == .any {
                let matching = try select("1", from: toMany) { element in
                    let right = try operand(comparison.right, scope)
                    return try success(of: comparison, element, right)
                }
                return "EXISTS (\(matching))"
            }
            let failing = try select("1", from: toMany) { element in
                try failure(of: comparison, element, try operand(comparison.right, scope))
            }
            return "NOT EXISTS (\(failing))"
        }
    }

    /// Returns the condition that an element satisfies ANY. As in memory, nil values at the end of the path are ignored if two
    /// values are all that conditions have.
    func success(of comparison: ComparisonNode, _ element: Operand, _ right: Operand) throws -> SQLFragment {
        let condition = try compare(element, comparison.comparison, right, comparison.options, comparison)
        guard isTwoValued, comparison.comparison == .notEqualTo || isNull(right), case .value(let sql, _) = element
        else { return condition }
        return "\(sql) IS NOT NULL AND (\(condition))"
    }

    /// Returns the condition that an element violates ALL. As in memory, nil values at the end of the path are ignored.
    func failure(of comparison: ComparisonNode, _ element: Operand, _ right: Operand) throws -> SQLFragment {
        let condition = try compare(element, comparison.comparison, right, comparison.options, comparison)
        if case .composite(let whole) = element { return "\(whole.presence) AND (\(condition)) IS NOT TRUE" }
        guard case .value(let sql, _) = element else { return "(\(condition)) IS NOT TRUE" }
        return "\(sql) IS NOT NULL AND (\(condition)) IS NOT TRUE"
    }

    // MARK: Subselects

    /// Returns a subselect over the members of a to-many relationship of the outer query's object.
    ///
    /// - Parameter condition: returns the condition on each element (the object, or the value at the end of the path).
    func select(
        _ columns: SQLFragment, from toMany: ToManyOperand, where condition: (Operand) throws -> SQLFragment?
    ) throws -> SQLFragment {
        try select(from: toMany) { element in (columns, try condition(element)) }
    }

    func select(
        from toMany: ToManyOperand, _ body: (Operand) throws -> (columns: SQLFragment, condition: SQLFragment?)
    ) throws -> SQLFragment {
        let inner = QueryScope(parent: toMany.scope, variable: toMany.filter?.variable)
        let (from, link) = try source(of: toMany, inner)
        let element = try walk(toMany.suffix, from: inner.place)
        if case .toMany = element { throw UnsupportedQuery.severalToManyKeys(toMany.text) }
        var conditions = [link]
        if let filter = toMany.filter { conditions.append("(\(try predicate(filter.predicate, inner)))") }
        let (columns, condition) = try body(element)
        if let condition { conditions.append("(\(condition))") }
        let joined = ([from] + inner.joins).joined(separator: " ")
        return "SELECT \(columns) FROM \(joined) WHERE \(conditions.joined(separator: " AND "))"
    }

    /// Returns a condition that excludes members of a join table without a row, as the relationship itself does; nil for
    /// relationships that cannot have any.
    func existence(of element: Operand, in toMany: ToManyOperand) throws -> SQLFragment? {
        guard case .join = toMany.columns, case .object(let place) = element else { return nil }
        return "\(place.key) IN (SELECT \(dialect.keyColumn) FROM \(name(try tables.columns(of: place.layout).table)))"
    }

    private func source(
        of toMany: ToManyOperand, _ inner: QueryScope
    ) throws -> (from: SQLFragment, link: SQLFragment) {
        let alias = makeAlias()
        switch toMany.columns {
        case .foreignKey(let table, let column, _, _), .owned(let table, let column, _):
            inner.setPlace(toMany.destination, key: key(alias), alias: alias)
            return ("\(name(table)) \(raw: alias)", "\(raw: alias).\(name(column)) = \(toMany.source)")
        case .join(let table, let own, let target, _, _, let isReflexive):
            let (table, own, target) = (name(table), name(own), name(target))
            inner.setPlace(toMany.destination, key: "\(raw: alias).\(target)")
            let link: SQLFragment = "\(raw: alias).\(own) = \(toMany.source)"
            guard isReflexive else { return ("\(table) \(raw: alias)", link) }
            let both: SQLFragment =
                "(SELECT \(own), \(target) FROM \(table) UNION SELECT \(target), \(own) FROM \(table))"
            return ("\(both) \(raw: alias)", link)
        }
    }

    /// Returns a `SELECT` over another entity, for a fetch inside a predicate.
    func fetch(_ numbered: NumberedFetch, _ scope: QueryScope) throws -> Operand {
        let fetch = numbered.fetch
        guard let layout = tables.layouts.byName[fetch.entityName] else {
            throw UnsupportedQuery.make("could not locate an entity named '\(fetch.entityName)' in this model")
        }
        // A scope without a parent: SELF is the fetched object.
        let inner = QueryScope(parent: nil)
        let alias = makeAlias()
        inner.setPlace(layout, key: key(alias), alias: alias)
        var conditions: [SQLFragment] = []
        if let restriction = try tables.restriction(
            of: layout, includesSubentities: fetch.includesSubentities, alias: alias)
        {
            conditions.append(restriction)
        }
        if let predicate = numbered.predicate { conditions.append("(\(try self.predicate(predicate, inner)))") }
        var column = key(alias)
        var type = ValueType.unknown
        var isObject = true
        if let property = fetch.property, case .value(let sql, let known) = try walk([property], from: inner.place) {
            (column, type, isObject) = (sql, known, false)
        }
        let table = name(try tables.columns(of: layout).table)
        let from = (["\(table) \(raw: alias)"] + inner.joins).joined(separator: " ")
        let filter: SQLFragment = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
        if fetch.isCount { return .value("(SELECT COUNT(*) FROM \(from)\(filter))", .of(.int64)) }
        return .query("SELECT \(column) FROM \(from)\(filter)", isObject ? .of(.reference) : type)
    }
}
