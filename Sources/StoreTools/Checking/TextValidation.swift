#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// The SQL function that finds texts which are not valid UTF-8.
enum TextValidation {
    /// The function's name. It takes up to 100 values and returns 1 if one of them is a text that is not valid.
    static let function = "storetool_invalid"
    static let maximumArguments = 100

    /// Registers the function on a connection.
    static func register(on database: Database) {
        _ = sqlite3_create_function_v2(
            database.handle, function, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, count, values in
                for index in 0..<Int(count) {
                    guard let value = values?[index], sqlite3_value_type(value) == SQLITE_TEXT,
                        let start = sqlite3_value_text(value)
                    else { continue }
                    let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
                    if !TextValidation.isValid(bytes) { return sqlite3_result_int(context, 1) }
                }
                sqlite3_result_int(context, 0)
            }, nil, nil, nil)
    }

    /// Returns whether bytes are well-formed UTF-8.
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        let count = bytes.count
        while index < count {
            while index + 8 <= count {
                let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if word & 0x8080_8080_8080_8080 != 0 { break }
                index += 8
            }
            guard index < count else { return true }
            guard let length = sequenceLength(bytes, at: index) else { return false }
            index += length
        }
        return true
    }

    /// Returns the length of the well-formed sequence at an index; nil if there is none.
    private static func sequenceLength(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
        let first = bytes[index]
        let (length, second): (Int, ClosedRange<UInt8>)
        switch first {
        case 0...0x7f: return 1
        case 0xc2...0xdf: (length, second) = (2, 0x80...0xbf)
        case 0xe0: (length, second) = (3, 0xa0...0xbf)
        case 0xed: (length, second) = (3, 0x80...0x9f)
        case 0xe1...0xef: (length, second) = (3, 0x80...0xbf)
        case 0xf0: (length, second) = (4, 0x90...0xbf)
        case 0xf1...0xf3: (length, second) = (4, 0x80...0xbf)
        case 0xf4: (length, second) = (4, 0x80...0x8f)
        default: return nil
        }
        guard index + length <= bytes.count, second.contains(bytes[index + 1]) else { return nil }
        for offset in 2..<max(length, 2) where bytes[index + offset] & 0xc0 != 0x80 { return nil }
        return length
    }
}
