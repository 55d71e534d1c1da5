import CoreDataRuntimeSupport
import Foundation

/// Conversions between the values of key-value coding and the bits in slots.
package enum CellCoding {
    /// A value in the form in which its slot holds it.
    package enum Encoded {
        case absent
        case bits(UInt64)
        case bytes(Data)
        /// Stored beside the row.
        case boxed
        /// A value of a class that the attribute cannot hold.
        case mismatch
    }

    package static func encode(_ value: Any?, as cell: EntityLayout.Cell) -> Encoded {
        guard let value, Swift.type(of: value) != NSNull.self else { return .absent }
        switch cell.kind {
        case .int16, .int32, .int64, .boolean:
            if let integer = PlainValue.of(value, as: Int.self) {
                return .bits(UInt64(bitPattern: narrowed(integer, to: cell.kind)))
            }
            guard let number = ClassInstance.number(value) else { return .mismatch }
            return .bits(UInt64(bitPattern: narrowed(number, to: cell.kind)))
        case .double, .float:
            if let double = PlainValue.of(value, as: Double.self) {
                return .bits((cell.kind == .float ? Double(Float(double)) : double).bitPattern)
            }
            guard let number = ClassInstance.number(value) else { return .mismatch }
            let double = cell.kind == .float ? Double(Float(number.nearestDouble)) : number.nearestDouble
            return .bits(double.bitPattern)
        case .date:
            guard let date = value as? Date else { return .mismatch }
            return .bits(date.timeIntervalSinceReferenceDate.bitPattern)
        case .string:
            guard var string = value as? String else { return .mismatch }
            return .bytes(string.withUTF8 { Data(buffer: $0) })
        case .uri:
            guard let url = value as? URL else { return .mismatch }
            return .bytes(Data(url.absoluteString.utf8))
        case .data:
            guard let data = value as? Data else { return .mismatch }
            return .bytes(data)
        case .uuid:
            guard let uuid = value as? UUID else { return .mismatch }
            return .bytes(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case .decimal:
            guard let decimal = (value as? Decimal) ?? ClassInstance.number(value).flatMap(Decimal.init(shortest:))
            else {
                return .mismatch
            }
            return .bytes(withUnsafeBytes(of: decimal) { Data($0) })
        case .transformable:
            guard let bytes = cell.coder?.bytes(for: value) else { return .boxed }
            return .bytes(bytes)
        case .boxed: return .boxed
        case .reference: return .mismatch
        }
    }

    /// Returns the bits of a number that a model file has as a default value; nil for all others.
    package static func bits(_ value: AttributeDefault, as kind: CellKind) -> UInt64? {
        switch (kind, value) {
        case (.int16, .integer(let integer)), (.int32, .integer(let integer)), (.int64, .integer(let integer)):
            UInt64(bitPattern: narrowed(Int(integer), to: kind))
        case (.boolean, .flag(let flag)): flag ? 1 : 0
        case (.double, .double(let double)): double.bitPattern
        case (.float, .double(let double)): Double(Float(double)).bitPattern
        default: nil
        }
    }

    /// Returns the value of a slot that is present; nil for transformables and boxed values, which are stored elsewhere.
    package static func decode(_ bits: UInt64, as cell: EntityLayout.Cell, in slab: RowSlab) -> Any? {
        switch cell.kind {
        case .int16: NSNumber(value: Int16(truncatingIfNeeded: bits))
        case .int32: NSNumber(value: Int32(truncatingIfNeeded: bits))
        case .int64: NSNumber(value: Int64(bitPattern: bits))
        case .boolean: NSNumber(value: bits != 0)
        case .double: NSNumber(value: Double(bitPattern: bits))
        case .float: NSNumber(value: Float(Double(bitPattern: bits)))
        case .date: Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
        case .string: String(decoding: slab.bytes(HeapRange(bits: bits)), as: UTF8.self)
        case .uri: url(slab.bytes(HeapRange(bits: bits)))
        case .data: Data(slab.bytes(HeapRange(bits: bits)))
        case .uuid: UUID(uuid: slab.bytes(HeapRange(bits: bits)).loadUnaligned(as: uuid_t.self))
        case .decimal: NSDecimalNumber(decimal: loadDecimal(slab.bytes(HeapRange(bits: bits))))
        case .transformable:
            cell.coder?.value(from: Data(slab.bytes(HeapRange(bits: bits))))
        case .boxed, .reference: nil
        }
    }

    /// Returns the URL in a text. An empty text yields an empty URL, which validation refuses.
    private static func url(_ text: UnsafeRawBufferPointer) -> URL? {
        text.isEmpty ? URLComponents().url : URL(string: String(decoding: text, as: UTF8.self))
    }

    package static func loadDecimal(_ bytes: UnsafeRawBufferPointer) -> Decimal {
        guard bytes.count == MemoryLayout<Decimal>.size else { return 0 }
        return bytes.loadUnaligned(as: Decimal.self)
    }

    /// Truncates numbers to the attribute's type, like an accessor of that type.
    private static func narrowed(_ number: NSNumber, to kind: CellKind) -> Int64 {
        switch kind {
        case .int16: Int64(number.int16Value)
        case .int32: Int64(number.int32Value)
        case .boolean: number.boolValue ? 1 : 0
        default: number.int64Value
        }
    }

    private static func narrowed(_ integer: Int, to kind: CellKind) -> Int64 {
        switch kind {
        case .int16: Int64(Int16(truncatingIfNeeded: integer))
        case .int32: Int64(Int32(truncatingIfNeeded: integer))
        case .boolean: integer != 0 ? 1 : 0
        default: Int64(integer)
        }
    }

}
