import Foundation
import ModelFormat
import PredicateFormat

/// Conversion of predicates, expressions and sort descriptors in models to text and back.
enum ModelText {
    /// Parses a predicate.
    ///
    /// - Throws: `NSCoreDataError` naming the position in the model if the text cannot be parsed.
    static func predicate(_ text: String, place: ModelPlace) throws -> NSPredicate {
        do {
            return try NSPredicate.parse(text)
        } catch {
            throw ModelFileError.text(text, kind: "predicate", place: place, underlying: error)
        }
    }

    /// Parses an expression.
    ///
    /// - Throws: `NSCoreDataError` naming the position in the model if the text cannot be parsed.
    static func expression(_ text: String, place: ModelPlace) throws -> NSExpression {
        do {
            return try NSExpression.parse(text)
        } catch {
            throw ModelFileError.text(text, kind: "expression", place: place, underlying: error)
        }
    }

    static func format(_ predicate: NSPredicate) -> String { predicate.node.predicateFormat }

    static func format(_ expression: NSExpression) -> String { expression.node.expressionFormat }

    static func sortDescriptor(_ key: FetchTemplate.SortKey) -> NSSortDescriptor {
        NSSortDescriptor(key: key.key, ascending: key.ascending, selector: key.selector.map { Selector($0) })
    }

    /// Returns a sort key for model files; nil for descriptors that sort by a closure, which files cannot represent.
    static func sortKey(_ descriptor: NSSortDescriptor) -> FetchTemplate.SortKey? {
        guard let key = descriptor.key, let selector = descriptor.selector else { return nil }
        return FetchTemplate.SortKey(
            key: key, ascending: descriptor.ascending, selector: selector == .compare ? nil : selector.name)
    }
}
