import CoreDataRowStorage
import Foundation

/// A lightweight migration that the database carries out itself, in one transaction.
///
/// Tables whose columns stay the same are left where they are; the others are written anew, with the names and in the
/// wording a new store of the destination model would have. Primary keys stay, and so do object IDs. When the transaction
/// is not committed, for whatever reason, the file is as it was.
///
/// Cost: one pass over each table that changes, in memory of fixed size; the file grows meanwhile by the size of those
/// tables, as the old ones are given up only when the new ones are complete.
struct InPlaceMigration {
    private let request: EngineMigrationRequest

    /// nil when the differences need more than SQL: values that move into or out of files of their own.
    init?(_ request: EngineMigrationRequest) {
        guard !request.layouts.movesExternalValues else { return nil }
        self.request = request
    }

    /// Migrates a store on the connection by which it was found.
    ///
    /// - Throws: as ``StoreDriver/migrate(_:_:_:)``.
    func run(on opened: StoreFile.Opened, _ monitor: (any MigrationMonitor)?) throws {
        let connection = opened.connection
        defer { reset(connection, opened.settings) }
        // A store without a log keeps being one: opening it for writing converts it, when it has been migrated.
        let hasLog = try connection.text("PRAGMA journal_mode")?.lowercased() == "wal"
        try ConnectionSettings(pragmas: hasLog ? [:] : ["synchronous": "FULL"]).configure(connection, writing: hasLog)
        // Tables are renamed on their way out; nothing that refers to them by name may follow.
        for pragma in ["legacy_alter_table = ON", "foreign_keys = OFF", "cache_size = -32000"] {
            try connection.execute("PRAGMA \(pragma)")
        }
        try InPlaceSession.addFunctions(to: connection)
        do {
            // A long statement stops when the migration is cancelled.
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

    /// Leaves the connection as others of the store are set up.
    private func reset(_ connection: SQLiteConnection, _ settings: ConnectionSettings) {
        for pragma in ["legacy_alter_table = OFF", "cache_size = -2000"] {
            try? connection.execute("PRAGMA \(pragma)")
        }
        try? connection.enableViews(false)
        try? settings.configure(connection, writing: false)
    }

    /// Gives back the space of the old tables. The migration is complete without.
    private func tidy(_ connection: SQLiteConnection) {
        let free = (try? connection.integer("PRAGMA freelist_count")) ?? 0
        let all = (try? connection.integer("PRAGMA page_count")) ?? 0
        if free * 4 > all { try? connection.execute("PRAGMA incremental_vacuum") }
        try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
