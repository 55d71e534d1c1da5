import GRDBSQLite

extension Statement {
    /// Returns an FNV-1a hash of the current row. Integral numbers hash the same, stored as INTEGER or as REAL.
    func digest() -> UInt64 {
        var hash = Hash()
        for index in 0..<sqlite3_column_count(handle) {
            switch sqlite3_column_type(handle, index) {
            case SQLITE_NULL:
                hash.mix(0)
            case SQLITE_INTEGER, SQLITE_FLOAT:
                withUnsafeBytes(of: double(index).bitPattern) { bytes in
                    for byte in bytes { hash.mix(byte) }
                }
            default:
                let count = Int(sqlite3_column_bytes(handle, index))
                for byte in UnsafeRawBufferPointer(start: sqlite3_column_blob(handle, index), count: count) {
                    hash.mix(byte)
                }
                hash.mix(0xFF)
            }
        }
        return hash.value
    }

    private struct Hash {
        var value: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func mix(_ byte: UInt8) {
            value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
        }
    }
}
