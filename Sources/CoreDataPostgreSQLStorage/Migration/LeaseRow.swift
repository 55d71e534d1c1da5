#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// The row of `coredata_lease`, which a process takes for some seconds, and takes again before they are over.
///
/// Each statement is a transaction. The server's clock decides. The lease keeps processes from queueing for locks; that a
/// migration is not done twice is ensured by its transaction.
struct LeaseRow {
    /// The process that holds the lease.
    struct Holder {
        let host: String
        let process: String
        let since: Date
    }

    enum Attempt {
        case taken
        case held(Holder)
        /// There is no store, or no row that the user may change.
        case impossible
    }

    private let pool: ConnectionPool
    private let identifier = UUID()
    /// The seconds for which the lease is taken.
    let length: Double

    init(_ pool: ConnectionPool, length: Double) {
        self.pool = pool
        self.length = length
    }

    // MARK: Taking

    /// Tries to take the lease.
    func take() throws -> Attempt {
        try RetryPolicy().retrying { _ in
            do {
                return try pool.withConnection(until: deadline) { connection in
                    guard try isThere(connection) else { return .impossible }
                    return try take(on: connection)
                }
            } catch let error as PostgreSQLError where Self.isRefusal(error) {
                return .impossible
            }
        }
    }

    /// Returns true for a user without rights to the table, or to create it, and for a database that is only read.
    private static func isRefusal(_ error: PostgreSQLError) -> Bool { ["42501", "25006"].contains(error.state) }

    private func isThere(_ connection: PostgreSQLConnection) throws -> Bool {
        let state = try text(connection, Self.presence)
        guard state == "no lease" else { return state == "lease" }
        do {
            let creation = PostgreSQLSchema.lease.map { PipelineRequest.plain($0.sql) }
            try connection.run([.plain("BEGIN")] + creation + [.plain("COMMIT")], until: deadline)
        } catch let error as PostgreSQLError where ["23505", "42P07", "42710"].contains(error.state) {
            // Another process has created it at the same time.
            if connection.isInTransaction { try connection.run([PostgreSQLConnection.rollback], until: deadline) }
        }
        return true
    }

    private func take(on connection: PostgreSQLConnection) throws -> Attempt {
        var attempt: Attempt?
        var parameters = identity
        parameters.add(Self.host)
        parameters.add("\(ServerHistory.process) \(ProcessInfo.processInfo.processIdentifier)")
        parameters.add(length)
        try connection.run(
            [
                PipelineRequest(Self.taking, parameters) { if $0.count > 0 { attempt = .taken } },
                PipelineRequest(Self.holding) { rows in
                    guard attempt == nil, rows.count > 0 else { return }
                    let seconds = try BinaryValue.date(rows.bytes(0, 2))
                    attempt = .held(
                        Holder(
                            host: rows.text(0, 0), process: rows.text(0, 1),
                            since: Date(timeIntervalSinceReferenceDate: seconds)))
                },
            ], until: deadline)
        return attempt ?? .impossible
    }

    /// Takes the lease for another period; returns false if another process has it, or none does.
    func renew() throws -> Bool {
        var isHeld = false
        var parameters = identity
        parameters.add(length)
        try pool.withConnection(until: deadline) { connection in
            try connection.run(
                [PipelineRequest(Self.renewal, parameters) { isHeld = $0.count > 0 }], until: deadline)
        }
        return isHeld
    }

    func release() throws {
        try pool.withConnection(until: deadline) { connection in
            try connection.run([PipelineRequest(Self.ending, identity)], until: deadline)
        }
    }

    // MARK: Statements

    private var deadline: Deadline { Deadline(after: 10) }

    private var identity: ParameterList {
        var parameters = ParameterList()
        parameters.add { writer in withUnsafeBytes(of: identifier.uuid) { writer.bytes.append(contentsOf: $0) } }
        return parameters
    }

    /// The name of this host. Foundation asks a name server for it, which may take seconds.
    private static let host: String = {
        var characters = [CChar](repeating: 0, count: 256)
        guard gethostname(&characters, characters.count - 1) == 0 else { return "" }
        return String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    private func text(_ connection: PostgreSQLConnection, _ sql: String) throws -> String {
        var text = ""
        let request = PipelineRequest(ServerStatement(sql, isPrepared: false)) {
            if $0.count > 0 { text = $0.text(0, 0) }
        }
        try connection.run([request], until: deadline)
        return text
    }

    private static let table = PostgreSQLSchema.leaseTable

    /// Selects what is in the store's schema, not in one that follows it in the search path.
    private static let presence = """
        SELECT CASE WHEN to_regclass(quote_ident(current_schema()) || '.\(StoreRecord.table)') IS NULL THEN 'no store' \
        WHEN to_regclass(quote_ident(current_schema()) || '.\(table)') IS NULL THEN 'no lease' ELSE 'lease' END
        """

    private static let taking = ServerStatement(
        """
        UPDATE \(table) SET holder = $1::uuid, host = $2::text, process = $3::text, since = clock_timestamp(), \
        until = clock_timestamp() + $4::double precision * interval '1 second' \
        WHERE id = 1 AND until < clock_timestamp() RETURNING id
        """, isPrepared: false)

    private static let renewal = ServerStatement(
        """
        UPDATE \(table) SET until = clock_timestamp() + $2::double precision * interval '1 second' \
        WHERE id = 1 AND holder = $1::uuid RETURNING id
        """, isPrepared: false)

    private static let ending = ServerStatement(
        "UPDATE \(table) SET holder = NULL, until = '-infinity' WHERE id = 1 AND holder = $1::uuid", isPrepared: false)

    private static let holding = ServerStatement(
        "SELECT coalesce(host, ''), coalesce(process, ''), coalesce(since, clock_timestamp()) FROM \(table) WHERE id = 1",
        isPrepared: false)
}
#endif
