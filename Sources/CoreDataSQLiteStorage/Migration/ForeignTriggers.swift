import CoreDataRowStorage
import Foundation

/// The triggers in a file that the framework has not created: the program's, or those of another framework.
///
/// They are dropped while an in-place migration moves rows, and created again afterwards with the same text. A trigger that
/// no longer compiles, because the migration has removed a table or column that it uses, would make every statement fail that
/// fires it, including saves: it stays dropped, and a line is logged.
struct ForeignTriggers {
    private struct Trigger {
        var name: String
        var table: String
        var creation: String
        /// The statements on the trigger's table that did not compile before the migration either, for example because they
        /// use a function that only the program registers.
        var failures: Set<String> = []
    }

    private let connection: SQLiteConnection
    private let path: String
    private let triggers: [Trigger]

    /// Drops all triggers of the file, including the framework's.
    init(droppingAllOn connection: SQLiteConnection, path: String) throws {
        self.connection = connection
        self.path = path
        let found = try Self.triggers(connection)
        for trigger in found { try connection.execute("DROP TRIGGER \(SQLName.quoted(trigger.name))") }
        triggers = try found.filter { !$0.name.hasPrefix("Z_DA_") }.map { trigger in
            var trigger = trigger
            try Savepoint.rolledBack(connection) {
                guard try Savepoint.refusal({ try connection.execute(trigger.creation) }) == nil else { return }
                trigger.failures = try Self.failures(on: trigger.table, connection)
            }
            return trigger
        }
    }

    private static func triggers(_ connection: SQLiteConnection) throws -> [Trigger] {
        let statement = try connection.prepare(
            "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid")
        var found: [Trigger] = []
        while try statement.step() {
            found.append(
                Trigger(
                    name: statement.text(0) ?? "", table: statement.text(1) ?? "", creation: statement.text(2) ?? ""))
        }
        return found
    }

    /// Creates the triggers that still compile. The file must have no triggers, so that each is tested separately.
    func restore() throws {
        var working: [Trigger] = []
        for trigger in triggers {
            var reason: String?
            try Savepoint.rolledBack(connection) {
                reason = try Savepoint.refusal { try connection.execute(trigger.creation) }
                guard reason == nil else { return }
                for statement in try Self.failures(on: trigger.table, connection).subtracting(trigger.failures).sorted()
                {
                    reason = try Savepoint.refusal { _ = try connection.prepare(statement) }
                }
            }
            if let reason {
                NSLog(
                    "CoreData: warning: Migrating the store at %@ dropped the trigger %@ on %@, which no longer compiles: %@",
                    path, trigger.name, trigger.table, reason)
            } else {
                working.append(trigger)
            }
        }
        for trigger in working { try connection.execute(trigger.creation) }
    }

    /// Returns the statements that fire triggers of a table or view and do not compile.
    private static func failures(on table: String, _ connection: SQLiteConnection) throws -> Set<String> {
        let name = SQLName.quoted(table)
        let columns = try connection.prepare("SELECT name FROM pragma_table_info(?)")
        try columns.bind(table, at: 1)
        var changes: [String] = []
        while try columns.step() {
            let column = SQLName.quoted(columns.text(0) ?? "")
            changes.append("\(column) = \(column)")
        }
        let statements = [
            "INSERT INTO \(name) DEFAULT VALUES", "UPDATE \(name) SET \(changes.joined(separator: ", "))",
            "DELETE FROM \(name)",
        ]
        return Set(
            try statements.filter { statement in
                try Savepoint.refusal { _ = try connection.prepare(statement) } != nil
            })
    }
}
