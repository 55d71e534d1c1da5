#if PostgreSQL
/// A growing buffer of values in PostgreSQL's binary form.
struct ByteBuffer: ~Copyable {
    private(set) var start: UnsafeMutableRawPointer
    private(set) var count = 0
    private var capacity: Int

    init(capacity: Int = 1 << 16) {
        self.capacity = capacity
        start = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { start.deallocate() }

    mutating func removeAll() { count = 0 }

    @inline(__always)
    private mutating func reserve(_ bytes: Int) {
        if count + bytes > capacity { grow(bytes) }
    }

    private mutating func grow(_ bytes: Int) {
        capacity = max(capacity * 2, count + bytes)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = larger
    }

    /// Appends an integer in network order.
    @inline(__always)
    mutating func put<Value: FixedWidthInteger>(_ value: Value) {
        reserve(MemoryLayout<Value>.size)
        (start + count).storeBytes(of: value.bigEndian, as: Value.self)
        count += MemoryLayout<Value>.size
    }

    // MARK: Values after their lengths, as in rows of COPY and in arrays

    @inline(__always)
    mutating func field<Value: FixedWidthInteger>(_ value: Value) {
        put(Int32(MemoryLayout<Value>.size))
        put(value)
    }

    @inline(__always)
    mutating func field(_ value: Double) { field(value.bitPattern) }

    @inline(__always)
    mutating func field(_ value: Bool) { field(UInt8(value ? 1 : 0)) }

    @inline(__always)
    mutating func field(_ text: String?) {
        guard var text else { return put(Int32(-1)) }
        text.withUTF8 { bytes in
            put(Int32(bytes.count))
            reserve(bytes.count)
            if let base = bytes.baseAddress { (start + count).copyMemory(from: base, byteCount: bytes.count) }
            count += bytes.count
        }
    }
}

/// The parameters of one statement, in binary form.
struct Parameters: ~Copyable {
    private var buffer = ByteBuffer()
    /// The offset and length of each parameter; a length of -1 is NULL.
    private var places: [(offset: Int, length: Int)] = []

    mutating func add<Value: FixedWidthInteger>(_ value: Value) {
        places.append((buffer.count, MemoryLayout<Value>.size))
        buffer.put(value)
    }

    mutating func add(_ text: String?) {
        let offset = buffer.count + MemoryLayout<Int32>.size
        buffer.field(text)
        places.append((offset, text == nil ? -1 : buffer.count - offset))
    }

    /// Adds an array.
    ///
    /// - Parameters:
    ///   - type: The object identifier of the elements' type.
    ///   - write: Appends an element as a field.
    @inline(__always)
    mutating func add<Element>(
        _ elements: some Collection<Element>, as type: ServerType, _ write: (inout ByteBuffer, Element) -> Void
    ) {
        let offset = buffer.count
        defer { places.append((offset, buffer.count - offset)) }
        buffer.put(Int32(elements.isEmpty ? 0 : 1))
        buffer.put(Int32(1))
        buffer.put(type.rawValue)
        guard !elements.isEmpty else { return }
        buffer.put(Int32(elements.count))
        buffer.put(Int32(1))
        for element in elements { write(&buffer, element) }
    }

    mutating func add(_ keys: some Collection<Int64>) { add(keys, as: .int8) { $0.field($1) } }

    /// Passes the parameters in libpq's form.
    borrowing func withPointers<Result: ~Copyable>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>
        ) throws -> Result
    ) rethrows -> Result {
        let base = buffer.start
        let values: [UnsafePointer<CChar>?] = places.map { place in
            place.length < 0 ? nil : UnsafePointer((base + place.offset).assumingMemoryBound(to: CChar.self))
        }
        let lengths = places.map { Int32(max($0.length, 0)) }
        return try body(Int32(places.count), values, lengths, [Int32](repeating: 1, count: places.count))
    }
}

/// The object identifiers of types (`pg_type.dat`).
enum ServerType: Int32 {
    case bool = 16, int8 = 20, int4 = 23, text = 25, float8 = 701, timestamptz = 1184
}
#endif
