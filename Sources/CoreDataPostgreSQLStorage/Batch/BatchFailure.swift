#if PostgreSQL
import CoreDataRowStorage
import Foundation

/// The server's errors in batches, in the form of Core Data's.
enum BatchFailure {
    /// Returns the error for a violated constraint or a value that does not fit; nil for other errors.
    static func error(_ error: PostgreSQLError, _ layout: EntityLayout) -> NSError? {
        guard let (code, description, advice) = meaning(of: error, layout) else { return nil }
        return CoreDataError.make(
            code, description: description, reason: error.description, advice: advice, entity: layout.name,
            underlying: error, userInfo: [ServerFailure.stateKey: error.state])
    }

    private static func meaning(of error: PostgreSQLError, _ layout: EntityLayout) -> (Int, String, String)? {
        switch error.state {
        case "23505":
            (
                NSManagedObjectConstraintMergeError, "The rows of \(layout.name) violate a uniqueness constraint.",
                "Set a merge policy on the context that keeps or overwrites the existing row, or make the values unique."
            )
        case "23503":
            (
                NSManagedObjectReferentialIntegrityError,
                "Rows would refer to rows that do not exist after the batch request of \(layout.name).",
                "Use the nullify or cascade rule for the relationship, and relate objects that exist only."
            )
        case "22003":
            (
                NSManagedObjectValidationError,
                "A computed number of the batch request does not fit its attribute in \(layout.name).",
                "Correct the expression, or give the attribute a larger type."
            )
        default: nil
        }
    }
}
#endif
