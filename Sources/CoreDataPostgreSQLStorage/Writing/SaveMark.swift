#if PostgreSQL
import CoreDataSQLQueries
import Foundation

/// A UUID that a transaction writes, by which its outcome is found out if the connection is lost before the answer to
/// `COMMIT` arrives.
struct SaveMark {
    private let parameters: ParameterList

    init() {
        parameters = Self.parameters(ofTime: Date(), .random(in: .min ... .max), .random(in: .min ... .max))
    }

    /// Returns a UUID of version 7 (RFC 9562): those of later marks are greater, so that the index grows at its end. Foundation
    /// opens a file for each of its UUIDs.
    private static func parameters(ofTime time: Date, _ first: UInt16, _ second: UInt64) -> ParameterList {
        let milliseconds = UInt64(max(0, min(time.timeIntervalSince1970 * 1000, Double(1 << 48 - 1))))
        var parameters = ParameterList()
        parameters.add { writer in
            writer.int64(Int64(bitPattern: milliseconds << 16 | 0x7000 | UInt64(first & 0x0FFF)))
            writer.int64(Int64(bitPattern: 0x8000_0000_0000_0000 | second >> 2))
        }
        return parameters
    }

    /// Returns the statements to run in the transaction. Some transactions also remove old marks.
    ///
    /// - Throws: The first fails, as division by zero, if another program has migrated the store.
    func requests(of engine: PostgreSQLEngine) -> [PipelineRequest] {
        [PipelineRequest(Self.insertion, parameters)] + engine.versionChecks.map { .plain($0) } + removal
    }

    /// Returns the statement that writes the mark, sets the server's limits within the transaction, and fails, as division by
    /// zero, if another program has migrated the store: the server takes less time for one statement than for several.
    func insertion(of engine: PostgreSQLEngine) -> PipelineRequest {
        var parameters = parameters
        parameters.add(contentsOf: engine.options.limitParameters)
        guard let version = engine.version else { return PipelineRequest(Self.limitingInsertion, parameters) }
        parameters.add(version.schemaVersion)
        return PipelineRequest(Self.checkingInsertion, parameters)
    }

    /// The removal of old marks, in some transactions.
    var removal: [PipelineRequest] {
        guard Int.random(in: 0..<Self.savesBetweenRemovals) == 0 else { return [] }
        // The index leads to the old ones; the server's time decides.
        let end = Self.parameters(ofTime: Date(timeIntervalSinceNow: -Self.secondsKept), 0, 0)
        return [PipelineRequest(Self.removal, end)]
    }

    /// Returns true if the transaction was committed; it never will be afterwards otherwise. Waits for it to end.
    func isCommitted(on connection: PostgreSQLConnection, until deadline: Deadline) throws -> Bool {
        // An insertion waits for another transaction's of the same key, and makes it fail if it comes later.
        var isNew = false
        try connection.run(
            [PipelineRequest(Self.claim, parameters) { isNew = $0.count > 0 }], until: deadline)
        return !isNew
    }

    private static let savesBetweenRemovals = 1000
    private static let secondsKept = 86_400.0
    static let table = PostgreSQLSchema.marks.name
    private static let insertion = ServerStatement("INSERT INTO coredata_save (id) VALUES ($1::uuid)")
    private static let limitingInsertion = ServerStatement(
        "INSERT INTO coredata_save (id) SELECT $1::uuid WHERE set_config('statement_timeout', $2::text, true) IS NOT NULL "
            + "AND set_config('lock_timeout', $3::text, true) IS NOT NULL")
    private static let checkingInsertion = ServerStatement(
        "INSERT INTO coredata_save (id) SELECT $1::uuid FROM coredata_metadata "
            + "WHERE set_config('statement_timeout', $2::text, true) IS NOT NULL "
            + "AND set_config('lock_timeout', $3::text, true) IS NOT NULL "
            + "AND 1 / (schema_version = $4::bigint)::integer = 1")
    private static let removal = ServerStatement(
        "DELETE FROM coredata_save WHERE id < $1::uuid AND saved_at < now() - interval '\(Int(secondsKept)) seconds'")
    private static let claim = ServerStatement(
        "INSERT INTO coredata_save (id) VALUES ($1::uuid) ON CONFLICT DO NOTHING RETURNING 1")
}
#endif
