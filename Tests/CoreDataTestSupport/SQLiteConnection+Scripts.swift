import CCoreDataSQLite
import CoreDataSQLiteStorage

extension SQLiteConnection {
    /// Runs several statements, as another program with the file open could.
    package func executeScript(_ sql: String) throws {
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw error(result, sql: sql, writing: true) }
    }
}
