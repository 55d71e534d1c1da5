#if PostgreSQL
import CCoreDataPostgreSQL

/// Rows of a result in binary form. Valid while they are passed to a function.
///
/// A server may send anything: rows and columns that are missing read as NULL, and NULL as no bytes, which is no number.
package struct ServerRows {
    private let result: OpaquePointer
    /// The number of rows.
    package let count: Int
    package let columnCount: Int

    init(_ result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
        columnCount = Int(PQnfields(result))
    }

    /// Returns the object identifier of a column's type.
    func name(_ column: Int) -> String { PQfname(result, Int32(column)).map { String(cString: $0) } ?? "" }
    package func type(_ column: Int) -> UInt32 { PQftype(result, Int32(column)) }

    @inline(__always)
    package func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) != 0 }

    /// Returns the bytes of a value; nil for NULL.
    @inline(__always)
    func value(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        let count = PQgetlength(result, Int32(row), Int32(column))
        // One call less for most values.
        if count == 0, isNull(row, column) { return nil }
        return UnsafeRawBufferPointer(start: PQgetvalue(result, Int32(row), Int32(column)), count: Int(count))
    }

    /// Returns the bytes of a value; empty for NULL.
    @inline(__always)
    package func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(result, Int32(row), Int32(column)),
            count: Int(PQgetlength(result, Int32(row), Int32(column))))
    }

    package func int64(_ row: Int, _ column: Int) throws -> Int64 { try BinaryValue.integer(bytes(row, column)) }

    /// Returns a text; empty for NULL. Bytes that are no UTF-8 are replaced.
    package func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }

    // MARK: Checked numbers

    /// Returns the number of something, from 0.
    func number(_ row: Int, _ column: Int) throws -> Int {
        let number = try int64(row, column)
        guard let count = Int(exactly: number), count >= 0 else { throw BinaryValue.unreadable("the count \(number)") }
        return count
    }

    /// Returns an index, from 0, which the server counts from 1.
    func index(_ row: Int, _ column: Int, in indices: Range<Int>) throws -> Int {
        let number = try int64(row, column)
        guard number > 0, number <= indices.count else { throw BinaryValue.unreadable("the position \(number)") }
        return indices.lowerBound + Int(number) - 1
    }
}
#endif
