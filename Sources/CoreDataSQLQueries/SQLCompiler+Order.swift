import CoreDataRowStorage
import Foundation
import PredicateFormat

extension SQLCompiler {
    /// ` ORDER BY …`, or nothing.
    ///
    /// - Parameter tieBreaker: SQL that orders what the descriptors leave equal, so that results, and the pages of limited
    ///   fetches, come in the same order every time.
    package func orderClause(
        _ descriptors: [NSSortDescriptor], _ scope: QueryScope, tieBreaker: String? = nil
    ) throws -> String {
        if descriptors.isEmpty { return "" }
        var terms = try descriptors.map { try orderTerm($0.sortKey, scope) }
        if let tieBreaker, !terms.contains(where: { $0.hasPrefix(tieBreaker) }) { terms.append(tieBreaker) }
        return " ORDER BY " + terms.joined(separator: ", ")
    }

    private func orderTerm(_ sort: SortKey, _ scope: QueryScope) throws -> String {
        let direction = sort.ascending ? "" : " DESC"
        var collation = ""
        switch sort.comparison {
        case .natural: break
        case .collation(let wanted):
            if let name = tables.collation(wanted) { collation = " COLLATE \(name)" }
        case .unknownSelector(let selector): throw UnsupportedQuery.sortSelector(selector.name)
        case .comparator: throw UnsupportedQuery.sortComparator()
        }
        let key = sort.key ?? "self"
        let keys = key.utf8.contains(UInt8(ascii: ".")) ? key.split(separator: ".").map(String.init) : [key]
        if keys.contains(where: { $0.hasPrefix("@") }) { throw UnsupportedQuery.toManyKey(keys.joined(separator: ".")) }
        switch try path(keys, of: .evaluatedObject, scope) {
        case .value(let sql, let type):
            return sql + (type.kind == .string || type.kind == nil ? collation : "") + direction
        case .object(let place): return place.key + direction
        case .entity(let sql): return sql + direction
        case .toMany(let toMany): throw UnsupportedQuery.toManyKey(toMany.text)
        case .composite(let whole): throw whole.unusable()
        case .constant, .list, .query: throw UnsupportedQuery.expression(sort.key ?? "", kind: "sort key")
        }
    }
}
