#if PostgreSQL
import CoreDataRowStorage
import Foundation

/// Decodes rows of one entity from a result in binary form into row memory.
final class RowDecoder: Sendable {
    /// The decoding of one slot.
    struct Step: Sendable {
        let cell: Int
        let kind: CellKind
        let column: Int
        /// The entity number of a to-one relationship's destination.
        var destination = 0
        /// The column with the name of the destination's entity, if it has subentities.
        var entityColumn: Int?

        init(cell: Int, kind: CellKind, column: Int) {
            self.cell = cell
            self.kind = kind
            self.column = column
        }
    }

    let layout: EntityLayout
    private let layouts: ModelLayouts
    private let steps: [Step]

    init(_ layout: EntityLayout, _ steps: [Step], _ layouts: ModelLayouts) {
        self.layout = layout
        self.steps = steps
        self.layouts = layouts
    }

    /// Decodes a row into a block of row memory; returns nil if the block is full.
    func decode(_ rows: ServerRows, _ number: Int, into slab: RowSlab) throws -> UnsafeMutableRawPointer? {
        guard let row = slab.makeRow(bytes: layout.rowBytes) else { return nil }
        let version = try rows.int64(number, RowSelection.versionColumn)
        guard let version = UInt32(exactly: version) else { throw BinaryValue.unreadable("the version \(version)") }
        EntityLayout.setVersion(row, version)
        for index in steps.indices {
            guard let bytes = rows.value(number, steps[index].column) else { continue }
            layout.set(row, steps[index].cell, try bits(steps[index], bytes, rows, number, slab))
        }
        return row
    }

    @inline(__always)
    private func bits(
        _ step: Step, _ bytes: UnsafeRawBufferPointer, _ rows: ServerRows, _ number: Int, _ slab: RowSlab
    ) throws -> UInt64 {
        switch step.kind {
        case .int64: return UInt64(bitPattern: try BinaryValue.integer(bytes))
        case .int16: return try integer(bytes, in: -0x8000...0x7FFF)
        case .int32: return try integer(bytes, in: -0x8000_0000...0x7FFF_FFFF)
        case .boolean: return try integer(bytes, in: 0...1)
        case .double, .float: return try BinaryValue.double(bytes).bitPattern
        case .date: return try BinaryValue.date(bytes).bitPattern
        case .string, .uri, .data, .transformable: return slab.append(bytes.baseAddress, count: bytes.count).bits
        case .uuid:
            guard bytes.count == 16 else { throw BinaryValue.unreadable("a UUID of \(bytes.count) bytes") }
            return slab.append(bytes.baseAddress, count: 16).bits
        case .decimal:
            let decimal = try NumericValue.read(bytes)
            return withUnsafeBytes(of: decimal) { slab.append($0.baseAddress, count: $0.count) }.bits
        case .reference: return try reference(step, rows, number)
        case .boxed: throw BinaryValue.unreadable("a value of an attribute without a column")
        }
    }

    /// Reads an integer, which a column with a larger type than the attribute's may have.
    private func integer(_ bytes: UnsafeRawBufferPointer, in range: ClosedRange<Int64>) throws -> UInt64 {
        let value = try BinaryValue.integer(bytes)
        guard range.contains(value) else { throw BinaryValue.unreadable("the number \(value)") }
        return UInt64(bitPattern: value)
    }

    private func reference(_ step: Step, _ rows: ServerRows, _ number: Int) throws -> UInt64 {
        let key = try rows.key(number, step.column)
        var entity = step.destination
        if let column = step.entityColumn, !rows.isNull(number, column) {
            entity = try rows.entity(number, column, layouts).number
        }
        return UInt64(bitPattern: RowReference(entityNumber: entity, key: key).bits)
    }
}
#endif
