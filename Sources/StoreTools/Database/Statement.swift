import CoreDataStoreFiles
import Foundation

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// A prepared statement. Used by one thread at a time.
package final class Statement {
    package let handle: OpaquePointer
    private let database: Database
    private let sql: String

    init(_ sql: String, on database: Database) throws {
        var pointer: OpaquePointer?
        let result = sqlite3_prepare_v3(database.handle, sql, -1, 0, &pointer, nil)
        guard result == SQLITE_OK, let pointer else { throw DatabaseError(result, database.handle, sql: sql) }
        handle = pointer
        self.database = database
        self.sql = sql
    }

    deinit { _ = sqlite3_finalize(handle) }

    /// Advances to the next row; returns false at the end.
    package func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let result: throw DatabaseError(result, database.handle, sql: sql)
        }
    }

    /// Prepares the statement to be run again. Parameters keep their values.
    package func reset() { _ = sqlite3_reset(handle) }

    // MARK: Columns

    package var columnCount: Int { Int(sqlite3_column_count(handle)) }
    package func type(_ column: Int) -> Int32 { sqlite3_column_type(handle, Int32(column)) }
    package func isNull(_ column: Int) -> Bool { type(column) == SQLITE_NULL }
    package func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }
    package func double(_ column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }

    /// Returns a column as text; nil without a value. Invalid UTF-8 is repaired.
    package func text(_ column: Int) -> String? {
        guard let bytes = sqlite3_column_text(handle, Int32(column)) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// Returns a column as bytes; nil without a value.
    package func data(_ column: Int) -> Data? {
        guard !isNull(column) else { return nil }
        let bytes = sqlite3_column_blob(handle, Int32(column))
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        return bytes.map { Data(bytes: $0, count: count) } ?? Data()
    }

    /// Returns a column in its stored type.
    package func value(_ column: Int) -> StoredValue {
        switch type(column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(double(column))
        case SQLITE_TEXT: .text(text(column) ?? "")
        case SQLITE_BLOB: .blob(data(column) ?? Data())
        default: .null
        }
    }

    // MARK: Parameters

    /// Binds a parameter, counted from 1.
    package func bind(_ value: StoredValue, at index: Int) throws {
        let place = Int32(index)
        let result =
            switch value {
            case .null: sqlite3_bind_null(handle, place)
            case .integer(let number): sqlite3_bind_int64(handle, place, number)
            case .real(let number): sqlite3_bind_double(handle, place, number)
            case .text(let text):
                text.isEmpty
                    ? sqlite3_bind_text64(handle, place, "", 0, Self.transient, UInt8(SQLITE_UTF8))
                    : text.withContiguousBytes {
                        sqlite3_bind_text64(
                            handle, place, $0.baseAddress!.assumingMemoryBound(to: CChar.self), UInt64($0.count),
                            Self.transient, UInt8(SQLITE_UTF8))
                    }
            case .blob(let data):
                data.isEmpty
                    ? sqlite3_bind_zeroblob(handle, place, 0)
                    : data.withUnsafeBytes {
                        sqlite3_bind_blob64(handle, place, $0.baseAddress, UInt64($0.count), Self.transient)
                    }
            }
        guard result == SQLITE_OK else { throw DatabaseError(result, database.handle, sql: sql) }
    }

    /// The marker by which SQLite copies bound bytes.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

/// A value as SQLite stores it.
package enum StoredValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)
}

extension String {
    fileprivate func withContiguousBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    /// The text as a quoted SQL identifier.
    package var quotedIdentifier: String { "\"" + doubling("\"") + "\"" }
}
