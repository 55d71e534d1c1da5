import GRDBSQLite

extension Statement {
    /// A hash (FNV-1a) over the current row. Whole numbers count the same however SQLite stores them.
    func digest() -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ byte: UInt8) {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        for index in 0..<sqlite3_column_count(handle) {
            let type = sqlite3_column_type(handle, index)
            switch type {
            case SQLITE_NULL:
                mix(0)
            case SQLITE_INTEGER, SQLITE_FLOAT:
                withUnsafeBytes(of: double(index).bitPattern) { $0.forEach(mix) }
            default:
                let count = Int(sqlite3_column_bytes(handle, index))
                UnsafeRawBufferPointer(start: sqlite3_column_blob(handle, index), count: count).forEach(mix)
                mix(0xFF)
            }
        }
        return hash
    }
}
