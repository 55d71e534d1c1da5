import CoreDataModelBuilding
import CoreDataModelLayouts
import CoreDataRowStorage
import CoreDataSQLQueries
import ModelFormat

/// The statements by which a PostgreSQL store is migrated from one version of a model to another, as a script for `psql` with
/// comments.
package struct PostgreSQLMigrationScript {
    private let old: String
    private let new: String
    private let checks: [(description: String, sql: String)]
    private let migration: PostgreSQLMigration

    /// The reasons for which no migration can be inferred.
    package struct Refusal: Error {
        package let reasons: [String]
    }

    /// Compares two versions.
    ///
    /// - Parameter names: The names of the versions, for the first comment.
    /// - Throws: ``Refusal``; an error for a model that cannot be stored in PostgreSQL.
    package init(from old: Model, to new: Model, names: (old: String, new: String)) throws {
        (self.old, self.new) = names
        let models = ModelCorrespondence(source: old, destination: new)
        let refusals = models.refusals()
        guard refusals.isEmpty else { throw Refusal(reasons: refusals.map(\.reason)) }
        // Layouts refer to the entities without retaining them.
        let layouts = (old: try StoreLayouts(old), new: try StoreLayouts(new))
        (migration, checks) = try withExtendedLifetime(layouts) {
            let migration = try PostgreSQLMigration(
                LayoutCorrespondence(models, source: layouts.old.layouts, destination: layouts.new.layouts),
                from: PostgreSQLTables(layouts.old.layouts), to: PostgreSQLTables(layouts.new.layouts))
            return (migration, migration.checks.map { ($0.description, $0.sql) })
        }
    }

    package var text: String {
        var lines = introduction + ["", "BEGIN;"] + PostgreSQLMigration.limits.map { "\($0);" } + [""]
        lines += step("One process at a time", "SELECT FROM \(PostgreSQLSchema.metadataName) FOR UPDATE")
        lines.append(SQLComment.line("Others are kept from the tables that change"))
        lines += migration.beginning(changesHistory: false).map { "\($0);" } + [""]
        for check in checks { lines += step("Check: \(check.description)", check.sql) }
        for statement in migration.statements { lines += step(statement.description, statement.sql) }
        if let history = migration.history {
            lines.append(
                SQLComment.line("In a store that keeps history, locked with the others: \(history.description)"))
            lines += SQLComment.statement("\(history.sql);") + [""]
        }
        return (lines + ["COMMIT;"]).joined(separator: "\n") + "\n"
    }

    private var introduction: [String] {
        var texts = [
            "Migration of a PostgreSQL store from \(old) to \(new), as a program runs it when it opens the store.",
            "It is for review: the program also writes the new model to coredata_metadata, in the same transaction.",
        ]
        if checks.isEmpty {
            texts.append("No check of the rows is needed.")
        } else {
            texts.append("Checks run before: each must find no row, or the migration fails and changes nothing:")
            texts += checks.map { "  \($0.description)" }
        }
        if !migration.derived.isEmpty {
            texts.append("Computed again: \(migration.derived.joined(separator: ", ")).")
        }
        texts.append(
            migration.obstacle.map { "Programs of \(old) cannot use the store afterwards: \($0)" }
                ?? "Programs of \(old) may go on using the store beside those of \(new).")
        texts.append("The functions of every store are replaced too, by those that `modelc ddl` prints.")
        if migration.statements.isEmpty { texts.append("The tables stay as they are.") }
        return texts.map(SQLComment.line)
    }

    private func step(_ description: String, _ sql: String) -> [String] {
        [SQLComment.line(description), "\(sql);", ""]
    }

    /// The parts of the script in their order.
    var json: JSON {
        func statement(_ description: String, _ sql: String) -> JSON {
            .object([("description", .string(description)), ("sql", .string(sql))])
        }
        return .object([
            ("dialect", .string("postgresql")),
            ("locks", .array(migration.beginning(changesHistory: false).map { .string($0) })),
            ("checks", .array(checks.map { statement($0.description, $0.sql) })),
            ("statements", .array(migration.statements.map { statement($0.description, $0.sql) })),
            ("history", .optional(migration.history?.sql)),
            ("obstacleForOlderPrograms", .optional(migration.obstacle)),
            ("derived", .array(migration.derived.map { .string($0) })),
        ])
    }
}
