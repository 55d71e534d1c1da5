#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Synchronization

/// Allocates primary keys from blocks of a sequence for each hierarchy, so that most allocations need no round trip.
final class KeyAllocator: Sendable {
    /// The keys of each sequence that are reserved and not in use, by its slot: the number of the root entity.
    private let free = Mutex<[Int: [ClosedRange<Int64>]]>([:])

    /// Reserves keys. Asks the server if too few are free: in one round trip, whatever their number.
    func reserve(_ count: Int, of root: EntityLayout, _ engine: PostgreSQLEngine) throws -> KeyRuns {
        let sequence = PostgreSQLSchema.sequence(of: try engine.tables.columns(of: root).table)
        return try reserve(count, from: sequence, slot: root.number, engine)
    }

    /// Reserves keys of a sequence.
    func reserve(_ count: Int, from sequence: String, slot: Int, _ engine: PostgreSQLEngine) throws -> KeyRuns {
        guard count > 0 else { return .none }
        // Threads may ask at once, and one of them take the keys of others.
        while true {
            if let runs = take(count, from: slot) { return runs }
            let missing = count - free.withLock { $0[slot, default: []].reduce(0) { $0 + $1.count } }
            let blocks = try blocks(max(1, (missing + Self.blockSize - 1) / Self.blockSize), of: sequence, engine)
            free.withLock { $0[slot, default: []] += blocks }
        }
    }

    private static let blockSize = PostgreSQLSchema.keysInBlock

    /// Takes blocks from a sequence.
    private func blocks(
        _ count: Int, of sequence: String, _ engine: PostgreSQLEngine
    ) throws -> [ClosedRange<Int64>] {
        var parameters = ParameterList()
        parameters.add(PostgreSQLName.quoted(sequence))
        parameters.add(Int64(count))
        return try engine.reading { connection in
            var blocks: [ClosedRange<Int64>] = []
            let request = PipelineRequest(Self.statement, parameters) { rows in
                for row in 0..<rows.count {
                    let first = try rows.key(row, 0)
                    let last = first + Int64(Self.blockSize) - 1
                    guard RowReference.isKey(last) else { throw BinaryValue.unreadable("the key \(last)") }
                    blocks.append(first...last)
                }
                guard blocks.count == count else { throw BinaryValue.unreadable("\(blocks.count) blocks of keys") }
            }
            try connection.run([request], until: Deadline(after: engine.options.statementTimeout))
            return blocks
        }
    }

    private static let statement = ServerStatement(
        "SELECT nextval($1::text::regclass) FROM generate_series(1, $2::bigint)")

    /// Returns keys that are reserved already; nil if there are too few.
    private func take(_ count: Int, from slot: Int) -> KeyRuns? {
        free.withLock { free in
            var runs = free[slot] ?? []
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
            free[slot] = runs
            return taken
        }
    }
}
#endif
