#if PostgreSQL
import CoreDataRowStorage

/// Delivers rows of results to a sink, in blocks of memory that grow with their number.
final class RowDelivery {
    private let selection: RowSelection
    private let sink: any RowSink
    private var slab: RowSlab?
    /// The number of rows that the next block of memory takes.
    private var rows: Int
    /// True once the sink has stopped the read.
    private(set) var isStopped = false

    private static let mostRows = 512

    /// Creates a delivery.
    ///
    /// - Parameter expected: The highest number of rows; 0 if unknown.
    init(_ selection: RowSelection, expected: Int = 0, into sink: any RowSink) {
        self.selection = selection
        self.sink = sink
        rows = expected > 0 ? min(expected, Self.mostRows) : 32
    }

    /// Delivers all rows of a result.
    ///
    /// - Parameter before: Receives each row's number before it is delivered.
    func deliver(_ result: ServerRows, before: (Int) throws -> Void = { _ in }) throws {
        try selection.check(result)
        for row in 0..<result.count where !isStopped {
            try before(row)
            try deliver(row, of: result)
        }
    }

    /// Delivers all rows of a result by their owners. The column after those of the selection has the owners' keys. Rows of
    /// one owner stay in their order.
    ///
    /// - Parameter group: Receives the key of each owner, before its rows.
    func deliver(_ result: ServerRows, byOwner group: (Int64) -> Void) throws {
        try selection.check(result)
        try ColumnType.requireKeys(result, selection.columnCount)
        let owners = try (0..<result.count).map { try result.key($0, selection.columnCount) }
        var owner: Int64?
        for row in Self.adjacent(owners) where !isStopped {
            if owners[row] != owner { group(owners[row]) }
            owner = owners[row]
            try deliver(row, of: result)
        }
    }

    /// Returns the numbers of rows in an order in which those of one owner follow each other.
    private static func adjacent(_ owners: [Int64]) -> [Int] {
        let rows = Array(owners.indices)
        // The server mostly finds them by an index.
        if zip(owners, owners.dropFirst()).allSatisfy({ $0 <= $1 }) { return rows }
        return rows.sorted { (owners[$0], $0) < (owners[$1], $1) }
    }

    private func deliver(_ row: Int, of result: ServerRows) throws {
        let key = try result.key(row, RowSelection.keyColumn)
        let decoder = try selection.decoder(for: result, row)
        switch sink.next(entityNumber: decoder.layout.number, key: key) {
        case .take: try take(decoder, result, row)
        case .skip: break
        case .stop: isStopped = true
        }
    }

    private func take(_ decoder: RowDecoder, _ result: ServerRows, _ row: Int) throws {
        if let slab, let memory = try decoder.decode(result, row, into: slab) {
            return sink.receive(row: memory, in: slab)
        }
        let textBytes = HeapRange.usualBytes * decoder.layout.heapCells.count
        let next = RowSlab(rowBytes: selection.rowBytes * rows, heapBytes: max(textBytes * rows, 256))
        rows = min(rows * 4, Self.mostRows)
        slab = next
        guard let memory = try decoder.decode(result, row, into: next) else {
            fatalError("A new slab takes no row of \(decoder.layout.rowBytes) bytes.")
        }
        sink.receive(row: memory, in: next)
    }
}
#endif
