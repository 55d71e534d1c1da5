import CoreDataRowStorage
import Foundation

/// The program's own indexes on tables that an in-place migration rewrites. They are dropped with the old table.
struct ForeignIndexes {
    private let connection: SQLiteConnection
    private let path: String
    private let indexes: [(name: String, creation: String)]

    /// Records the indexes of `tables` that the framework has not created.
    init(of tables: [String], known: Set<String>, _ connection: SQLiteConnection, path: String) throws {
        self.connection = connection
        self.path = path
        let statement = try connection.prepare(
            "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid")
        var found: [(String, String)] = []
        while try statement.step() {
            guard let name = statement.text(0), let table = statement.text(1), let sql = statement.text(2),
                tables.contains(table), Self.isForeign(name, known: known)
            else { continue }
            found.append((name, sql))
        }
        indexes = found
    }

    /// Returns true if an index is the program's own, by its name.
    static func isForeign(_ name: String, known: Set<String>) -> Bool { !known.contains(name) && !name.hasPrefix("Z") }

    /// Creates the indexes again if their table and columns still exist; logs the others.
    func restore() throws {
        for index in indexes {
            if let reason = try Savepoint.refusal({ try connection.execute(index.creation) }) {
                NSLog(
                    "CoreData: warning: Migrating the store at %@ dropped the index %@, which cannot be created: %@",
                    path,
                    index.name, reason)
            }
        }
    }
}
