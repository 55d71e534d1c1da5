import CSQLite
import Foundation

/// Triggers, and indexes on the model's tables, that are not the framework's: taken away or lost while tables are rewritten,
/// and made again afterwards.
///
/// Those that name columns or tables which are gone cannot be made again: a trigger that fails would fail every save.
struct ForeignStatements {
    private struct Statement {
        var name: String
        var table: String
        var sql: String
    }

    private let session: InPlaceSession
    private var triggers: [Statement] = []
    private var indexes: [Statement] = []

    /// Reads what there is, before anything is changed.
    init(_ session: InPlaceSession) throws {
        self.session = session
        let own = Set(session.oldSchema.indexes(session.old).map(\.name))
        let statement = try session.connection.prepare(
            "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type IN ('trigger', 'index') AND sql IS NOT NULL"
        )
        while try statement.step() {
            let found = Statement(
                name: statement.text(1) ?? "", table: statement.text(2) ?? "", sql: statement.text(3) ?? "")
            if statement.text(0) == "trigger" {
                if !found.name.hasPrefix("Z_DA_") { triggers.append(found) }
            } else if !own.contains(found.name), !found.name.hasPrefix("Z") {
                indexes.append(found)
            }
        }
    }

    func restore() throws {
        let present = try names()
        for index in indexes where !present.contains(index.name) {
            _ = try unlessOutdated { try session.connection.execute(index.sql) }
        }
        for trigger in triggers {
            guard try unlessOutdated({ try session.connection.execute(trigger.sql) }) else { continue }
            if try unlessOutdated({ try compileStatements(on: trigger.table) }) { continue }
            try session.connection.execute("DROP TRIGGER \(InPlaceSession.quoted(trigger.name))")
        }
    }

    private func names() throws -> Set<String> {
        let statement = try session.connection.prepare("SELECT name FROM sqlite_master")
        var names: Set<String> = []
        while try statement.step() { if let name = statement.text(0) { names.insert(name) } }
        return names
    }

    /// False where SQLite does not know a name any more, or the rows break a unique index.
    private func unlessOutdated(_ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return true
        } catch let error as NSError {
            let code = error.userInfo[NSSQLiteErrorDomain] as? Int
            guard code == Int(SQLITE_ERROR) || code == Int(SQLITE_CONSTRAINT) else { throw error }
            return false
        }
    }

    /// Compiles what changes the rows of a table, and with that its triggers, which SQLite looks into only then.
    private func compileStatements(on table: String) throws {
        let name = InPlaceSession.quoted(table)
        let statement = try session.connection.prepare("SELECT name FROM pragma_table_info(?)")
        try statement.bind(table, at: 1)
        var assignments: [String] = []
        while try statement.step() {
            let column = InPlaceSession.quoted(statement.text(0) ?? "")
            assignments.append("\(column) = \(column)")
        }
        for text in [
            "INSERT INTO \(name) DEFAULT VALUES", "UPDATE \(name) SET \(assignments.joined(separator: ", "))",
            "DELETE FROM \(name)",
        ] {
            _ = try session.connection.prepare(text)
        }
    }
}
