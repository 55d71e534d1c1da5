import CoreDataRowStorage
import Synchronization

/// Provides a read with slabs: small ones first, so that a single row is cheap, then larger ones, each of which can be freed
/// as a whole.
struct SlabFiller {
    private(set) var slab: RowSlab
    private var rows: Int
    private var used = 0
    private let plan: RowPlan

    /// The number of rows in the largest slab before those of large fetches.
    private static let largest = 128

    /// Creates the first slab.
    ///
    /// - Parameters:
    ///   - expected: the maximum number of rows; 0 if unknown.
    ///   - usual: the number of rows of earlier reads; 0 if unknown.
    init(_ plan: RowPlan, expected: Int, usual: Int) {
        self.plan = plan
        if expected > 0, expected <= Self.largest {
            rows = expected
            // Half of all rows have more text than the average: with few rows, that would often need separate memory.
            let heapBytes = plan.heapBytes
            slab = RowSlab(rowBytes: plan.rowBytes * rows, heapBytes: heapBytes * rows + min(heapBytes, 256))
            return
        }
        rows = expected > 0 || usual > Self.largest ? Self.largest : max(usual, 32)
        let bytes = (plan.rowBytes + plan.heapBytes) * rows
        slab = usual > Self.largest && bytes <= RowSlab.largeBytes ? .large() : RowSlab(bytes: bytes)
    }

    /// Decodes a row.
    @inline(__always)
    mutating func fill(
        _ decoder: Unmanaged<RowDecoder>, from values: borrowing RowValues
    ) throws -> UnsafeMutableRawPointer {
        // Avoids retain/release: the slab and the decoder outlive this call.
        let current = Unmanaged.passUnretained(slab)
        let decoded = try decoder._withUnsafeGuaranteedRef { decoder in
            try current._withUnsafeGuaranteedRef { try decoder.decode(values, into: $0) }
        }
        if let decoded {
            used += 1
            return decoded
        }
        startAnother()
        guard let row = try decoder._withUnsafeGuaranteedRef({ try $0.decode(values, into: slab) }) else {
            fatalError("A slab sized for \(rows) rows of \(plan.rowBytes) bytes takes none.")
        }
        used += 1
        return row
    }

    @inline(never)
    private mutating func startAnother() {
        finish()
        used = 0
        let isLarge = rows >= Self.largest
        rows = min(rows * 4, Self.largest)
        let bytes = (plan.rowBytes + plan.heapBytes) * rows
        slab =
            isLarge && bytes <= RowSlab.largeBytes ? .large() : RowSlab(bytes: max(min(bytes, 1 << 20), plan.rowBytes))
    }

    /// Updates the plan's estimate with the size of the text, which determines the size of the next slab.
    func finish() { plan.noteHeap(slab.textBytes, rows: used) }
}

/// The usual number of rows of a statement: a high-water mark that decays slowly when results get smaller.
struct UsualRows: ~Copyable {
    private let noted = Atomic(0)

    var count: Int { noted.load(ordering: .relaxed) }

    func note(_ rows: Int) {
        let last = count
        if rows != last { noted.store(rows > last ? rows : last - (last - rows + 3) / 4, ordering: .relaxed) }
    }
}
