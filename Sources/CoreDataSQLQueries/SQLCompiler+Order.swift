import CoreDataRowStorage
import Foundation
import PredicateFormat

extension SQLCompiler {
    /// Returns ` ORDER BY …`; empty without sort descriptors.
    ///
    /// - Parameter tieBreaker: the SQL that orders ties, so that results, and the pages of limited fetches, have a stable
    ///   order.
    package func orderClause(
        _ descriptors: [NSSortDescriptor], _ scope: QueryScope, tieBreaker: SQLFragment? = nil
    ) throws -> SQLFragment {
        if descriptors.isEmpty { return "" }
        let terms = try orderTerms(descriptors, scope)
        var clause: SQLFragment = " ORDER BY \(terms.map(\.term).joined(separator: ", "))"
        if let tieBreaker, !terms.contains(where: { $0.value == tieBreaker }) { clause += ", \(tieBreaker)" }
        return clause
    }

    /// Returns the terms of ORDER BY, each with the value that it sorts by.
    func orderTerms(
        _ descriptors: [NSSortDescriptor], _ scope: QueryScope
    ) throws -> [(value: SQLFragment, term: SQLFragment)] {
        try descriptors.map { try orderTerm($0.sortKey, scope) }
    }

    private func orderTerm(_ sort: SortKey, _ scope: QueryScope) throws -> (value: SQLFragment, term: SQLFragment) {
        var collation: StringCollation?
        switch sort.comparison {
        case .natural: break
        case .collation(let wanted): collation = wanted
        case .unknownSelector(let selector): throw UnsupportedQuery.sortSelector(selector.name)
        case .comparator: throw UnsupportedQuery.sortComparator()
        }
        let key = sort.key ?? "self"
        let keys = key.utf8.contains(UInt8(ascii: ".")) ? key.split(separator: ".").map(String.init) : [key]
        if keys.contains(where: { $0.hasPrefix("@") }) { throw UnsupportedQuery.toManyKey(keys.joined(separator: ".")) }
        let (value, type): (SQLFragment, ValueType)
        switch try path(keys, of: .evaluatedObject, scope) {
        case .value(let sql, let known): (value, type) = (sql, known)
        case .object(let place): (value, type) = (place.key, .of(.reference))
        case .entity(let sql): (value, type) = (sql, .entity)
        case .toMany(let toMany): throw UnsupportedQuery.toManyKey(toMany.text)
        case .composite(let whole): throw whole.unusable()
        case .constant, .list, .query: throw UnsupportedQuery.expression(sort.key ?? "", kind: "sort key")
        }
        // Keys are unique and never nil.
        if let place = scope.place, value == place.key { return (value, sort.ascending ? value : "\(value) DESC") }
        let name = collation.flatMap { tables.collation($0) }
        return (value, try dialect.order(value, type, by: collation, named: name, ascending: sort.ascending))
    }
}
