#if PostgreSQL
import CCoreDataPostgreSQL

/// Rows of a result in binary form. Valid while they are passed to a function.
package struct ServerRows {
    let result: OpaquePointer
    /// The number of rows.
    package let count: Int
    package let columnCount: Int

    init(_ result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
        columnCount = Int(PQnfields(result))
    }

    /// The number of rows that a statement has changed; 0 for others.
    package var affected: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

    package func name(_ column: Int) -> String { String(cString: PQfname(result, Int32(column))) }
    package func type(_ column: Int) -> UInt32 { PQftype(result, Int32(column)) }

    @inline(__always)
    package func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) != 0 }

    /// Returns the bytes of a value; empty for NULL.
    @inline(__always)
    package func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(result, Int32(row), Int32(column)),
            count: Int(PQgetlength(result, Int32(row), Int32(column))))
    }

    package func int64(_ row: Int, _ column: Int) throws -> Int64 { try BinaryValue.integer(bytes(row, column)) }
    package func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }
}
#endif
