/// Provides a read with slabs: small ones first, so that one row costs little, then larger ones, each of which can be
/// freed as a whole.
struct SlabFiller {
    private(set) var slab: RowSlab
    private var rows: Int
    private var used = 0
    private let plan: RowPlan

    private static let largest = 512
    private static let heapLimit = 64 << 20

    /// - Parameter expected: how many rows may come at most; 0 if unknown.
    init(_ plan: RowPlan, expected: Int) {
        self.plan = plan
        rows = expected > 0 ? min(expected, Self.largest) : 32
        slab = RowSlab(rowBytes: plan.rowBytes * rows, heapBytes: plan.heapBytes * rows)
    }

    /// Decodes the row `statement` stands at.
    @inline(__always)
    mutating func fill(
        _ decoder: Unmanaged<RowDecoder>, from statement: OpaquePointer
    ) throws -> UnsafeMutableRawPointer {
        // No reference is counted here: the slab and the decoder stay for as long as this runs.
        let current = Unmanaged.passUnretained(slab)
        let decoded = try decoder._withUnsafeGuaranteedRef { decoder in
            try current._withUnsafeGuaranteedRef { slab in
                slab.heapUsed < Self.heapLimit ? try decoder.decode(statement, into: slab) : nil
            }
        }
        if let decoded {
            used += 1
            return decoded
        }
        startAnother()
        guard let row = try decoder._withUnsafeGuaranteedRef({ try $0.decodeSeldom(statement, into: slab) }) else {
            fatalError("A slab sized for \(rows) rows of \(plan.rowBytes) bytes takes none.")
        }
        used += 1
        return row
    }

    @inline(never)
    private mutating func startAnother() {
        finish()
        let heapPerRow = plan.heapBytes
        rows = min(rows * 4, Self.largest)
        used = 0
        slab = RowSlab(rowBytes: plan.rowBytes * rows, heapBytes: min(heapPerRow * rows, Self.heapLimit))
    }

    /// Gives back what the last slab did not need.
    func finish() {
        plan.noteHeap(slab.heapUsed, rows: used)
        slab.trimHeap()
    }
}
