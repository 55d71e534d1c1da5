#if PostgreSQL
import CoreDataSQLQueries
import Foundation

/// A UUID that a transaction writes, by which its outcome is found out if the connection is lost before the answer to
/// `COMMIT` arrives.
struct SaveMark {
    private let parameters: ParameterList

    init() {
        let id = UUID()
        var parameters = ParameterList()
        parameters.add { writer in withUnsafeBytes(of: id.uuid) { writer.bytes.append(contentsOf: $0) } }
        self.parameters = parameters
    }

    /// The statements to run in the transaction. Some transactions also remove old marks.
    var requests: [PipelineRequest] {
        let insertion = PipelineRequest(Self.insertion, parameters)
        guard Int.random(in: 0..<Self.savesBetweenRemovals) == 0 else { return [insertion] }
        return [insertion, PipelineRequest(Self.removal)]
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
    private static let insertion = ServerStatement("INSERT INTO coredata_save (id) VALUES ($1::uuid)")
    private static let removal = ServerStatement("DELETE FROM coredata_save WHERE saved_at < now() - interval '1 day'")
    private static let claim = ServerStatement(
        "INSERT INTO coredata_save (id) VALUES ($1::uuid) ON CONFLICT DO NOTHING RETURNING 1")
}
#endif
