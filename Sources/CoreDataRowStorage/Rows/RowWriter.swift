import Foundation

/// Creates rows of one entity from values.
package struct RowWriter {
    package let layout: EntityLayout
    private var slab: RowSlab
    private var row: UnsafeMutableRawPointer?
    private let rowsPerSlab: Int

    package init(_ layout: EntityLayout, rowsPerSlab: Int = 1024) {
        self.layout = layout
        self.rowsPerSlab = rowsPerSlab
        slab = Self.slab(layout, rowsPerSlab)
    }

    private static func slab(_ layout: EntityLayout, _ rows: Int) -> RowSlab {
        RowSlab(bytes: (layout.rowBytes + HeapRange.usualBytes * layout.heapCells.count) * rows)
    }

    /// Starts a row without values.
    package mutating func begin(version: UInt32) {
        if let next = slab.makeRow(bytes: layout.rowBytes) {
            row = next
        } else {
            slab = Self.slab(layout, rowsPerSlab)
            row = slab.makeRow(bytes: layout.rowBytes)
        }
        EntityLayout.setVersion(current, version)
    }

    /// The row begun last.
    package var finished: MemoryRow { MemoryRow(entityNumber: layout.number, row: current, slab: slab) }

    private var current: UnsafeMutableRawPointer {
        guard let row else { preconditionFailure("begin(version:) comes first.") }
        return row
    }

    package func set(_ cell: EntityLayout.Cell, bits: UInt64) { layout.set(current, cell.index, bits) }

    package func set(_ cell: EntityLayout.Cell, bytes: UnsafeRawBufferPointer) {
        layout.set(current, cell.index, slab.append(bytes.baseAddress, count: bytes.count).bits)
    }

    /// Stores text or bytes of another slab, or the name of the file that contains them.
    package func set(_ cell: EntityLayout.Cell, _ value: HeapRange, of other: RowSlab) {
        layout.set(current, cell.index, slab.append(value, of: other).bits)
    }

    package func set(_ cell: EntityLayout.Cell, reference: RowReference) {
        layout.set(current, cell.index, UInt64(bitPattern: reference.bits))
    }

    /// Stores an attribute's value in key-value coding's type. Returns false if the attribute cannot hold it.
    package func set(_ cell: EntityLayout.Cell, value: Any?) -> Bool {
        switch CellCoding.encode(value, as: cell) {
        case .absent: return true
        // A transformable value without bytes would be lost.
        case .boxed: return cell.kind != .transformable
        case .bits(let bits): set(cell, bits: bits)
        case .bytes(let data): data.withUnsafeBytes { set(cell, bytes: $0) }
        case .mismatch: return false
        }
        return true
    }
}
