#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// The statements that a migration of large tables leaves to run after its transaction: they create indexes concurrently and
/// validate foreign keys, and keep no one from reading or writing the tables. The migration notes them in its transaction.
///
/// The first process that opens the store afterwards runs them, in general the one that has migrated it, under the lease of
/// migrations. If it is killed, the next one does. A later migration runs them in its transaction.
enum PendingStatements {
    /// The size in bytes from which a table is large: some 500,000 rows.
    static let largeTable = 64 << 20

    private static let table = PostgreSQLSchema.pendingTable

    /// Selects true if the store has such statements.
    static let presence = "to_regclass(quote_ident(current_schema()) || '.\(table)') IS NOT NULL"

    // MARK: Noting

    /// Returns the tables that are large.
    ///
    /// - Parameter names: The present names, qualified where they are in the model.
    static func largeTables(_ names: Set<String>, on connection: PostgreSQLConnection) throws -> Set<String> {
        guard !names.isEmpty else { return [] }
        let names = names.sorted()
        var parameters = ParameterList()
        parameters.add(names.map(PostgreSQLName.quoted))
        var large: Set<String> = []
        try connection.run([
            PipelineRequest(ServerStatement(sizes, isPrepared: false), parameters) { rows in
                for row in 0..<rows.count { large.insert(names[Int(try rows.int64(row, 0)) - 1]) }
            }
        ])
        return large
    }

    /// Returns the statements that note others to run after the transaction.
    static func notes(_ statements: [PendingStatement]) -> [PipelineRequest] {
        guard !statements.isEmpty else { return [] }
        let insertion = ServerStatement(
            "INSERT INTO \(table) (position, sql, index_name) VALUES ($1::bigint, $2::text, $3::text)",
            isPrepared: false)
        return [.plain(PostgreSQLSchema.pending.sql)]
            + statements.enumerated().map { position, statement in
                var parameters = ParameterList()
                parameters.add(Int64(position))
                parameters.add(statement.sql)
                parameters.add(statement.index)
                return PipelineRequest(insertion, parameters)
            }
    }

    // MARK: Running

    /// Runs the statements of a store that has some, unless another process does. What cannot be run is logged; the next
    /// process that opens the store tries again.
    static func run(_ settings: ConnectionSettings) {
        var settings = settings
        settings.preparesStatements = false
        // The lease is renewed over the second connection.
        let pool = ConnectionPool(settings, size: 2)
        do {
            guard let lease = try MigrationLease.takeIfFree(pool) else { return pool.close() }
            defer { lease.end() }
            try pool.withConnection(until: Deadline(after: 30)) { connection in
                guard try isThere(connection) else { return }
                var isComplete = true
                for statement in try all(on: connection) {
                    isComplete = run(statement, on: connection, settings.place) && isComplete
                }
                if isComplete { try drop(connection) }
            }
        } catch {
            warn(settings.place, "The statements in \(table)", error)
            pool.close()
        }
    }

    /// Runs the statements within a migration.
    static func run(in connection: PostgreSQLConnection) throws {
        guard try isThere(connection) else { return }
        for statement in try all(on: connection) {
            switch try validity(of: statement, on: connection) {
            case true?: continue
            case false?:
                try connection.run([.plain("DROP INDEX IF EXISTS \(statement.index ?? "")"), .plain(statement.sql)])
            case nil: try connection.run([.plain(statement.sql)])
            }
        }
        try connection.run([.plain("DROP TABLE \(table)")])
    }

    /// Runs a statement outside of a transaction; returns false if it fails.
    private static func run(
        _ statement: PendingStatement, on connection: PostgreSQLConnection, _ place: String
    ) -> Bool {
        do {
            let validity = try validity(of: statement, on: connection)
            // A creation that was interrupted leaves an index that is not used.
            if validity == false, let index = statement.index {
                try connection.run([.plain("DROP INDEX CONCURRENTLY IF EXISTS \(index)")])
            }
            if validity != true { try connection.run([.plain(statement.concurrentSQL)]) }
            var parameters = ParameterList()
            parameters.add(statement.sql)
            try connection.run([
                PipelineRequest(
                    ServerStatement("DELETE FROM \(table) WHERE sql = $1::text", isPrepared: false), parameters)
            ])
            return true
        } catch {
            warn(place, statement.concurrentSQL, error)
            return false
        }
    }

    private static func warn(_ place: String, _ statement: String, _ error: any Error) {
        let reason = (error as? PostgreSQLError).map { ServerFailure.error($0, place: place) } ?? error as NSError
        NSLog(
            "%@",
            "CoreData: warning: The store in \(place) was migrated, but a statement is left to run, and is tried again "
                + "when the store is opened: \(statement): \(reason.localizedFailureReason ?? reason.localizedDescription)"
        )
    }

    // MARK: Reading

    private static func isThere(_ connection: PostgreSQLConnection) throws -> Bool {
        var isThere = false
        let statement = ServerStatement("SELECT (\(presence))::integer::bigint", isPrepared: false)
        try connection.run([PipelineRequest(statement) { isThere = try $0.int64(0, 0) != 0 }])
        return isThere
    }

    private static func all(on connection: PostgreSQLConnection) throws -> [PendingStatement] {
        var all: [PendingStatement] = []
        let statement = ServerStatement("SELECT sql, index_name FROM \(table) ORDER BY position", isPrepared: false)
        try connection.run([
            PipelineRequest(statement) { rows in
                for row in 0..<rows.count {
                    all.append(
                        PendingStatement(sql: rows.text(row, 0), index: rows.isNull(row, 1) ? nil : rows.text(row, 1)))
                }
            }
        ])
        return all
    }

    /// Returns true if the index of a statement is there, false if its creation was interrupted, and nil if it is not there, or
    /// the statement creates none.
    private static func validity(
        of statement: PendingStatement, on connection: PostgreSQLConnection
    ) throws -> Bool? {
        guard let index = statement.index else { return nil }
        var validity: Bool?
        var parameters = ParameterList()
        parameters.add(index)
        let request = PipelineRequest(ServerStatement(Self.validity, isPrepared: false), parameters) {
            if $0.count > 0 { validity = try $0.int64(0, 0) != 0 }
        }
        try connection.run([request])
        return validity
    }

    /// Drops the table, unless a later migration has added statements.
    private static func drop(_ connection: PostgreSQLConnection) throws {
        do {
            var isEmpty = false
            let count = ServerStatement("SELECT count(*) FROM \(table)", isPrepared: false)
            try connection.run([
                .plain("BEGIN"), .plain("SELECT FROM \(StoreRecord.table) FOR UPDATE"),
                PipelineRequest(count) { isEmpty = try $0.int64(0, 0) == 0 },
            ])
            try connection.run(isEmpty ? [.plain("DROP TABLE \(table)"), .plain("COMMIT")] : [.plain("COMMIT")])
        } catch {
            if connection.isInTransaction { try? connection.run([PostgreSQLConnection.rollback]) }
            throw error
        }
    }

    private static let sizes = """
        SELECT n FROM unnest($1::text[]) WITH ORDINALITY t(name, n) \
        WHERE pg_relation_size(to_regclass(CASE WHEN array_length(parse_ident(name), 1) = 1 \
        THEN quote_ident(current_schema()) || '.' ELSE '' END || name)) >= \(largeTable)
        """

    private static let validity =
        "SELECT indisvalid::integer::bigint FROM pg_index WHERE indexrelid = to_regclass($1::text)"
}
#endif
