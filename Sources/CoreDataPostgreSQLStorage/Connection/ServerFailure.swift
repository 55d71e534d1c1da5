#if PostgreSQL
import CoreDataRowStorage
import Foundation

/// Errors of the server in the form of Core Data's.
package enum ServerFailure {
    /// The key of SQLSTATE in an error's `userInfo`.
    package static let stateKey = "SQLSTATE"

    /// Returns the error that the graph gets for one of the server's.
    ///
    /// - Parameter place: The database, for the text; without credentials.
    package static func error(_ error: PostgreSQLError, place: String) -> NSError {
        let (code, description, advice) = meaning(of: error, place)
        return CoreDataError.make(
            code, description: description, reason: error.description, advice: advice, underlying: error,
            userInfo: [stateKey: error.state])
    }

    private static func meaning(of error: PostgreSQLError, _ place: String) -> (Int, String, String) {
        switch error.state {
        case "28P01", "28000":
            (
                NSPersistentStoreOpenError, "The server of \(place) refuses the user.",
                "Check the user, the password and pg_hba.conf."
            )
        case "3D000":
            (NSPersistentStoreOpenError, "The database \(place) does not exist.", "Create it, or correct the URL.")
        case "42501":
            (
                NSPersistentStoreOperationError, "The user has not the rights that are needed in \(place).",
                "Grant them, or use another user."
            )
        case "53300":
            (
                NSPersistentStoreTimeoutError, "There is no free connection to \(place).",
                "End units of work sooner, or allow more connections, here and in the server."
            )
        case "53100":
            (NSPersistentStoreSaveError, "The disk of the server of \(place) is full.", "Free space there, and save again.")
        case "57014":
            (
                NSPersistentStoreTimeoutError, "The server of \(place) did not answer in time.",
                "Ask for less, add an index, or allow more time."
            )
        case "55P03":
            (
                NSPersistentStoreTimeoutError, "Another transaction holds what is needed in \(place).",
                "Try again."
            )
        case "40001", "40P01":
            (
                NSPersistentStoreTimeoutError, "Other transactions came between in \(place).", "Try again."
            )
        default:
            error.isLoss
                ? (
                    NSPersistentStoreOperationError, "The connection to \(place) was lost, or cannot be made.",
                    "Check that the server runs, and try again."
                )
                : (
                    NSPersistentStoreOperationError, "The server of \(place) reports an error.",
                    "See the reason."
                )
        }
    }
}
#endif
