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
            let key = try result.key(row, RowSelection.keyColumn)
            let decoder = try selection.decoder(for: result, row)
            switch sink.next(entityNumber: decoder.layout.number, key: key) {
            case .take: try take(decoder, result, row)
            case .skip: break
            case .stop: isStopped = true
            }
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
