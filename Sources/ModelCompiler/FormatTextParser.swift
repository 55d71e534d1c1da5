import Foundation
import ModelFormat

/// Reads predicates and expressions in Apple's format for compiled models.
struct FormatTextParser: PredicateTextParser {
    func predicate(_ text: String) throws -> ArchivedPredicate {
        throw ModelFormatError(.unsupported, "predicates cannot be compiled yet")
    }

    func expression(_ text: String) throws -> ArchivedExpression {
        throw ModelFormatError(.unsupported, "expressions cannot be compiled yet")
    }
}
