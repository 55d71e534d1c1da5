#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation
import ModelFormat

/// The row of `coredata_metadata`, which makes a schema a store: UUID, metadata, the model, and the names of all tables and
/// sequences.
package struct StoreRecord: Sendable {
    package let identifier: String
    /// The metadata as a property list.
    private let list: Data

    static let table = PostgreSQLSchema.metadataName
    static let storeType = "PostgreSQL"

    /// The metadata, decoded on each access.
    var values: [String: Any] {
        var values = PropertyListDictionary.read(list) ?? [:]
        values[NSStoreUUIDKey] = identifier
        values[NSStoreTypeKey] = Self.storeType
        return values
    }

    // MARK: Reading

    /// Reads the record; returns nil for a schema without a store.
    static func read(_ pool: ConnectionPool) throws -> StoreRecord? {
        try run(pool) { connection in
            guard try exists(connection) else { return nil }
            var record: StoreRecord?
            try connection.run(
                [
                    PipelineRequest(ServerStatement("SELECT store_uuid, metadata FROM \(table)")) { rows in
                        guard rows.count > 0 else { return }
                        record = StoreRecord(identifier: rows.text(0, 0), list: Data(rows.bytes(0, 1)))
                    }
                ], until: deadline)
            guard let record, !record.identifier.isEmpty, PropertyListDictionary.read(record.list) != nil else {
                throw CoreDataError.make(
                    CocoaError.fileReadCorruptFile.rawValue, description: "The store's metadata cannot be read.",
                    reason: "\(table) in \(pool.settings.place) has no row, or one without a property list.",
                    advice: "Restore the database from a backup; it was left as it is.")
            }
            return record
        }
    }

    static func modelArchive(_ pool: ConnectionPool) throws -> Data? {
        try run(pool) { connection in
            var archive: Data?
            try connection.run(
                [
                    PipelineRequest(ServerStatement("SELECT model FROM \(table)")) { rows in
                        if rows.count > 0, !rows.isNull(0, 0) { archive = Data(rows.bytes(0, 0)) }
                    }
                ], until: deadline)
            return archive
        }
    }

    // MARK: Writing

    /// Creates the tables of a model and the record in one transaction; returns the record of another process that has done
    /// so meanwhile.
    static func make(
        _ pool: ConnectionPool, _ metadata: [String: Any], _ model: Data?, _ tables: PostgreSQLTables
    ) throws -> StoreRecord {
        let parts = try PostgreSQLSchema(tables).parts()
        var parameters = ParameterList()
        let identifier = metadata[NSStoreUUIDKey] as? String ?? UUID().uuidString
        let list = try MetadataList.data(of: metadata)
        parameters.add(identifier)
        parameters.add(list)
        if let model { parameters.add(model) } else { parameters.addNull() }
        parameters.add(parts.filter { $0.kind == .table }.map { PostgreSQLName.quoted($0.name) })
        parameters.add(parts.filter { $0.kind == .sequence }.map { PostgreSQLName.quoted($0.name) })
        var requests: [PipelineRequest] = [
            .plain("BEGIN"), .plain(PostgreSQLSchema.metadata.sql), .plain(PostgreSQLSchema.marks.sql),
        ]
        requests += parts.map { PipelineRequest.plain($0.sql) }
        requests.append(
            PipelineRequest(
                ServerStatement(
                    "INSERT INTO \(table) (store_uuid, metadata, model, tables, sequences) "
                        + "VALUES ($1::text, $2::bytea, $3::bytea, $4::text[], $5::text[])", isPrepared: false),
                parameters))
        requests.append(.plain("COMMIT"))
        do {
            return try run(pool) { connection in
                try connection.run(requests, until: Deadline(after: 120))
                return StoreRecord(identifier: identifier, list: list)
            }
        } catch {
            // Another process may have created it: its name was taken, or is now.
            if let made = try? read(pool) { return made }
            throw error
        }
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

    /// Drops the store's tables, and with them their sequences; other tables of the schema stay.
    static func destroy(_ pool: ConnectionPool) throws {
        try run(pool) { connection in
            guard try exists(connection) else { return }
            var names = [table, PostgreSQLSchema.marks.name]
            try connection.run(
                [
                    PipelineRequest(
                        ServerStatement("SELECT \(quotedParts) FROM (SELECT unnest(tables) FROM \(table)) t(name)")
                    ) { rows in names += (0..<rows.count).map { rows.text($0, 0) } }
                ], until: deadline)
            let list = names.joined(separator: ", ")
            try connection.run(
                [.plain("BEGIN"), .plain("DROP TABLE IF EXISTS \(list) CASCADE"), .plain("COMMIT")], until: deadline)
        }
    }

    /// The SQL of a name in the record, which may have a schema, with every part quoted.
    private static let quotedParts =
        "(SELECT string_agg(quote_ident(part), '.' ORDER BY n) FROM unnest(parse_ident(name)) WITH ORDINALITY p(part, n))"

    // MARK: Connections

    private static var deadline: Deadline { Deadline(after: 30) }

    private static func exists(_ connection: PostgreSQLConnection) throws -> Bool {
        var isThere = false
        try connection.run(
            [
                PipelineRequest(ServerStatement("SELECT to_regclass('\(table)') IS NOT NULL")) { rows in
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
