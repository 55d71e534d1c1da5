import Foundation
import MagicalRecord

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// Returns rows of a SQLite store's file, queried by SQL through a separate read-only connection.
///
/// Tables and columns are Core Data's: the entity `User` is the table `ZUSER`, its attribute `userID` the column `ZUSERID`,
/// primary keys are `Z_PK`, and dates are seconds since 2001.
///
/// - Parameters:
///   - stack: the stack; its first SQLite store is queried. Without one, the default stack.
///   - sql: one statement.
///   - values: the values of the statement's parameters, `?`.
/// - Returns: the rows, in the statement's order, with their values in the order of its columns.
/// - Throws: `MagicalRecordError.Code.storeRows` with SQLite's message.
public func storeRows(
    of stack: MagicalRecord.Stack? = nil, _ sql: String, _ values: StoreValue...
) throws -> [[StoreValue]] {
    let stack = try stack ?? MagicalRecord.requireStack()
    guard let url = stack.stores.first(where: { $0.type == NSSQLiteStoreType })?.url, url.path != "/dev/null" else {
        throw MagicalRecordError(
            .storeRows, "The stack has no SQLite store with a file.",
            advice: "Use withTestStack, or set up a store with .sqlite(at:).")
    }
    let reader = try StoreReader(url)
    defer { reader.close() }
    return try reader.rows(sql, values)
}

extension MagicalRecordError.Code {
    /// The code for rows that cannot be read: a missing file, table or column, or a statement that writes.
    public static let storeRows = MagicalRecordError.Code(rawValue: 102)
}

/// A read-only connection.
private struct StoreReader {
    private let connection: OpaquePointer

    init(_ url: URL) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_FULLMUTEX
        let code = url.path.withCString { sqlite3_open_v2($0, &opened, flags, nil) }
        guard let opened else {
            throw MagicalRecordError(.storeRows, "SQLite could not open \(url.path).", advice: nil)
        }
        connection = opened
        do {
            try check(code)
            try check(sqlite3_busy_timeout(opened, 5_000))
        } catch {
            close()
            throw error
        }
    }

    func close() {
        // Its statements are finalized, so the connection is closed immediately.
        _ = sqlite3_close_v2(connection)
    }

    func rows(_ sql: String, _ values: [StoreValue]) throws -> [[StoreValue]] {
        var prepared: OpaquePointer?
        let rest = try sql.withCString { text in
            var tail: UnsafePointer<CChar>?
            try check(sqlite3_prepare_v2(connection, text, -1, &prepared, &tail), sql)
            return tail.map { String(cString: $0) } ?? ""
        }
        guard let statement = prepared else {
            throw MagicalRecordError(.storeRows, "The SQL is empty.", advice: nil)
        }
        // Ignored, since it returns the error of the last step, which has been checked.
        defer { _ = sqlite3_finalize(statement) }
        guard rest.allSatisfy({ $0.isWhitespace || $0 == ";" }) else {
            throw MagicalRecordError(
                .storeRows, "There is more than one statement: \(rest)", advice: "Ask with one call each.")
        }
        guard sqlite3_stmt_readonly(statement) != 0 else {
            throw MagicalRecordError(
                .storeRows, "The statement writes: \(sql)", advice: "Change the store through its objects.")
        }
        try bind(values, to: statement, sql)
        var rows: [[StoreValue]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                rows.append(try (0..<sqlite3_column_count(statement)).map { try value(statement, $0, sql) })
            case SQLITE_DONE: return rows
            case let code: try check(code, sql)
            }
        }
    }

    private func bind(_ values: [StoreValue], to statement: OpaquePointer, _ sql: String) throws {
        let count = sqlite3_bind_parameter_count(statement)
        guard Int(count) == values.count else {
            throw MagicalRecordError(
                .storeRows, "The statement has \(count) parameters, and \(values.count) values were given: \(sql)")
        }
        for (index, value) in zip(Int32(1)..., values) {
            switch value {
            case .null: try check(sqlite3_bind_null(statement, index), sql)
            case .integer(let number): try check(sqlite3_bind_int64(statement, index, number), sql)
            case .real(let number): try check(sqlite3_bind_double(statement, index, number), sql)
            case .text(let text):
                let count = UInt64(text.utf8.count)
                try check(sqlite3_bind_text64(statement, index, text, count, copied, UInt8(SQLITE_UTF8)), sql)
            case .blob(let data) where data.isEmpty: try check(sqlite3_bind_zeroblob(statement, index, 0), sql)
            case .blob(let data):
                try check(sqlite3_bind_blob64(statement, index, Array(data), UInt64(data.count), copied), sql)
            }
        }
    }

    private func value(_ statement: OpaquePointer, _ column: Int32, _ sql: String) throws -> StoreValue {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            guard let bytes = sqlite3_column_text(statement, column) else { throw failure(SQLITE_NOMEM, sql) }
            let count = Int(sqlite3_column_bytes(statement, column))
            return .text(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            // An empty blob has a null pointer.
            let count = Int(sqlite3_column_bytes(statement, column))
            guard count > 0 else { return .blob(Data()) }
            guard let bytes = sqlite3_column_blob(statement, column) else { throw failure(SQLITE_NOMEM, sql) }
            return .blob(Data(UnsafeRawBufferPointer(start: bytes, count: count)))
        default: return .null
        }
    }

    private func check(_ code: Int32, _ sql: String? = nil) throws {
        if code != SQLITE_OK { throw failure(code, sql) }
    }

    private func failure(_ code: Int32, _ sql: String?) -> MagicalRecordError {
        let reason = sqlite3_errmsg(connection).map { String(cString: $0) } ?? String(cString: sqlite3_errstr(code))
        return MagicalRecordError(
            .storeRows, "SQLite \(code): \(reason)" + (sql.map { ", in \($0)" } ?? ""),
            advice: "Tables are named after entities, in capitals and with a Z before: ZUSER, ZUSERID.")
    }
}

/// The destructor constant that makes SQLite copy the argument.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
