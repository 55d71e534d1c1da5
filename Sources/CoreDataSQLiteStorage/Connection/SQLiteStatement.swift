import CoreDataRowStorage
import CCoreDataSQLite
import Foundation

/// A prepared statement. Used on its connection's thread; bindings are numbered from 1, columns from 0, as in SQLite.
package final class SQLiteStatement {
    package let pointer: OpaquePointer
    /// The number of its ``SQLText``; 0 if it was prepared for one use.
    let id: Int
    package let sql: String
    unowned(unsafe) let connection: SQLiteConnection
    fileprivate let writes: Bool
    var lastUse: UInt64 = 0

    /// Prepares a statement.
    ///
    /// - Parameters:
    ///   - sql: one statement.
    ///   - isWriting: whether to throw errors of writing, whatever the statement does.
    /// - Throws: SQLite's error; `NSSQLiteError` if the text is no statement, or contains more than one.
    init(
        _ sql: String, on connection: SQLiteConnection, persistent: Bool, id: Int = 0, isWriting: Bool = false
    ) throws {
        var pointer: OpaquePointer?
        let flags = persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        var length = 0
        let result = sql.withCString { text in
            var rest: UnsafePointer<CChar>?
            let result = sqlite3_prepare_v3(connection.handle, text, -1, flags, &pointer, &rest)
            length = rest.map { $0 - text } ?? 0
            return result
        }
        // For SQLite, text ends at NUL, which a quoted name may contain.
        guard result == SQLITE_OK || sql.utf8.contains(0) else {
            throw connection.error(result, sql: sql, writing: isWriting)
        }
        // The remainder may be a second statement, injected by a name.
        guard let pointer, length == sql.utf8.count || sql.utf8.dropFirst(length).allSatisfy(Self.isSpace) else {
            _ = sqlite3_finalize(pointer)
            throw SQLiteFailure.notOneStatement(sql, path: connection.path)
        }
        self.pointer = pointer
        self.id = id
        self.sql = sql
        self.connection = connection
        // SQLite classifies BEGIN and COMMIT as read-only.
        writes =
            isWriting || sqlite3_stmt_readonly(pointer) == 0 || sql == SQLText.begin.text || sql == SQLText.commit.text
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || 9...13 ~= byte }

    deinit {
        // The result repeats the error of the last step, which was already thrown.
        _ = sqlite3_finalize(pointer)
    }

    var isBusy: Bool { sqlite3_stmt_busy(pointer) != 0 }

    // MARK: Running

    /// Steps to the next row; returns false at the end, where the statement is reset.
    @inline(__always)
    package func step() throws -> Bool {
        if Probe.isOn, !isBusy { report() }
        let result = sqlite3_step(pointer)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE {
            reset()
            return false
        }
        throw failure(result)
    }

    /// Runs a statement and ignores its rows.
    @inline(__always)
    package func run() throws {
        reportBeginning()
        let result = sqlite3_step(pointer)
        guard result == SQLITE_DONE || result == SQLITE_ROW else { throw failure(result) }
        reset()
    }

    /// Runs a statement and returns SQLite's result code instead of throwing. The statement is reset.
    @inline(__always)
    func runForResult() -> Int32 {
        reportBeginning()
        let result = sqlite3_step(pointer)
        reset()
        return result
    }

    /// Makes the statement ready to run again. SQLite's result repeats the error of the last step, which was already checked.
    @inline(__always)
    func reset() { _ = sqlite3_reset(pointer) }

    @inline(never)
    func failure(_ result: Int32) -> NSError {
        let error = connection.error(result, sql: sql, writing: writes)
        reset()
        return error
    }

    // MARK: Binding

    /// Declares that the bytes stay valid until the statement is reset. SQLite does not read them after that.
    static var unmoved: sqlite3_destructor_type? { nil }
    /// Makes SQLite copy the bytes.
    static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    @inline(__always)
    package func bind(_ value: Int64, at index: Int32) throws { try check(sqlite3_bind_int64(pointer, index, value)) }
    @inline(__always)
    package func bind(_ value: Int, at index: Int32) throws {
        try check(sqlite3_bind_int64(pointer, index, Int64(value)))
    }
    @inline(__always)
    func bind(_ value: Double, at index: Int32) throws { try check(sqlite3_bind_double(pointer, index, value)) }
    @inline(__always)
    func bindNull(at index: Int32) throws { try check(sqlite3_bind_null(pointer, index)) }

    package func bind(_ value: String, at index: Int32) throws {
        var value = value
        try value.withUTF8 { try bindText(copying: UnsafeRawBufferPointer($0), at: index) }
    }

    package func bind(_ value: Data, at index: Int32) throws {
        try value.withUnsafeBytes { try bindBlob(copying: $0, at: index) }
    }

    func bindText(copying bytes: UnsafeRawBufferPointer, at index: Int32) throws {
        try check(Self.bindText(pointer, index, bytes, Self.copied), bytes: bytes.count)
    }

    func bindBlob(copying bytes: UnsafeRawBufferPointer, at index: Int32) throws {
        try check(Self.bindBlob(pointer, index, bytes, Self.copied), bytes: bytes.count)
    }

    /// Binds UTF-8 text and returns SQLite's result code: `SQLITE_TOOBIG` for text over the connection's length limit.
    @inline(__always)
    static func bindText(
        _ statement: OpaquePointer, _ index: Int32, _ bytes: UnsafeRawBufferPointer,
        _ destructor: sqlite3_destructor_type?
    ) -> Int32 {
        // For a null pointer, SQLite binds NULL.
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else {
            return sqlite3_bind_text64(statement, index, "", 0, copied, UInt8(SQLITE_UTF8))
        }
        return sqlite3_bind_text64(statement, index, start, UInt64(bytes.count), destructor, UInt8(SQLITE_UTF8))
    }

    /// Binds a blob and returns SQLite's result code: `SQLITE_TOOBIG` for one over the connection's length limit.
    @inline(__always)
    static func bindBlob(
        _ statement: OpaquePointer, _ index: Int32, _ bytes: UnsafeRawBufferPointer,
        _ destructor: sqlite3_destructor_type?
    ) -> Int32 {
        if bytes.isEmpty { return sqlite3_bind_zeroblob(statement, index, 0) }
        return sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), destructor)
    }

    @inline(__always)
    func check(_ result: Int32, bytes: Int = 8) throws {
        guard result == SQLITE_OK else { throw bindingFailure(result, bytes: bytes) }
    }

    /// Returns the error for a value that could not be bound.
    ///
    /// - Parameters:
    ///   - entity: the value's entity and attribute, and the primary key of its row, if known.
    @inline(never)
    func bindingFailure(
        _ result: Int32, bytes: Int?, entity: String? = nil, attribute: String? = nil, row: Int64? = nil
    ) -> NSError {
        guard result == SQLITE_TOOBIG else { return connection.error(result, sql: sql, writing: writes) }
        return SQLiteFailure.valueTooLong(
            bytes, limit: connection.lengthLimit, path: connection.path, entity: entity, attribute: attribute, row: row)
    }

    // MARK: Columns

    @inline(__always)
    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }
    @inline(__always)
    package func double(_ column: Int32) -> Double { sqlite3_column_double(pointer, column) }
    @inline(__always)
    package func type(_ column: Int32) -> Int32 { sqlite3_column_type(pointer, column) }
    @inline(__always)
    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }
    package var columnCount: Int32 { sqlite3_column_count(pointer) }

    /// Returns the bytes of a text or blob column, valid until the next step; nil for NULL.
    @inline(__always)
    package func bytes(_ column: Int32) -> UnsafeRawBufferPointer? {
        if let start = sqlite3_column_blob(pointer, column) {
            return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column)))
        }
        return isNull(column) ? nil : UnsafeRawBufferPointer(start: nil, count: 0)
    }

    package func text(_ column: Int32) -> String? {
        guard let bytes = bytes(column) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    package func data(_ column: Int32) -> Data? { bytes(column).map { Data($0) } }
}
