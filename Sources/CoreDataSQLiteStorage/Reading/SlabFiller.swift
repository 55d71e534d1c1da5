import CoreDataRowStorage
import Synchronization

/// Provides a read with slabs: small ones first, so that one row costs little, then larger ones, each of which can be
/// freed as a whole.
struct SlabFiller {
    private(set) var slab: RowSlab
    private var rows: Int
    private var used = 0
    private let plan: RowPlan

    /// Rows in the largest slab before those that large fetches use.
    private static let largest = 128

    /// - Parameters:
    ///   - expected: how many rows may come at most; 0 if unknown.
    ///   - usual: how many there were the last time, if that says anything.
    init(_ plan: RowPlan, expected: Int, usual: Int) {
        self.plan = plan
        if expected > 0, expected <= Self.largest {
            rows = expected
            // Half of all rows have more text than the average: where they are few, that would often have to lie elsewhere.
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
        // No reference is counted here: the slab and the decoder stay for as long as this runs.
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

    /// Notes how much text there was, for the next slab to be as large as need be.
    func finish() { plan.noteHeap(slab.textBytes, rows: used) }
}

/// How many rows a statement usually gives: fewer than it once gave count little by little.
struct UsualRows: ~Copyable {
    private let noted = Atomic(0)

    var count: Int { noted.load(ordering: .relaxed) }

    func note(_ rows: Int) {
        let last = count
        if rows != last { noted.store(rows > last ? rows : last - (last - rows + 3) / 4, ordering: .relaxed) }
    }
}
