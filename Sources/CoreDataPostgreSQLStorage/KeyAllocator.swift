#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Synchronization

/// Allocates primary keys from blocks of a sequence for each hierarchy, so that most allocations need no round trip.
final class KeyAllocator: Sendable {
    /// The keys of each root entity that are reserved and not in use.
    private let free = Mutex<[Int: [ClosedRange<Int64>]]>([:])

    /// Reserves keys.
    ///
    /// - Parameter held: The connection that the caller has already; else one is leased if the server must be asked.
    func reserve(
        _ count: Int, of root: EntityLayout, _ engine: PostgreSQLEngine, on held: PostgreSQLConnection? = nil
    ) throws -> KeyRuns {
        if let runs = take(count, of: root) { return runs }
        // Two threads may both ask: the keys of both stay in use.
        let missing = count - free.withLock { $0[root.number, default: []].reduce(0) { $0 + $1.count } }
        let blocks = max(1, (missing + PostgreSQLSchema.keysInBlock - 1) / PostgreSQLSchema.keysInBlock)
        let sequence = PostgreSQLSchema.sequence(of: try engine.tables.columns(of: root).table)
        var parameters = ParameterList()
        parameters.add(PostgreSQLName.quoted(sequence))
        parameters.add(Int64(blocks))
        var firsts: [Int64] = []
        func ask(_ connection: PostgreSQLConnection) throws {
            firsts = []
            try connection.run(
                [
                    PipelineRequest(Self.statement, parameters) { rows in
                        for row in 0..<rows.count { firsts.append(try rows.int64(row, 0)) }
                    }
                ], until: Deadline(after: engine.options.statementTimeout))
        }
        if let held { try ask(held) } else { try engine.reading(ask) }
        let size = Int64(PostgreSQLSchema.keysInBlock)
        free.withLock { $0[root.number, default: []] += firsts.map { $0...$0 + size - 1 } }
        guard let runs = take(count, of: root) else { return try reserve(count, of: root, engine, on: held) }
        return runs
    }

    private static let statement = ServerStatement(
        "SELECT nextval($1::text::regclass) FROM generate_series(1, $2::bigint)")

    /// Returns keys that are reserved already; nil if there are too few.
    private func take(_ count: Int, of root: EntityLayout) -> KeyRuns? {
        free.withLock { free in
            var runs = free[root.number] ?? []
            guard runs.reduce(0, { $0 + $1.count }) >= count else { return nil }
            var taken: KeyRuns?
            var missing = count
            while missing > 0 {
                let run = runs.removeFirst()
                let part = run.lowerBound...run.lowerBound + Int64(min(missing, run.count)) - 1
                if part.upperBound < run.upperBound { runs.insert(part.upperBound + 1...run.upperBound, at: 0) }
                if taken == nil { taken = KeyRuns(part) } else { taken?.append(part) }
                missing -= part.count
            }
            free[root.number] = runs
            return taken
        }
    }
}
#endif
