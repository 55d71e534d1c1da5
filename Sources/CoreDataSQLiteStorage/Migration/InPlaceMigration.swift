import CoreDataRowStorage
import Foundation

/// A lightweight migration that SQLite performs itself, in one transaction.
///
/// Tables that keep their columns stay in place; the others are rewritten, with the names and definitions of a new store of
/// the destination model. Primary keys are preserved, and so are object IDs. If the transaction does not commit, the file is
/// unchanged.
///
/// Cost: one pass over each table that changes, in constant memory. The file temporarily grows by the size of those tables,
/// because the old ones are dropped only when the new ones are complete.
struct InPlaceMigration {
    private let request: EngineMigrationRequest

    /// Creates the migration; returns nil if the differences need more than SQL: values that move into or out of external
    /// files.
    init?(_ request: EngineMigrationRequest) {
        guard !request.layouts.movesExternalValues else { return nil }
        self.request = request
    }

    /// Migrates a store on the connection that found it.
    ///
    /// - Throws: as ``StoreDriver/migrate(_:_:_:)``.
    func run(on opened: StoreFile.Opened, _ monitor: (any MigrationMonitor)?) throws {
        let connection = opened.connection
        defer { reset(connection, opened.settings) }
        // A store without a log is migrated without one. It is converted the next time it is opened for writing.
        let hasLog = try connection.text("PRAGMA journal_mode")?.lowercased() == "wal"
        try ConnectionSettings(pragmas: hasLog ? [:] : ["synchronous": "FULL"]).configure(connection, writing: hasLog)
        // Renaming old tables must not update the statements that refer to them by name.
        for pragma in ["legacy_alter_table = ON", "foreign_keys = OFF", "cache_size = -32000"] {
            try connection.execute("PRAGMA \(pragma)")
        }
        try InPlaceSession.addFunctions(to: connection)
        do {
            // Cancelling the migration interrupts a long statement.
            try StatementWatch { monitor?.isCancelled != true }.watching(connection) {
                try connection.execute("BEGIN EXCLUSIVE")
                try InPlaceSession.checkSource(request.accepts, connection, path: connection.path)
                let session = try InPlaceSession(request.layouts, connection, path: connection.path)
                try session.migrate(monitor)
                try session.describe(as: request.destination, request.direction)
                try monitor?.checkCancellation()
                try connection.execute("COMMIT")
            }
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            try monitor?.checkCancellation()
            throw error
        }
        tidy(connection)
    }

    /// Restores the settings of the store's other connections.
    private func reset(_ connection: SQLiteConnection, _ settings: ConnectionSettings) {
        for pragma in ["legacy_alter_table = OFF", "cache_size = -2000"] {
            try? connection.execute("PRAGMA \(pragma)")
        }
        try? connection.enableViews(false)
        try? settings.configure(connection, writing: false)
    }

    /// Frees the space of the old tables. The migration is complete without it.
    private func tidy(_ connection: SQLiteConnection) {
        let free = (try? connection.integer("PRAGMA freelist_count")) ?? 0
        let all = (try? connection.integer("PRAGMA page_count")) ?? 0
        if free * 4 > all { try? connection.execute("PRAGMA incremental_vacuum") }
        try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
