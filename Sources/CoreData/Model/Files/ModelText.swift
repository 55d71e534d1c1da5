import Foundation
import ModelFormat

/// Predicates, expressions and sort descriptors of models, as text and back.
enum ModelText {
    static func predicate(_ text: String, place: ModelPlace) throws -> NSPredicate {
        throw ModelFileError.text(
            text, kind: "predicate", place: place, underlying: ModelFormatError(.unsupported, "no parser"))
    }

    static func expression(_ text: String, place: ModelPlace) throws -> ExpressionObject {
        throw ModelFileError.text(
            text, kind: "expression", place: place, underlying: ModelFormatError(.unsupported, "no parser"))
    }

    static func format(_ predicate: NSPredicate) -> String { predicate.description }

    static func format(_ expression: ExpressionObject) -> String { expression.description }

    static func sortDescriptor(_ key: FetchTemplate.SortKey) -> NSSortDescriptor? { nil }

    static func sortKey(_ descriptor: NSSortDescriptor) -> FetchTemplate.SortKey? { nil }
}
