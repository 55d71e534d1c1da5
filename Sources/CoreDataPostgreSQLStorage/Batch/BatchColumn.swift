#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// A column that a batch writes, and the binary form of its values.
struct BatchColumn {
    let cell: EntityLayout.Cell
    let name: String
    /// The name of the type, as in statements.
    let typeName: String
    let type: ServerType
    private let check: BatchValueCheck

    /// - Throws: An error for a property without a column.
    init(_ cell: EntityLayout.Cell, _ place: CellColumns, of layout: EntityLayout) throws {
        guard let name = place.column, let typeName = PostgreSQLName.type(of: cell.kind, in: place) else {
            throw UnsupportedQuery.keyPath(cell.path, in: layout)
        }
        self.cell = cell
        self.name = name
        self.typeName = typeName
        type = try ParameterType(typeName).type
        check = BatchValueCheck(layout)
    }

    /// Writes a value.
    ///
    /// - Returns: False for no value: nothing is written.
    /// - Throws: An error with entity and key for a value that the attribute, or PostgreSQL, cannot hold.
    func write(_ value: Any?, to writer: inout BinaryWriter) throws -> Bool {
        switch try check.encoded(value, for: cell) {
        case .bits(let bits): try write(bits: bits, to: &writer)
        case .bytes(let data): try data.withUnsafeBytes { try write($0, to: &writer) }
        case .absent, .boxed, .mismatch: return false
        }
        return true
    }

    /// Writes the bits of a slot.
    func write(bits: UInt64, to writer: inout BinaryWriter) throws {
        switch type {
        case .int2: writer.int16(Int16(truncatingIfNeeded: bits))
        case .int4: writer.int32(Int32(truncatingIfNeeded: bits))
        case .bool: writer.bytes.append(bits == 0 ? 0 : 1)
        case .float4: writer.int32(Int32(bitPattern: Float(Double(bitPattern: bits)).bitPattern))
        case .timestamptz:
            let seconds = Double(bitPattern: bits)
            guard let microseconds = MicrosecondDate.count(seconds) else {
                throw check.misfit(
                    cell, reason: "PostgreSQL has no date \(seconds) seconds from the beginning of 2001.",
                    advice: "Use dates from 4713 BC to the year 294276.")
            }
            writer.int64(microseconds)
        case .float8 where cell.kind == .date && Double(bitPattern: bits).isNaN:
            throw check.misfit(
                cell, reason: "A date that is not a number has no place in time.", advice: "Use another date.")
        default: writer.int64(Int64(bitPattern: bits))
        }
    }

    /// Writes the bytes of a slot.
    func write(_ bytes: UnsafeRawBufferPointer, to writer: inout BinaryWriter) throws {
        switch type {
        case .numeric: NumericValue.write(CellCoding.loadDecimal(bytes), to: &writer)
        case .text:
            guard !bytes.contains(0) else {
                throw check.misfit(
                    cell, reason: "PostgreSQL has no text with U+0000.", advice: "Leave the character out of the text.")
            }
            writer.bytes.append(contentsOf: bytes)
        default: writer.bytes.append(contentsOf: bytes)
        }
    }
}
#endif
