import CoreDataRowStorage
import CCoreDataSQLite
import Foundation

/// Savepoints for trying statements inside a transaction.
enum Savepoint {
    /// Runs `body` and rolls its changes to the file back.
    static func rolledBack(_ connection: SQLiteConnection, _ body: () throws -> Void) throws {
        try connection.execute("SAVEPOINT CDTRIAL")
        try body()
        try connection.execute("ROLLBACK TO CDTRIAL")
        try connection.execute("RELEASE CDTRIAL")
    }

    /// Returns the reason why SQLite rejects a statement; nil if it succeeds.
    ///
    /// - Throws: all other errors. A full or failing disk may have ended the transaction, which must not continue then.
    static func refusal(_ body: () throws -> Void) throws -> String? {
        do {
            try body()
            return nil
        } catch let error as NSError {
            let codes = [SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_AUTH].map { Int($0) }
            guard let code = error.userInfo[NSSQLiteErrorDomain] as? Int, codes.contains(code & 0xFF) else {
                throw error
            }
            return error.localizedFailureReason ?? error.localizedDescription
        }
    }
}
