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
        let meaning = connecting(error, place) ?? rights(error, place) ?? waiting(error, place) ?? other(error, place)
        return CoreDataError.make(
            meaning.code, description: meaning.description, reason: error.description, advice: meaning.advice,
            underlying: error, userInfo: [stateKey: error.state])
    }

    private struct Meaning {
        let code: Int
        let description: String
        let advice: String

        init(_ code: Int, _ description: String, _ advice: String) {
            self.code = code
            self.description = description
            self.advice = advice
        }
    }

    private static func connecting(_ error: PostgreSQLError, _ place: String) -> Meaning? {
        let code = NSPersistentStoreOpenError
        switch error.state {
        case "08001":
            return Meaning(
                code, "No connection to \(place) can be made.",
                "Check that the server runs there and can be reached, and correct the URL.")
        case "28P01", "28000":
            return Meaning(
                code, "The server of \(place) refuses the user.", "Check the user, the password and pg_hba.conf.")
        case "3D000":
            return Meaning(code, "The database \(place) does not exist.", "Create it, or correct the URL.")
        case "57P03":
            return Meaning(
                code, "The server of \(place) does not accept connections now.",
                "Wait until it has started, and try again.")
        case PostgreSQLError.oldServer where error.isUnreported:
            return Meaning(code, "The server of \(place) is too old.", "Use PostgreSQL 14 or later.")
        default: return nil
        }
    }

    private static func rights(_ error: PostgreSQLError, _ place: String) -> Meaning? {
        switch error.state {
        case "42501":
            Meaning(
                NSPersistentStoreOperationError, "The user has not the rights that are needed in \(place).",
                "Grant them, use another user, or create a schema with the user's name.")
        case "3F000":
            Meaning(
                NSPersistentStoreOperationError, "The user has no schema in \(place).",
                "Create a schema for the user, and name it in the user's search_path.")
        case "25006":
            Meaning(
                NSPersistentStoreOperationError, "The server of \(place) allows no changes.",
                "Connect to the primary server: add target_session_attrs=read-write to the URL.")
        default: nil
        }
    }

    private static func waiting(_ error: PostgreSQLError, _ place: String) -> Meaning? {
        let code = NSPersistentStoreTimeoutError
        switch error.state {
        case "53300":
            return Meaning(
                code, "There is no free connection to \(place).",
                "End units of work sooner, or allow more connections, here and in the server.")
        case "57014":
            return Meaning(
                code, "The server of \(place) did not answer in time.",
                "Ask for less, add an index, or allow more time.")
        case "55P03":
            return Meaning(
                code, "Another writer holds tables or rows of \(place).",
                "Try again when it has ended. An exclusive unit of work keeps all others from writing, also another "
                    + "coordinator of the same thread: end it sooner, or write by its coordinator.")
        case "40001", "40P01":
            return Meaning(code, "Other transactions came between in \(place).", "Try again.")
        default: return nil
        }
    }

    private static func other(_ error: PostgreSQLError, _ place: String) -> Meaning {
        let code = NSPersistentStoreOperationError
        switch error.state {
        case "53100":
            return Meaning(
                NSPersistentStoreSaveError, "The disk of the server of \(place) is full.",
                "Free space there, and save again.")
        case PostgreSQLError.idleTransaction:
            return Meaning(
                code, "The server of \(place) has ended a transaction that did nothing for too long.",
                "End snapshots and exclusive units of work sooner, or raise idle_in_transaction_session_timeout.")
        case _ where error.isOutcomeUnknown:
            return Meaning(
                NSPersistentStoreSaveError, "The connection to \(place) was lost while changes were committed.",
                "Read the objects again to see whether they were saved.")
        case _ where error.isLoss:
            return Meaning(
                code, "The connection to \(place) was lost.", "Check that the server runs, and try again.")
        default:
            return Meaning(code, "The server of \(place) reports an error.", "See the reason.")
        }
    }
}
#endif
