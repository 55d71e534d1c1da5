#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// The tables of persistent history in a store: found, and created when history is first asked for.
enum HistoryTables {
    /// Returns the history of a store that is being opened; nil if it keeps none.
    ///
    /// A store that has kept history goes on, even if it is opened without the option, because others rely on it.
    static func open(_ pool: ConnectionPool, _ options: StoreOptions) throws -> ServerHistory? {
        let isWanted = options.flag(NSPersistentHistoryTrackingKey) && !options.flag(NSReadOnlyPersistentStoreOption)
        do {
            let deadline = Deadline(after: 30)
            return try pool.withConnection(until: deadline) { connection in
                var state = try read(connection, until: deadline)
                if !state.exists {
                    guard isWanted else {
                        try requireNoWatch(options)
                        return nil
                    }
                    try create(try order(of: options) ?? state.usualOrder, connection, until: deadline)
                    state = try read(connection, until: deadline)
                }
                guard let order = HistoryOrder(rawValue: try storedOrder(connection, until: deadline)) else {
                    throw unknownOrder(pool)
                }
                if order == .commits { try beginEraIfNeeded(connection, until: deadline) }
                return ServerHistory(order)
            }
        } catch let error as PostgreSQLError {
            throw ServerFailure.error(error, place: pool.settings.place)
        }
    }

    /// Throws for a store that is to report changes by others, which are found in history.
    private static func requireNoWatch(_ options: StoreOptions) throws {
        guard options.flag(NSPersistentStoreRemoteChangeNotificationPostOptionKey) else { return }
        throw CoreDataError.make(
            NSPersistentStoreOpenError, description: "The store could not be opened.",
            reason: "It is to post notifications of remote changes, which are found in its history, and keeps none.",
            advice: "Add it with NSPersistentHistoryTrackingKey set to true.", key: NSPersistentHistoryTrackingKey)
    }

    // MARK: Finding

    private struct State {
        var exists = false
        var usualOrder = HistoryOrder.commits
    }

    private static func read(_ connection: PostgreSQLConnection, until deadline: Deadline) throws -> State {
        var state = State()
        try connection.run(
            [
                PipelineRequest(ServerStatement(finding, isPrepared: false)) { rows in
                    state.exists = try rows.int64(0, 0) != 0
                    state.usualOrder = try rows.int64(0, 1) != 0 ? .commits : .counter
                }
            ], until: deadline)
        return state
    }

    /// Selects whether there are the tables.
    static let presence =
        "SELECT to_regclass(quote_ident(current_schema()) || '.coredata_transaction') IS NOT NULL"

    /// Selects whether there are the tables, and whether the database has PostgreSQL's own transaction IDs: distributed
    /// databases that speak its protocol have none, or one on each node.
    private static let finding = """
        \(presence), \
        version() ~ '^PostgreSQL [0-9.]+ ' AND to_regproc('pg_snapshot_xmin') IS NOT NULL \
        AND NOT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')
        """

    private static func order(of options: StoreOptions) throws -> HistoryOrder? {
        guard let value = options[NSPersistentHistoryOrderKey] else { return nil }
        if let order = (value as? String).flatMap(HistoryOrder.init) { return order }
        throw CoreDataError.make(
            NSPersistentStoreOpenError, description: "The option \(NSPersistentHistoryOrderKey) is \(value).",
            advice: "Its values are “commits”, the order of PostgreSQL's transaction IDs, and “counter”.",
            key: NSPersistentHistoryOrderKey)
    }

    private static func storedOrder(_ connection: PostgreSQLConnection, until deadline: Deadline) throws -> String {
        var text = ""
        try connection.run(
            [
                PipelineRequest(ServerStatement("SELECT ordered_by FROM coredata_history", isPrepared: false)) {
                    if $0.count > 0 { text = $0.text(0, 0) }
                }
            ], until: deadline)
        return text
    }

    private static func unknownOrder(_ pool: ConnectionPool) -> NSError {
        CoreDataError.make(
            CocoaError.fileReadCorruptFile.rawValue, description: "The store's history cannot be read.",
            reason: "coredata_history in \(pool.settings.place) has no row, or one of a later version.",
            advice:
                "Open the store with the version of the library that wrote it, or restore the database from a backup.")
    }

    // MARK: Changing

    /// Creates the tables in one transaction, unless another process does so meanwhile.
    private static func create(
        _ order: HistoryOrder, _ connection: PostgreSQLConnection, until deadline: Deadline
    ) throws {
        // One process at a time.
        let locking = "SELECT 1 FROM \(StoreRecord.table) FOR UPDATE"
        let statements = ["BEGIN", locking] + PostgreSQLSchema.history(order).map(\.sql) + ["COMMIT"]
        try connection.run(statements.map { PipelineRequest.plain($0) }, until: deadline)
    }

    /// Begins an era if history has transaction IDs that the database has not assigned yet: it was restored from a dump.
    private static func beginEraIfNeeded(_ connection: PostgreSQLConnection, until deadline: Deadline) throws {
        var isNeeded = false
        try connection.run(
            [
                PipelineRequest(ServerStatement("SELECT \(hasUnassigned)", isPrepared: false)) {
                    isNeeded = try $0.int64(0, 0) != 0
                }
            ], until: deadline)
        guard isNeeded else { return }
        try connection.run(
            [
                .plain("BEGIN"), .plain("SELECT 1 FROM coredata_history FOR UPDATE"),
                .plain("UPDATE coredata_history SET era = era + 1 WHERE \(hasUnassigned)"), .plain("COMMIT"),
            ], until: deadline)
    }

    private static let hasUnassigned = """
        EXISTS (SELECT 1 FROM coredata_transaction t WHERE t.era = (SELECT h.era FROM coredata_history h) \
        AND t.commit_order >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
        """
}
#endif
