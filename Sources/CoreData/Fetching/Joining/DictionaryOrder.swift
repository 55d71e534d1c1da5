import Foundation
import PredicateFormat

/// Sorts dictionaries by their values, as stores sort rows by their properties.
struct DictionaryOrder {
    private let terms: [(name: String, compare: (Any?, Any?) -> ComparisonResult)]

    init(_ descriptors: [NSSortDescriptor]) {
        terms = zip(Self.names(descriptors), descriptors).map { ($0, Self.comparison($1)) }
    }

    /// Returns the names of the values that sort descriptors compare.
    static func names(_ descriptors: [NSSortDescriptor]) -> [String] { descriptors.map { $0.sortKey.key ?? "self" } }

    private static func comparison(_ descriptor: NSSortDescriptor) -> (Any?, Any?) -> ComparisonResult {
        let key = descriptor.sortKey
        let ascending: (Any?, Any?) -> ComparisonResult
        switch key.comparison {
        case .natural, .unknownSelector: ascending = { ValueComparison.sortOrder($0, $1) }
        case .collation(let collation): ascending = { ValueComparison.sortOrder($0, $1, collation) }
        case .comparator:
            let compare = descriptor.comparator
            // Comparators take `Any`: nil is passed as an optional inside it.
            ascending = { compare($0 ?? Any?.none as Any, $1 ?? Any?.none as Any) }
        }
        return key.ascending ? ascending : { ascending($1, $0) }
    }

    /// Returns the sorted rows. Rows that are equal in every term keep their order.
    func sorted(_ rows: [[String: Any]]) -> [[String: Any]] {
        guard !terms.isEmpty else { return rows }
        let order = rows.indices.sorted { a, b in
            for term in terms {
                switch term.compare(rows[a][term.name], rows[b][term.name]) {
                case .orderedAscending: return true
                case .orderedDescending: return false
                case .orderedSame: continue
                }
            }
            return a < b
        }
        return order.map { rows[$0] }
    }
}
