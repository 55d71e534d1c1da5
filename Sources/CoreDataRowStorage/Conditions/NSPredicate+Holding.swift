import Foundation
import PredicateFormat

extension NSPredicate {
    /// Evaluates the predicate; what cannot be evaluated becomes Core Data's error.
    package func holds(for object: Any) throws -> Bool {
        do {
            return try evaluateThrowing(with: object)
        } catch let error as PredicateEvaluationError {
            throw StoreErrors.invalidRequest(error.message)
        }
    }
}
