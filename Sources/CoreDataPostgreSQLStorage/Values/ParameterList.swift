#if PostgreSQL
import Foundation

/// The parameters of a statement in binary form, in one piece of memory.
package struct ParameterList {
    private var bytes: [UInt8] = []
    /// The offset and length of each parameter; a length of -1 is NULL.
    private var ranges: [(offset: Int, length: Int32)] = []

    package init() {}

    package var count: Int { ranges.count }
    /// The bytes of all parameters, one after the other.
    var allBytes: [UInt8] { bytes }

    package mutating func addNull() { ranges.append((0, -1)) }

    /// Adds a parameter; a closure writes its bytes.
    package mutating func add(_ write: (inout BinaryWriter) throws -> Void) rethrows {
        let offset = bytes.count
        var writer = BinaryWriter(taking: &bytes)
        defer {
            bytes = writer.bytes
            ranges.append((offset, Int32(bytes.count - offset)))
        }
        try write(&writer)
    }

    /// Adds a parameter; a closure writes it as an element of an array, with its length before it, which is left out.
    mutating func addElement(_ write: (inout BinaryWriter) throws -> Void) rethrows {
        let prefix = MemoryLayout<Int32>.size
        let offset = bytes.count + prefix
        try add(write)
        let isNull = bytes[offset - prefix] == 0xFF
        ranges[ranges.count - 1] = isNull ? (0, -1) : (offset, Int32(bytes.count - offset))
    }

    package mutating func add(_ value: Int64) { add { $0.int64(value) } }
    package mutating func add(_ value: Int32) { add { $0.int32(value) } }
    package mutating func add(_ value: Bool) { add { $0.bytes.append(value ? 1 : 0) } }
    package mutating func add(_ value: Double) { add { $0.double(value) } }
    package mutating func add(_ value: String?) {
        guard let value else { return addNull() }
        add { $0.bytes.append(contentsOf: value.utf8) }
    }
    package mutating func add(_ value: Data) { add { $0.bytes.append(contentsOf: value) } }
    package mutating func add(_ keys: some Collection<Int64>) {
        add { writer in
            writer.beginArray(of: .int8, count: keys.count)
            for key in keys { writer.element(key) }
        }
    }
    package mutating func add(_ texts: some Collection<String>) {
        add { writer in
            writer.beginArray(of: .text, count: texts.count)
            for text in texts { writer.element { $0.bytes.append(contentsOf: text.utf8) } }
        }
    }

    /// Adds the parameters of another list.
    package mutating func add(contentsOf other: ParameterList) {
        let offset = bytes.count
        bytes += other.bytes
        ranges += other.ranges.map { ($0.length < 0 ? 0 : $0.offset + offset, $0.length) }
    }

    /// Passes the parameters in libpq's form.
    func withPointers<Result>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) throws -> Result
    ) rethrows -> Result {
        guard !ranges.isEmpty else { return try body(0, nil, nil, nil) }
        // An empty value needs an address: a null pointer is NULL.
        return try (bytes.isEmpty ? [0] : bytes).withUnsafeBytes { memory in
            let base = memory.baseAddress!.assumingMemoryBound(to: CChar.self)
            let count = ranges.count
            return try withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { values in
                try withUnsafeTemporaryAllocation(of: Int32.self, capacity: count * 2) { numbers in
                    for (index, range) in ranges.enumerated() {
                        let value = range.length < 0 ? nil : base + min(range.offset, memory.count - 1)
                        values.initializeElement(at: index, to: value)
                        numbers.initializeElement(at: index, to: max(range.length, 0))
                        // In binary form.
                        numbers.initializeElement(at: count + index, to: 1)
                    }
                    let lengths = numbers.baseAddress!
                    return try body(Int32(count), values.baseAddress, lengths, lengths + count)
                }
            }
        }
    }
}
#endif
