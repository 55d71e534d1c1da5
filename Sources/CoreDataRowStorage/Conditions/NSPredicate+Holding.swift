import Foundation
import PredicateFormat

extension NSPredicate {
    /// Evaluates the predicate. Throws Core Data's error if it cannot be evaluated.
    package func holds(for object: Any) throws -> Bool {
        do {
            return try evaluateThrowing(with: object)
        } catch let error as PredicateEvaluationError {
            throw StoreErrors.invalidRequest(error.message)
        }
    }
}
