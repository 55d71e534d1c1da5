#if PostgreSQL
import CLibPQ
import Workloads

/// The rows of a result in binary form.
struct ServerRows: ~Copyable {
    private let result: OpaquePointer
    let count: Int32

    init(_ result: OpaquePointer) {
        self.result = result
        count = PQntuples(result)
    }

    deinit { PQclear(result) }

    @inline(__always)
    func isNull(_ row: Int32, _ column: Int32) -> Bool { PQgetisnull(result, row, column) != 0 }

    @inline(__always)
    private func load<Value: FixedWidthInteger>(_ row: Int32, _ column: Int32) -> Value {
        Value(bigEndian: UnsafeRawPointer(PQgetvalue(result, row, column)!).loadUnaligned(as: Value.self))
    }

    @inline(__always)
    func int64(_ row: Int32, _ column: Int32) -> Int64 { load(row, column) }
    @inline(__always)
    func int32(_ row: Int32, _ column: Int32) -> Int32 { load(row, column) }
    @inline(__always)
    func bool(_ row: Int32, _ column: Int32) -> Bool { (load(row, column) as UInt8) != 0 }
    @inline(__always)
    func double(_ row: Int32, _ column: Int32) -> Double { Double(bitPattern: load(row, column)) }
    /// Returns a date as seconds since Foundation's reference date.
    @inline(__always)
    func date(_ row: Int32, _ column: Int32) -> Double { ServerDate.seconds(int64(row, column)) }
    /// Returns the bytes of a value.
    @inline(__always)
    func bytes(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    }
    /// Returns the hash of a text for checksums; 0 for NULL.
    @inline(__always)
    func mark(_ row: Int32, _ column: Int32) -> UInt64 {
        let bytes = bytes(row, column)
        return Checksum.mark(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    }
}

/// PostgreSQL's dates: microseconds since 2000.
enum ServerDate {
    /// The seconds from 2000 to Foundation's reference date, 2001.
    private static let offset = 366.0 * 86_400

    @inline(__always)
    static func seconds(_ microseconds: Int64) -> Double { Double(microseconds) / 1e6 - offset }
    @inline(__always)
    static func microseconds(_ seconds: Double) -> Int64 { Int64(((seconds + offset) * 1e6).rounded()) }
}
#endif
