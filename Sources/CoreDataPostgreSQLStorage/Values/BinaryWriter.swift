#if PostgreSQL

/// The types of PostgreSQL that the engine sends and reads, by object identifier (`pg_type.dat`).
package enum ServerType: UInt32, Sendable {
    case bool = 16, bytea = 17, int8 = 20, int2 = 21, int4 = 23, text = 25, float4 = 700, float8 = 701
    case timestamptz = 1184, numeric = 1700, uuid = 2950, jsonb = 3802
}

/// Writes values in binary form.
package struct BinaryWriter {
    package var bytes: [UInt8]

    package init() { bytes = [] }
    init(taking bytes: inout [UInt8]) {
        self.bytes = []
        swap(&self.bytes, &bytes)
    }

    @inline(__always)
    package mutating func int16(_ value: Int16) { append(value) }
    @inline(__always)
    package mutating func int32(_ value: Int32) { append(value) }
    @inline(__always)
    package mutating func int64(_ value: Int64) { append(value) }
    @inline(__always)
    private mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
    @inline(__always)
    package mutating func double(_ value: Double) { int64(Int64(bitPattern: value.bitPattern)) }

    /// Writes an integer as an element of an array, with its length before it.
    @inline(__always)
    package mutating func element(_ value: Int64) {
        // One call for both: appending takes most of the time.
        let high = UInt32(truncatingIfNeeded: value >> 32), low = UInt32(truncatingIfNeeded: value)
        withUnsafeBytes(of: (UInt32(8).bigEndian, high.bigEndian, low.bigEndian)) { bytes.append(contentsOf: $0) }
    }

    /// Writes an integer as an element of an array, with its length before it.
    @inline(__always)
    package mutating func element(_ value: Int32) {
        withUnsafeBytes(of: (UInt32(4).bigEndian, UInt32(bitPattern: value).bigEndian)) {
            bytes.append(contentsOf: $0)
        }
    }

    /// Begins an array of one dimension; its elements follow.
    package mutating func beginArray(of type: ServerType, count: Int, hasNulls: Bool = false) {
        // The number of dimensions, whether there are NULLs, the type of the elements, their number, the first index.
        int32(count == 0 ? 0 : 1)
        int32(hasNulls ? 1 : 0)
        int32(Int32(bitPattern: type.rawValue))
        guard count > 0 else { return }
        int32(Int32(count))
        int32(1)
    }

    package mutating func null() { int32(-1) }

    /// Writes an element of an array, with its length before it.
    @inline(__always)
    package mutating func element(_ write: (inout BinaryWriter) throws -> Void) rethrows {
        let start = bytes.count
        int32(0)
        try write(&self)
        let length = Int32(bytes.count - start - 4).bigEndian
        withUnsafeBytes(of: length) { source in
            for (index, byte) in source.enumerated() { bytes[start + index] = byte }
        }
    }
}
#endif
