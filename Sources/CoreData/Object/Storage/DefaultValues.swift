/// The default values of an entity's attributes, ready to be copied into a new row.
struct DefaultValues: @unchecked Sendable {
    private var plain: ContiguousArray<(index: Int, bits: UInt64)> = []
    private var heap: ContiguousArray<(index: Int, bytes: [UInt8])> = []
    private var boxed: ContiguousArray<(index: Int, value: Any)> = []

    /// Empty text, for all rows there are.
    private static let nothing = HeapRange(UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16), count: 0)

    init(_ cells: ContiguousArray<EntityLayout.Cell>) {
        for cell in cells {
            guard let value = cell.attribute?.defaultValue, !cell.isDerived else { continue }
            switch CellCoding.encode(value, as: cell) {
            case .bits(let bits): plain.append((cell.index, bits))
            case .bytes(let bytes) where bytes.isEmpty: plain.append((cell.index, Self.nothing.bits))
            case .bytes(let bytes): heap.append((cell.index, Array(bytes)))
            case .boxed: boxed.append((cell.index, value))
            case .absent, .mismatch: break
            }
            if cell.kind == .transformable { boxed.append((cell.index, value)) }
        }
    }

    @inline(__always)
    func apply(
        to row: UnsafeMutableRawPointer, in slab: RowSlab, of object: NSManagedObject, _ layout: EntityLayout
    ) {
        plain.withUnsafeBufferPointer {
            for (index, bits) in $0 { layout.set(row, index, bits) }
        }
        if hasOthers { applyOthers(to: row, in: slab, of: object, layout) }
    }

    private var hasOthers: Bool { !heap.isEmpty || !boxed.isEmpty }

    @inline(never)
    private func applyOthers(
        to row: UnsafeMutableRawPointer, in slab: RowSlab, of object: NSManagedObject, _ layout: EntityLayout
    ) {
        for (index, bytes) in heap {
            layout.set(row, index, bytes.withUnsafeBytes { slab.append($0.baseAddress, count: $0.count) }.bits)
        }
        for (index, value) in boxed { object.extra.setBoxed(value, at: index) }
    }
}
