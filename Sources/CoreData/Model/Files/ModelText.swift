import Foundation
import ModelFormat
import PredicateFormat

/// Predicates, expressions and sort descriptors of models, as text and back.
enum ModelText {
    /// Throws `NSCoreDataError` for text that cannot be parsed, naming the place in the model.
    static func predicate(_ text: String, place: ModelPlace) throws -> NSPredicate {
        do {
            return try NSPredicate.parse(text)
        } catch {
            throw ModelFileError.text(text, kind: "predicate", place: place, underlying: error)
        }
    }

    /// Throws `NSCoreDataError` for text that cannot be parsed, naming the place in the model.
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

    /// nil for descriptors that sort by code, which no file can hold.
    static func sortKey(_ descriptor: NSSortDescriptor) -> FetchTemplate.SortKey? {
        guard let key = descriptor.key, let selector = descriptor.selector else { return nil }
        return FetchTemplate.SortKey(
            key: key, ascending: descriptor.ascending, selector: selector == .compare ? nil : selector.name)
    }
}
