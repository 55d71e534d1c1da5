import CCoreDataSQLite
import Foundation

/// A connection for tests that look at files, or damage them, by plain SQL. Triggers of derived attributes do nothing.
final class DamageSQL {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private var handle: OpaquePointer?

    /// - Parameter keepsLog: Whether the log is left as it is when the connection closes.
    init(_ url: URL, readOnly: Bool = false, keepsLog: Bool = false) throws {
        let flags = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        try check(sqlite3_open_v2(url.path, &handle, flags, nil))
        for name in ["Updated", "InsertUpdated"] {
            let function = "NSCoreDataDATrigger\(name)AffectedObjectValue"
            try check(
                sqlite3_create_function(
                    handle, function, -1, SQLITE_UTF8, nil, { context, _, _ in sqlite3_result_null(context) }, nil, nil)
            )
        }
        if keepsLog {
            // SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE has a variadic call only; a file control has the same effect.
            var value: Int32 = 1
            try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &value))
            try run("PRAGMA wal_autocheckpoint = 0")
        }
    }

    deinit { _ = sqlite3_close_v2(handle) }

    private func check(_ result: Int32) throws {
        guard result == SQLITE_OK else {
            throw Failure(description: "\(String(cString: sqlite3_errmsg(handle))) (\(result))")
        }
    }

    func run(_ script: String) throws { try check(sqlite3_exec(handle, script, nil, nil, nil)) }

    /// Lets statements change `sqlite_schema`, which a setting of the library may forbid.
    func run(onSchema script: String) throws {
        try run("PRAGMA writable_schema = ON; BEGIN; \(script); COMMIT; PRAGMA writable_schema = OFF")
    }

    /// Passes the texts of each row's columns; see ``DamageSQL/text(_:_:)``.
    func forEach(_ sql: String, _ body: ([String]) throws -> Void) throws {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
        defer { _ = sqlite3_finalize(statement) }
        while true {
            let result = sqlite3_step(statement)
            if result == SQLITE_DONE { return }
            guard result == SQLITE_ROW else { return try check(result) }
            try body((0..<sqlite3_column_count(statement)).map { Self.text(statement, $0) })
        }
    }

    func rows(_ sql: String) throws -> [[String]] {
        var rows: [[String]] = []
        try forEach(sql) { rows.append($0) }
        return rows
    }

    func integers(_ sql: String) throws -> [Int] { try rows(sql).map { Int($0[0]) ?? 0 } }
    /// Returns the texts of the first column, which is text or NULL.
    func texts(_ sql: String) throws -> [String] { try rows(sql).map { String($0[0].dropFirst()) } }

    /// The texts that two values share if they are equal: numbers without regard to how they are stored, `t…` for text,
    /// `b…` for bytes, an empty text for NULL.
    private static func text(_ statement: OpaquePointer?, _ column: Int32) -> String {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return String(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT:
            let value = sqlite3_column_double(statement, column)
            return Int64(exactly: value).map { String($0) } ?? "\(value)"
        case SQLITE_TEXT:
            let count = Int(sqlite3_column_bytes(statement, column))
            guard let bytes = sqlite3_column_text(statement, column) else { return "t" }
            return "t" + String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        case SQLITE_BLOB:
            let count = Int(sqlite3_column_bytes(statement, column))
            return "b" + digest(UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, column), count: count))
        default: return ""
        }
    }

    /// Returns the count and the FNV-1a hash of bytes; the first of them in hexadecimal.
    static func digest(_ bytes: UnsafeRawBufferPointer) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return "\(bytes.count):\(String(hash, radix: 16))"
    }
}
