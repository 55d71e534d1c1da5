import CoreDataRuntimeSupport

/// The default values of an entity's attributes, ready to be copied into a new row.
@usableFromInline
package final class DefaultValues: @unchecked Sendable {
    /// Alternating slot indices and bits: setting up an array of pairs would take the runtime longer than the rest of the
    /// work.
    @usableFromInline let plain: ContiguousArray<Int>
    @usableFromInline let heap: ContiguousArray<(index: Int, bytes: [UInt8])>
    /// The values stored beside the row, by slot index.
    @usableFromInline package let boxed: ContiguousArray<(index: Int, value: Any)>

    /// Empty text, shared by all rows.
    private static let nothing = HeapRange(
        UnsafeMutableRawPointer.allocate(byteCount: HeapRange.lengthBytes, alignment: 8) + HeapRange.lengthBytes,
        count: 0)

    /// Collects the default values.
    ///
    /// - Parameter cells: the slots to initialize; those without a default are skipped.
    package init(_ cells: some Sequence<EntityLayout.Cell>, of entity: any EntityTraits) {
        var (plain, heap, boxed) = (
            ContiguousArray<Int>(), ContiguousArray<(index: Int, bytes: [UInt8])>(),
            ContiguousArray<(index: Int, value: Any)>()
        )
        func add(_ index: Int, _ bits: UInt64) {
            plain.append(index)
            plain.append(Int(bitPattern: UInt(bits)))
        }
        for cell in cells where cell.traits.contains(.attribute) && !cell.isDerived {
            let start = entity.startingValue(of: cell)
            if let bits = CellCoding.bits(start, as: cell.kind) {
                add(cell.index, bits)
                continue
            }
            guard let value = start.object else { continue }
            switch CellCoding.encode(value, as: cell) {
            case .bits(let bits): add(cell.index, bits)
            case .bytes(let bytes) where bytes.isEmpty: add(cell.index, Self.nothing.bits)
            case .bytes(let bytes): heap.append((cell.index, Array(bytes)))
            case .boxed: boxed.append((cell.index, value))
            case .absent, .mismatch: break
            }
            if cell.kind == .transformable { boxed.append((cell.index, value)) }
        }
        (self.plain, self.heap, self.boxed) = (plain, heap, boxed)
    }

    /// Writes the values that slots hold into a new row.
    @inlinable @inline(__always)
    package func apply(to row: UnsafeMutableRawPointer, in slab: RowSlab, _ layout: EntityLayout) {
        applyPlain(to: row, layout)
        if !heap.isEmpty { applyHeap(to: row, in: slab, layout) }
    }

    @inlinable @inline(__always)
    func applyPlain(to row: UnsafeMutableRawPointer, _ layout: EntityLayout) {
        plain.withUnsafeBufferPointer { plain in
            var position = 0
            while position < plain.count {
                layout.set(row, plain[position], UInt64(bitPattern: Int64(plain[position + 1])))
                position += 2
            }
        }
    }

    @usableFromInline @inline(never)
    func applyHeap(to row: UnsafeMutableRawPointer, in slab: RowSlab, _ layout: EntityLayout) {
        for (index, bytes) in heap {
            layout.set(row, index, bytes.withUnsafeBytes { slab.append($0.baseAddress, count: $0.count) }.bits)
        }
    }

    package var isEmpty: Bool { plain.isEmpty && heap.isEmpty && boxed.isEmpty }

    /// Sets the values that slots hold and that a row lacks.
    package func fill(_ row: UnsafeMutableRawPointer, in slab: RowSlab, _ layout: EntityLayout) {
        for position in stride(from: 0, to: plain.count, by: 2) where !EntityLayout.isPresent(row, plain[position]) {
            layout.set(row, plain[position], UInt64(bitPattern: Int64(plain[position + 1])))
        }
        for (index, bytes) in heap where !EntityLayout.isPresent(row, index) {
            layout.set(row, index, bytes.withUnsafeBytes { slab.append($0.baseAddress, count: $0.count) }.bits)
        }
    }

    /// Returns a snapshot of a row with these values, created on first use.
    package func snapshot(_ layout: EntityLayout) -> RowSnapshot {
        madeSnapshot.value { DefaultRow(self, layout) }.snapshot
    }

    private let madeSnapshot = MadeOnce<DefaultRow>()

    private final class DefaultRow {
        let snapshot: RowSnapshot

        init(_ defaults: DefaultValues, _ layout: EntityLayout) {
            let slab = RowSlab(rowBytes: layout.rowBytes)
            let row = slab.makeRow(bytes: layout.rowBytes).unsafelyUnwrapped
            defaults.applyPlain(to: row, layout)
            defaults.applyHeap(to: row, in: slab, layout)
            snapshot = RowSnapshot(
                row: row, slab: slab,
                boxed: Dictionary(uniqueKeysWithValues: defaults.boxed.lazy.map { ($0.index, $0.value) }))
        }
    }
}
