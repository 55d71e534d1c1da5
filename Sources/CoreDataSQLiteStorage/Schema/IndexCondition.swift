import CoreDataRowStorage
import CoreDataStoreFiles
import Foundation
import PredicateFormat

/// The condition of a partial index, in Core Data's form: plain column names, and constants as literals.
enum IndexCondition {
    /// Returns the SQL of a condition.
    ///
    /// - Throws: an error for conditions other than comparisons of the entity's own columns with constants.
    static func sql(_ condition: PredicateNode, columns: SQLSchema, layout: EntityLayout) throws -> String {
        try text(condition, columns, layout)
    }

    private static func text(_ node: PredicateNode, _ schema: SQLSchema, _ layout: EntityLayout) throws -> String {
        switch node {
        case .and(let nodes) where nodes.count > 1: return try join(nodes, "AND", schema, layout)
        case .or(let nodes) where nodes.count > 1: return try join(nodes, "OR", schema, layout)
        case .not(let node): return "NOT (\(try text(node, schema, layout)))"
        case .comparison(let comparison) where comparison.modifier == .direct:
            return try text(comparison, schema, layout)
        default: throw UnsupportedQuery.predicate(node)
        }
    }

    private static func join(
        _ nodes: [PredicateNode], _ word: String, _ schema: SQLSchema, _ layout: EntityLayout
    ) throws -> String {
        "(" + (try nodes.map { try text($0, schema, layout) }).joined(separator: " \(word) ") + ")"
    }

    private static func text(
        _ comparison: ComparisonNode, _ schema: SQLSchema, _ layout: EntityLayout
    ) throws -> String {
        guard case .keyPath(let keys, .evaluatedObject) = comparison.left,
            let column = schema.column(at: keys.joined(separator: "."), in: layout),
            case .constant(let value) = comparison.right, comparison.options.isEmpty
        else { throw UnsupportedQuery.predicate(.comparison(comparison)) }
        if value == nil || value is NSNull {
            switch comparison.comparison {
            case .equalTo: return "\(column) IS NULL"
            case .notEqualTo: return "\(column) IS NOT NULL"
            default: throw UnsupportedQuery.predicate(.comparison(comparison))
            }
        }
        let symbol: String
        switch comparison.comparison {
        case .equalTo: symbol = "="
        case .notEqualTo: symbol = "<>"
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo: symbol = comparison.comparison.symbol
        default: throw UnsupportedQuery.predicate(.comparison(comparison))
        }
        return "\(column) \(symbol) \(try literal(SQLValue(value, nil)))"
    }

    private static func literal(_ value: SQLValue) throws -> String {
        switch value {
        case .integer(let value): "\(value)"
        case .real(let value) where value.isFinite: "\(value)"
        case .string(let text) where !text.utf8.contains(0): "'\(text.doubling("'"))'"
        default: throw UnsupportedQuery.expression("constant of a partial index")
        }
    }
}
