#if PostgreSQL

/// Rows for one `COPY … FROM STDIN (FORMAT binary)`.
package struct CopiedRows {
    /// The statement that receives the rows.
    let statement: String
    private var writer = BinaryWriter()

    /// The rows from which on `COPY` is faster than arrays, in spite of its round trips.
    static let lowestCount = 501

    /// - Parameters:
    ///   - table: The table, quoted.
    ///   - columns: The columns, quoted.
    package init(into table: String, _ columns: [String]) {
        statement = "COPY \(table) (\(columns.joined(separator: ", "))) FROM STDIN (FORMAT binary)"
        // The signature; no flags, and no extension of the header.
        writer.bytes += [0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00]
        writer.int64(0)
    }

    /// Adds rows: a closure writes the number of columns of each, then every value with its length before it.
    package mutating func add(_ write: (inout BinaryWriter) throws -> Void) rethrows { try write(&writer) }

    /// Marks the end of the rows.
    package mutating func end() { writer.int16(-1) }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try writer.bytes.withUnsafeBytes(body)
    }
}

extension PostgreSQLError {
    /// True if rows that `COPY` does not accept may be inserted by statements: a table with row-level security, or with
    /// columns of other types, to which statements convert.
    var isOfCopying: Bool { state == "0A000" || state == "22P03" }
}
#endif
