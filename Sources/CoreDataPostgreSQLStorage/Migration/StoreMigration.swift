#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// A migration by inference, in the database: one transaction, after which the store has the tables of a new one.
///
/// The row of `coredata_metadata` is locked first, so that one process migrates and others find the store migrated. Cost: one
/// pass over the rows of each table with new values; tables with new columns and names only are not rewritten. Indexes and
/// foreign keys of large tables are left for after the transaction: see ``PendingStatements``.
struct StoreMigration {
    private let request: EngineMigrationRequest
    private let migration: PostgreSQLMigration
    private let old: PostgreSQLTables
    private let new: PostgreSQLTables
    private let url: URL
    private let place: String
    private let monitor: (any MigrationMonitor)?

    /// The seconds that a migration waits for that of another process.
    static let turnTimeout = 120
    /// The repetition of migrations that others kept from their tables.
    static var retryPolicy: RetryPolicy {
        var policy = RetryPolicy()
        policy.timeLimit = 30
        policy.firstPause = 0.1
        return policy
    }

    /// Compares the two versions.
    ///
    /// - Throws: Errors for a destination that the database cannot store.
    init(_ request: EngineMigrationRequest, of url: URL, place: String, _ monitor: (any MigrationMonitor)?) throws {
        self.request = request
        self.url = url
        self.place = place
        self.monitor = monitor
        let (old, new) = (PostgreSQLTables(request.layouts.source), PostgreSQLTables(request.layouts.destination))
        self.old = old
        self.new = new
        migration = try PostgreSQLMigration(request.layouts, from: old, to: new)
    }

    // MARK: Checking

    /// Checks the rows of a store, and its tables, before anything is written.
    ///
    /// - Throws: 134110 naming entity, property and objects; 134020 for tables that were changed by hand.
    static func check(
        _ models: LayoutCorrespondence, _ identifier: String, _ url: URL, place: String,
        on connection: PostgreSQLConnection
    ) throws {
        let old = PostgreSQLTables(models.source)
        let migration = try PostgreSQLMigration(models, from: old, to: PostgreSQLTables(models.destination))
        try requireTables(old, place, on: connection)
        try MigrationFindings(checks: migration.checks, identifier: identifier, url: url)
            .run(on: connection, checking: nil)
    }

    private static func requireTables(
        _ tables: PostgreSQLTables, _ place: String, on connection: PostgreSQLConnection
    ) throws {
        let failure = try SchemaCheck(tables).failure(on: connection, place: place, until: Deadline(after: 30))
        if let failure { throw failure }
    }

    // MARK: Migrating

    /// Migrates the store of a pool, or throws and leaves it unchanged.
    func run(_ pool: ConnectionPool) throws {
        do {
            try Self.retrying(monitor) {
                try pool.withConnection(until: Deadline(after: 30)) { connection in
                    let transaction = try MigrationTransaction(connection)
                    try transaction.telling {
                        try run(in: transaction)
                        try monitor?.checkCancellation()
                        try commit(connection, pool)
                    }
                }
            }
        } catch let error as PostgreSQLError {
            try monitor?.checkCancellation()
            throw failure("").failure(error, in: nil)
        } catch {
            try monitor?.checkCancellation()
            throw error
        }
    }

    /// Runs a transaction again while others hold its tables.
    static func retrying<Result>(_ monitor: (any MigrationMonitor)?, _ body: () throws -> Result) throws -> Result {
        try retryPolicy.retrying { _ in
            try monitor?.checkCancellation()
            do {
                return try body()
            } catch let error as PostgreSQLError where error.state == "55P03" {
                throw PostgreSQLError.waiting(error)
            }
        }
    }

    private func commit(_ connection: PostgreSQLConnection, _ pool: ConnectionPool) throws {
        do {
            try connection.run([.plain("COMMIT")], until: Deadline(after: 60))
        } catch let error as PostgreSQLError where error.isOutcomeUnknown {
            // The metadata say whether it was committed.
            pool.closeIdle()
            guard let found = try? StoreRecord.read(pool), isOfDestination(found) else { throw error }
        }
    }

    private func isOfDestination(_ record: StoreRecord) -> Bool {
        StoreVersionHashes.hashes(in: record.values)
            == StoreVersionHashes.hashes(in: request.destination.versionMetadata)
    }

    private func failure(_ identifier: String) -> MigrationFailure {
        MigrationFailure(
            migration: migration, models: request.layouts, tables: new, identifier: identifier, url: url, place: place)
    }

