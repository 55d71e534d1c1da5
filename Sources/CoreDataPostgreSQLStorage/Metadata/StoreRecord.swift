#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation
import ModelFormat

/// The row of `coredata_metadata`, which makes a schema a store: UUID, metadata, the model, and the names of all tables and
/// sequences.
package struct StoreRecord: Sendable, Equatable {
    package let identifier: String
    /// The number of times that the tables were migrated, and 1.
    let schemaVersion: Int64
    /// The metadata as a property list.
    private let list: Data
    /// True if a migration has left statements to run; see ``PendingStatements``.
    var hasPendingStatements = false

    static let table = PostgreSQLSchema.metadataName
    static let storeType = "PostgreSQL"

    /// The metadata, decoded on each access.
    var values: [String: Any] {
        var values = PropertyListDictionary.read(list) ?? [:]
        values[NSStoreUUIDKey] = identifier
        values[NSStoreTypeKey] = Self.storeType
        return values
    }

    /// Returns true if the store has the version of the model that another record has.
    func hasVersion(of other: StoreRecord) -> Bool {
        list == other.list || StoreVersionHashes.hashes(in: values) == StoreVersionHashes.hashes(in: other.values)
    }

    // MARK: Reading

    /// Reads the record; returns nil for a schema without a store.
    static func read(_ pool: ConnectionPool) throws -> StoreRecord? {
        try run(pool) { connection in
            try exists(connection) ? read(on: connection) : nil
        }
    }

    /// Reads the record of a schema that has one.
    static func read(on connection: PostgreSQLConnection) throws -> StoreRecord {
        var record: StoreRecord?
        try connection.run(
            [
                PipelineRequest(reading) { rows in
                    guard rows.count > 0 else { return }
                    record = StoreRecord(
                        identifier: rows.text(0, 0), schemaVersion: try rows.int64(0, 2),
                        list: Data(rows.bytes(0, 1)), hasPendingStatements: try rows.int64(0, 3) != 0)
                }
            ], until: deadline)
        guard let record, !record.identifier.isEmpty, PropertyListDictionary.read(record.list) != nil else {
            throw CoreDataError.make(
                CocoaError.fileReadCorruptFile.rawValue, description: "The store's metadata cannot be read.",
                reason: "\(table) has no row, or one without a property list.",
                advice: "Restore the database from a backup; it was left as it is.")
        }
        return record
    }

    private static let reading = ServerStatement(
        "SELECT store_uuid, metadata, schema_version::bigint, (\(PendingStatements.presence))::integer::bigint FROM \(table)"
    )

    static func modelArchive(_ pool: ConnectionPool) throws -> Data? { try run(pool) { try modelArchive(on: $0) } }

    static func modelArchive(on connection: PostgreSQLConnection) throws -> Data? {
        var archive: Data?
        try connection.run(
            [
                PipelineRequest(ServerStatement("SELECT model FROM \(table)")) { rows in
                    if rows.count > 0, !rows.isNull(0, 0) { archive = Data(rows.bytes(0, 0)) }
                }
            ], until: deadline)
        return archive
    }

    // MARK: Writing

    /// Creates the tables of a model and the record in one transaction; returns the record of another process that has done
    /// so meanwhile.
    static func make(
        _ pool: ConnectionPool, _ metadata: [String: Any], _ model: Data?, _ tables: PostgreSQLTables
    ) throws -> StoreRecord {
        let parts = try PostgreSQLSchema(tables).parts()
        let identifier = metadata[NSStoreUUIDKey] as? String ?? UUID().uuidString
        let list = try MetadataList.data(of: metadata)
        var requests: [PipelineRequest] = [
            .plain("BEGIN"), .plain(PostgreSQLSchema.metadata.sql), .plain(PostgreSQLSchema.marks.sql),
        ]
        requests += parts.map { PipelineRequest.plain($0.sql) }
        requests.append(
            PipelineRequest(
                ServerStatement(
                    "INSERT INTO \(table) (store_uuid, metadata, model, tables, sequences) "
                        + "VALUES ($1::text, $2::bytea, $3::bytea, $4::text[], $5::text[])", isPrepared: false),
                parameters(identifier, list, model, parts)))
        requests.append(.plain("COMMIT"))
        do {
            return try run(pool) { connection in
                try connection.run(requests, until: Deadline(after: 120))
                return StoreRecord(identifier: identifier, schemaVersion: 1, list: list)
            }
        } catch {
            // Another process may have created it: its name was taken, or is now.
            if let made = try? read(pool) { return made }
            throw error
        }
    }

    private static func parameters(
        _ identifier: String, _ list: Data, _ model: Data?, _ parts: [PostgreSQLSchema.Part]
    ) -> ParameterList {
        var parameters = ParameterList()
        parameters.add(identifier)
        parameters.add(list)
        if let model { parameters.add(model) } else { parameters.addNull() }
        parameters.add(parts.filter { $0.kind == .table }.map { PostgreSQLName.quoted($0.name) })
        parameters.add(parts.filter { $0.kind == .sequence }.map { PostgreSQLName.quoted($0.name) })
        return parameters
    }

    /// Creates the tables of a model in a transaction, and makes the record that of a new store without history. The tables of
    /// the store before have other names.
    static func replace(
        on connection: PostgreSQLConnection, _ metadata: [String: Any], _ model: Data?, _ tables: PostgreSQLTables
    ) throws -> StoreRecord {
        let parts = try PostgreSQLSchema(tables).parts()
        let identifier = metadata[NSStoreUUIDKey] as? String ?? UUID().uuidString
        let list = try MetadataList.data(of: metadata)
        let former = PostgreSQLSchema.historyTables + [PostgreSQLSchema.pendingTable]
        var version: Int64 = 0
        try connection.run(
            (former.map { "DROP TABLE IF EXISTS \($0)" } + parts.map(\.sql)).map { .plain($0) } + [
                PipelineRequest(
                    ServerStatement(
                        "UPDATE \(table) SET store_uuid = $1::text, metadata = $2::bytea, model = $3::bytea, "
                            + "tables = $4::text[], sequences = $5::text[], schema_version = schema_version + 1 "
                            + "RETURNING schema_version::bigint", isPrepared: false),
                    parameters(identifier, list, model, parts)
                ) { if $0.count > 0 { version = try $0.int64(0, 0) } }
            ])
        return StoreRecord(identifier: identifier, schemaVersion: version, list: list)
    }

    static func write(_ metadata: [String: Any], _ pool: ConnectionPool) throws {
        let request = try update(metadata)
        try run(pool) { try $0.run([request], until: deadline) }
    }

    /// Returns the statement that replaces the metadata.
    static func update(_ metadata: [String: Any]) throws -> PipelineRequest {
        var metadata = metadata
        let identifier = metadata.removeValue(forKey: NSStoreUUIDKey) as? String
        var parameters = ParameterList()
        parameters.add(identifier)
        parameters.add(try MetadataList.data(of: metadata))
        return PipelineRequest(
            ServerStatement("UPDATE \(table) SET store_uuid = coalesce($1::text, store_uuid), metadata = $2::bytea"),
            parameters)
    }

    /// Returns the statement that replaces the metadata, the model and the names of tables and sequences, in a migration.
    static func update(
        _ metadata: [String: Any], model: Data?, tables: [String], sequences: [String]
    ) throws -> PipelineRequest {
        var metadata = metadata
        metadata[NSStoreUUIDKey] = nil
        var parameters = ParameterList()
        parameters.add(try MetadataList.data(of: metadata))
        if let model { parameters.add(model) } else { parameters.addNull() }
        parameters.add(tables.map(PostgreSQLName.quoted))
        parameters.add(sequences.map(PostgreSQLName.quoted))
        return PipelineRequest(
            ServerStatement(
                "UPDATE \(table) SET metadata = $1::bytea, model = $2::bytea, tables = $3::text[], "
                    + "sequences = $4::text[], schema_version = schema_version + 1", isPrepared: false), parameters)
    }

    /// Drops the store's tables, and with them their sequences, and its functions; other objects of the schema stay, and so do
    /// functions that an index, a view or another object still needs.
    static func destroy(_ pool: ConnectionPool) throws {
        try run(pool) { connection in
            guard try exists(connection) else { return }
            var tables: [String] = []
            try connection.run(
                [
                    PipelineRequest(ServerStatement(tableNames, isPrepared: false)) { rows in
                        tables = (0..<rows.count).map { rows.text($0, 0) }
                    }
                ], until: deadline)
            var functions: [String] = []
            var parameters = ParameterList()
            parameters.add(PostgreSQLSchema.functions.map(\.name))
            try connection.run(
                [
                    .plain("BEGIN"), .plain("DROP TABLE IF EXISTS \(tables.joined(separator: ", ")) CASCADE"),
                    PipelineRequest(ServerStatement(unusedFunctions, isPrepared: false), parameters) { rows in
                        functions = (0..<rows.count).map { rows.text($0, 0) }
                    },
                ], until: deadline)
            var requests = [PipelineRequest.plain("COMMIT")]
            if !functions.isEmpty {
                requests.insert(.plain("DROP FUNCTION \(functions.joined(separator: ", "))"), at: 0)
            }
            try connection.run(requests, until: deadline)
        }
    }

    /// Selects the names of the store's tables, qualified and quoted. Names without a schema are those of the store's own.
    private static let tableNames = """
        SELECT CASE WHEN array_length(parts, 1) = 1 THEN quote_ident(current_schema()) || '.' ELSE '' END \
        || (SELECT string_agg(quote_ident(part), '.' ORDER BY n) FROM unnest(parts) WITH ORDINALITY p(part, n)) \
        FROM (SELECT parse_ident(name) AS parts FROM (SELECT unnest(tables) FROM \(table) UNION ALL \
        SELECT unnest(ARRAY[\(ownTables)])) names(name)) names
        """

    private static let ownTables =
        ([table, PostgreSQLSchema.marks.name, PostgreSQLSchema.leaseTable, PostgreSQLSchema.pendingTable]
        + PostgreSQLSchema.historyTables).map { PostgreSQLName.literal($0) }.joined(separator: ", ")

    /// Selects the user's functions with some names in the store's schema that no other object depends on.
    private static let unusedFunctions = """
        SELECT format('%I.%I(%s)', current_schema(), proname, pg_get_function_identity_arguments(oid)) FROM pg_proc p \
        WHERE pronamespace = quote_ident(current_schema())::regnamespace AND proname = ANY ($1::text[]) \
        AND pg_has_role(proowner, 'USAGE') AND NOT EXISTS (\
        SELECT 1 FROM pg_depend WHERE refclassid = 'pg_proc'::regclass AND refobjid = p.oid) ORDER BY proname
        """

    // MARK: Connections

    private static var deadline: Deadline { Deadline(after: 30) }

    /// Selects true if the schema that new tables are made in has the record. Other schemas of the search path are not meant.
    private static let presence =
        "SELECT coalesce(to_regclass(quote_ident(current_schema()) || '.\(table)') IS NOT NULL, false)"

    private static func exists(_ connection: PostgreSQLConnection) throws -> Bool {
        var isThere = false
        try connection.run(
            [
                PipelineRequest(ServerStatement(presence)) { rows in
                    isThere = try rows.int64(0, 0) != 0
                }
            ], until: deadline)
        return isThere
    }

    private static func run<Result>(
        _ pool: ConnectionPool, _ body: (PostgreSQLConnection) throws -> Result
    ) throws -> Result {
        do {
            return try pool.withConnection(until: deadline) { connection in
                do {
                    return try body(connection)
                } catch {
                    if connection.isInTransaction { try? connection.run([.plain("ROLLBACK")], until: deadline) }
                    throw error
                }
            }
        } catch let error as PostgreSQLError {
            throw ServerFailure.error(error, place: pool.settings.place)
        }
    }
}
#endif
