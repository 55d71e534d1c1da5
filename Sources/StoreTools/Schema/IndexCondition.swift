import CoreDataStoreFiles
import Foundation
import ModelFormat

/// The condition of a partial index in Core Data's form: plain column names, and constants as literals.
enum IndexCondition {
    /// Returns the SQL of a predicate; nil for predicates other than comparisons of the entity's own columns with constants.
    static func sql(_ predicate: String, of entity: EntityOutline) -> String? {
        SimplePredicate.predicate(predicate).flatMap { sql($0, entity) }
    }

    private static func sql(_ predicate: ArchivedPredicate, _ entity: EntityOutline) -> String? {
        switch predicate {
        case .and(let parts) where parts.count > 1: join(parts, " AND ", entity)
        case .or(let parts) where parts.count > 1: join(parts, " OR ", entity)
        case .not(let part): sql(part, entity).map { "NOT (\($0))" }
        case .comparison(let comparison): sql(comparison, entity)
        default: nil
        }
    }

    private static func join(_ parts: [ArchivedPredicate], _ word: String, _ entity: EntityOutline) -> String? {
        let texts = parts.compactMap { sql($0, entity) }
        return texts.count == parts.count ? "(\(texts.joined(separator: word)))" : nil
    }

    private static func sql(_ comparison: ArchivedComparison, _ entity: EntityOutline) -> String? {
        guard case .keyPath(let path, .evaluatedObject) = comparison.left, let column = entity.cell(at: path)?.column,
            case .constant(let value) = comparison.right
        else { return nil }
        guard let value else {
            return switch comparison.comparison {
            case .equal: "\(column) IS NULL"
            case .notEqual: "\(column) IS NOT NULL"
            default: nil
            }
        }
        guard let symbol = symbol(comparison.comparison), let literal = literal(value) else { return nil }
        return "\(column) \(symbol) \(literal)"
    }

    private static func symbol(_ comparison: ArchivedComparison.Operator) -> String? {
        switch comparison {
        case .equal: "="
        case .notEqual: "<>"
        case .lessThan: "<"
        case .lessThanOrEqual: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqual: ">="
        default: nil
        }
    }

    private static func literal(_ value: ModelValue) -> String? {
        switch value {
        case .bool(let flag): flag ? "1" : "0"
        case .integer(let number): "\(number)"
        case .double(let number), .date(let number): number.isFinite ? "\(number)" : nil
        case .string(let text) where !text.utf8.contains(0):
            "'\(text.doubling("'"))'"
        default: nil
        }
    }
}
