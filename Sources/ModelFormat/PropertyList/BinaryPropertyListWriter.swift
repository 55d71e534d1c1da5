import Foundation

/// Writes binary property lists. Equal scalars are written once.
struct BinaryPropertyListWriter {
    private var objects: [[UInt8]] = []
    private var containers: [Int: PendingContainer] = [:]
    private var known: [PropertyListNode: Int] = [:]

    /// The references of a container, written when the number of objects, and thus their width, is known.
    private struct PendingContainer {
        var marker: UInt8
        var count: Int
        var references: [Int]
    }

    static func write(_ root: PropertyListNode) -> Data {
        var writer = BinaryPropertyListWriter()
        _ = writer.add(root)
        return writer.assembled()
    }

    private mutating func add(_ node: PropertyListNode) -> Int {
        let index = objects.count
        switch node {
        case .array(let items):
            objects.append([])
            containers[index] = PendingContainer(
                marker: 0xA0, count: items.count, references: items.map { add($0) })
        case .dictionary(let entries):
            objects.append([])
            let sorted = entries.sorted(byText: \.key)
            let keys = sorted.map { add(.string($0.key)) }
            let values = sorted.map { add($0.value) }
            containers[index] = PendingContainer(marker: 0xD0, count: sorted.count, references: keys + values)
        default:
            // Only for scalars: comparing containers would compare all their contents.
            if let index = known[node] { return index }
            known[node] = index
            objects.append(Self.scalar(node))
        }
        return index
    }

    private func assembled() -> Data {
        let referenceSize = Self.width(objects.count)
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for (index, object) in objects.enumerated() {
            offsets.append(bytes.count)
            if let container = containers[index] {
                bytes += Self.header(container.marker, count: container.count)
                for reference in container.references { Self.append(reference, size: referenceSize, to: &bytes) }
            } else {
                bytes += object
            }
        }
        let table = bytes.count
        let offsetSize = Self.width(table)
        for offset in offsets { Self.append(offset, size: offsetSize, to: &bytes) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        bytes += Self.bigEndian(objects.count, size: 8) + Self.bigEndian(0, size: 8) + Self.bigEndian(table, size: 8)
        return Data(bytes)
    }

    private static func scalar(_ node: PropertyListNode) -> [UInt8] {
        switch node {
        case .bool(let value): return [value ? 0x09 : 0x08]
        case .integer(let value): return integer(value)
        case .real(let value): return [0x23] + bigEndian(value.bitPattern)
        case .date(let value): return [0x33] + bigEndian(value.bitPattern)
        case .uid(let value):
            let size = width(value + 1)
            return [0x80 | UInt8(size - 1)] + bigEndian(value, size: size)
        case .data(let data): return header(0x40, count: data.count) + [UInt8](data)
        case .string(let text):
            let ascii = Array(text.utf8)
            if ascii.allSatisfy({ $0 < 0x80 }) { return header(0x50, count: ascii.count) + ascii }
            let units = Array(text.utf16)
            return header(0x60, count: units.count)
                + units.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        case .array, .dictionary: return []
        }
    }

    private static func header(_ marker: UInt8, count: Int) -> [UInt8] {
        count < 15 ? [marker | UInt8(count)] : [marker | 0x0F] + integer(Int64(count))
    }

    private static func integer(_ value: Int64) -> [UInt8] {
        // Negative numbers always take eight bytes, since shorter integers are unsigned.
        switch value {
        case 0..<0x100: [0x10, UInt8(value)]
        case 0x100..<0x1_0000: [0x11] + bigEndian(Int(value), size: 2)
        case 0x1_0000..<0x1_0000_0000: [0x12] + bigEndian(Int(value), size: 4)
        default: [0x13] + bigEndian(UInt64(bitPattern: value))
        }
    }

    private static func bigEndian(_ value: Int, size: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, size: size, to: &bytes)
        return bytes
    }

    /// Appends the lowest bytes of a number, highest first.
    private static func append(_ value: Int, size: Int, to bytes: inout [UInt8]) {
        var shift = 8 * size
        while shift > 0 {
            shift -= 8
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    private static func bigEndian(_ value: UInt64) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    /// Returns the number of bytes for numbers below `count`.
    private static func width(_ count: Int) -> Int {
        switch count {
        case ...0x100: 1
        case ...0x1_0000: 2
        case ...0x1_0000_0000: 4
        default: 8
        }
    }
}
