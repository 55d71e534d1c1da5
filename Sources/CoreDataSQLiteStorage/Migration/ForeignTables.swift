import CoreDataRowStorage
import Foundation

/// The tables of a file that belong to no model: CloudKit's mirroring keeps its state in some, and programs may add others.
package enum ForeignTables {
    /// Returns their names in the store at `url`, sorted.
    package static func names(at url: URL) throws -> [String] {
        try names(SQLiteConnection(path: url.path, access: .readOnly, busyTimeout: 5))
    }

    private static func names(_ connection: SQLiteConnection) throws -> [String] {
        let statement = try connection.prepare(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name"
        )
        var names: [String] = []
        while try statement.step() {
            guard let name = statement.text(0), !ActualSchema.isOwn(name) else { continue }
            names.append(name)
        }
        return names
    }

    /// Logs the tables that a migration by copying objects omits.
    static func warn(on connection: SQLiteConnection) {
        guard let names = try? names(connection), !names.isEmpty else { return }
        NSLog(
            "CoreData: warning: Migrating the store at %@ copies its objects, but not these tables, which are not the model's: %@",
            connection.path, names.joined(separator: ", "))
    }
}