    /// Migrates the store in a transaction that has locked its metadata.
    func run(in transaction: MigrationTransaction) throws {
        let connection = transaction.connection
        let record = try transaction.record()
        // Another process has migrated it meanwhile.
        if isOfDestination(record) { return }
        guard request.accepts(record.values) else {
            throw CoreDataError.make(
                NSMigrationManagerSourceStoreError, description: "The store in \(place) could not be migrated.",
                reason:
                    "It is not of the model the migration starts from; another process may have migrated it to another "
                    + "version.",
                advice: "Add the store again.", userInfo: [NSURLErrorKey: url])
        }
        try Self.requireTables(old, place, on: connection)
        try PendingStatements.run(in: connection)
        let interruption = monitor.map { monitor in FetchInterruption(isCancelled: { monitor.isCancelled }) }
        let history: PostgreSQLMigration.Statement?
        do {
            let changesHistory = try changesHistory(on: connection)
            let beginning = migration.beginning(changesHistory: changesHistory)
            try connection.run(beginning.map { .plain($0) }, checking: interruption)
            history = changesHistory ? migration.history : nil
            try MigrationFindings(checks: migration.checks, identifier: record.identifier, url: url)
                .run(on: connection, checking: interruption)
        } catch let error as PostgreSQLError where !Self.isRetried(error) {
            throw failure(record.identifier).failure(error, in: nil)
        }
        try alter(record, history, on: connection, checking: interruption)
    }

    /// Returns true if the store keeps history that needs new names.
    private func changesHistory(on connection: PostgreSQLConnection) throws -> Bool {
        guard migration.history != nil else { return false }
        var isThere = false
        let statement = ServerStatement(HistoryTables.presence, isPrepared: false)
        try connection.run([PipelineRequest(statement) { isThere = try $0.int64(0, 0) != 0 }])
        return isThere
    }

    private func alter(
        _ record: StoreRecord, _ history: PostgreSQLMigration.Statement?, on connection: PostgreSQLConnection,
        checking interruption: FetchInterruption?
    ) throws {
        var requests: [PipelineRequest] = []
        var statements: [PostgreSQLMigration.Statement?] = []
        func add(_ request: PipelineRequest, _ statement: PostgreSQLMigration.Statement? = nil) {
            requests.append(request)
            statements.append(statement)
        }
        for function in PostgreSQLSchema.functions { add(.plain(function.sql)) }
        let all = migration.statements
        let large = try PendingStatements.largeTables(Set(all.compactMap { $0.deferral?.table }), on: connection)
        var pending: [PendingStatement] = []
        let savepoint = all.firstIndex { $0.constraint != nil }
        for (index, statement) in all.enumerated() {
            if index == savepoint { add(.plain("SAVEPOINT coredata_constraints")) }
            var sql = statement.sql
            if let deferral = statement.deferral, large.contains(deferral.table) {
                pending.append(deferral.later)
                guard let rest = deferral.statement else { continue }
                sql = rest
            }
            let request = PipelineRequest(ServerStatement(sql, isPrepared: false)) { [monitor] _ in
                monitor?.setProgress(Float(index + 1) / Float(all.count) * 0.95)
            }
            add(request, statement)
        }
        if let history { add(.plain(history.sql), history) }
        for note in PendingStatements.notes(pending) { add(note) }
        add(try description(record))
        do {
            try connection.run(requests, checking: interruption)
        } catch let error as PostgreSQLError where !Self.isRetried(error) {
            let failure = failure(record.identifier)
            let statement = error.request.flatMap { statements[$0] }
            if error.state == "23505", let name = statement?.constraint, connection.isInFailedTransaction {
                try connection.run([.plain("ROLLBACK TO SAVEPOINT coredata_constraints")])
                if let violation = try failure.violation(of: name, error, on: connection) { throw violation }
            }
            throw failure.failure(error, in: statement)
        }
    }

    private static func isRetried(_ error: PostgreSQLError) -> Bool {
        error.state == "55P03" || RetryPolicy.isRetried(error)
    }

    /// Returns the statement that writes the destination's model to the metadata.
    private func description(_ record: StoreRecord) throws -> PipelineRequest {
        let former = record.values
        var metadata = former
        metadata.merge(request.destination.versionMetadata) { _, described in described }
        // Other hosts may still run programs with the former version: they do not migrate the store back.
        let direction = request.direction == .unknown ? .forward : request.direction
        FormerVersions.note(migrationFrom: former, in: &metadata, direction)
        OlderPrograms.note(migrationFrom: former, in: &metadata, obstacle: migration.obstacle)
        return try StoreRecord.update(
            metadata, model: request.destination.archive(), tables: migration.tables, sequences: migration.sequences)
    }
}

extension PostgreSQLError {
    /// Returns an error for which a transaction is tried again.
    fileprivate static func waiting(_ error: PostgreSQLError) -> PostgreSQLError {
        var result = error
        result.isWaiting = true
        return result
    }
}
#endif
