import CoreDataRowStorage
import ModelFormat

/// The statements that turn the tables of one version of a model into those of another, as a new store has them. Tables that
/// continue are altered; their rows keep keys and versions.
///
/// The statements are one transaction, in their order. ``checks`` come first: they find what the migration cannot preserve.
package struct PostgreSQLMigration {
    package struct Statement: Hashable, Sendable {
        /// The effect, for people.
        package let description: String
        package let sql: String
        /// The name of the uniqueness constraint that the statement creates.
        package var constraint: String?
        /// The way to do the same after the transaction; nil if the statement belongs to it.
        package var deferral: Deferral?
    }

    /// The creation of an index, or the validation of a foreign key, after the transaction. Neither keeps others from a table
    /// with many rows.
    package struct Deferral: Hashable, Sendable {
        /// The table, as it is named before the migration.
        package let table: String
        /// The statement in the transaction, if one is left.
        package let statement: String?
        package let later: PendingStatement
    }

    package let checks: [MigrationCheck]
    package let statements: [Statement]
    /// The statement for a store that has the tables of persistent history, after the others; nil if none is needed.
    package let history: Statement?
    /// The derived attributes that are computed for all rows.
    package let derived: [String]
    /// The names of the old tables that the statements change, or read for changes.
    package let changedTables: [String]
    /// The uniqueness constraints of the new tables.
    package let constraints: [PostgreSQLSchema.Constraint]
    /// The reason for which programs of the old version cannot use the store afterwards; nil if they can.
    package let obstacle: String?
    /// The names of all tables and sequences afterwards.
    package let tables: [String]
    package let sequences: [String]

    /// Compares the tables of two versions.
    ///
    /// - Throws: An error for a model that the database cannot store as it asks for.
    package init(_ models: LayoutCorrespondence, from old: PostgreSQLTables, to new: PostgreSQLTables) throws {
        let plan = try MigrationPlan(models, from: old, to: new)
        checks = try MigrationChecks(plan).all()
        for check in checks { plan.touch(check.tables) }
        try plan.make()
        statements = plan.statements
        history = try HistoryChanges(plan).statement()
        derived = plan.derived
        changedTables = plan.touched.sorted()
        constraints = try new.layouts.all.flatMap { try plan.newSchema.uniqueness(of: $0) }
        obstacle = try VersionOverlap(models: models, old: old, new: new).obstacle()
        let parts = try plan.newSchema.parts()
        tables = parts.filter { $0.kind == .table }.map(\.name)
        sequences = parts.filter { $0.kind == .sequence }.map(\.name)
    }

    /// The seconds that a statement waits for others that use a table: new statements of others wait behind it.
    package static let lockTimeout = 3

    /// The statements that set the limits of time of a migration.
    package static let limits = ["SET LOCAL statement_timeout = 0", "SET LOCAL lock_timeout = '\(lockTimeout)s'"]

    /// Returns the statements before all others, in the transaction that has locked the metadata. Constraints are checked at
    /// once, because tables with pending checks cannot be altered.
    package func beginning(changesHistory: Bool) -> [String] {
        var tables = changedTables.map(PostgreSQLName.quoted)
        if changesHistory { tables.append(HistoryChanges.table) }
        let lock = "LOCK TABLE \(tables.joined(separator: ", ")) IN ACCESS EXCLUSIVE MODE"
        return ["SET CONSTRAINTS ALL IMMEDIATE"] + (tables.isEmpty ? [] : [lock])
    }
}
