#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries

/// The sequences of keys, for copies of whole stores that keep their keys.
extension PostgreSQLEngine {
    /// Returns the highest keys that were ever reserved, by the numbers of the root entities; in one round trip.
    package func highestKeys(of roots: [EntityLayout]) throws -> [Int: Int64] {
        var parameters = ParameterList()
        parameters.add(try roots.map(sequence))
        return try reading { connection in
            var keys: [Int: Int64] = [:]
            let request = PipelineRequest(Self.lastValues, parameters) { rows in
                for row in 0..<rows.count where !rows.isNull(row, 1) {
                    let root = roots[Int(try rows.int64(row, 0)) - 1]
                    keys[root.number] = try rows.int64(row, 1) + Int64(PostgreSQLSchema.keysInBlock) - 1
                }
            }
            try connection.run([request], until: Deadline(after: options.statementTimeout))
            return keys
        }
    }

    /// Raises the sequences to these keys, so that they are not reserved again; in one round trip. Higher sequences stay.
    package func raiseHighestKeys(to keys: [Int: Int64]) throws {
        let raised = keys.filter { $0.value > 0 }
        guard !raised.isEmpty else { return }
        var names: [String] = []
        for root in raised.keys {
            guard let layout = layouts.byNumber[root] else { continue }
            names.append(try sequence(layout))
        }
        var parameters = ParameterList()
        parameters.add(names)
        parameters.add(raised.compactMap { layouts.byNumber[$0.key] == nil ? nil : $0.value })
        try reading { connection in
            try connection.run(
                [PipelineRequest(Self.raising, parameters)], until: Deadline(after: options.statementTimeout))
        }
    }

    private func sequence(_ root: EntityLayout) throws -> String {
        PostgreSQLName.quoted(PostgreSQLSchema.sequence(of: try tables.columns(of: root).table))
    }

    private static let lastValues = ServerStatement(
        "SELECT d.n, pg_sequence_last_value(d.name::regclass) FROM unnest($1::text[]) WITH ORDINALITY AS d(name, n)",
        isPrepared: false)
    private static let raising = ServerStatement(
        "SELECT setval(d.name::regclass, greatest(d.key, coalesce(pg_sequence_last_value(d.name::regclass), 0)), true) "
            + "FROM unnest($1::text[], $2::bigint[]) AS d(name, key)", isPrepared: false)
}
#endif
