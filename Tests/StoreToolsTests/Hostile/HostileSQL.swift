import CCoreDataSQLite
import Foundation

/// A connection that writes what no program would write.
final class HostileSQL {
    struct Failure: Error { let message: String }
    private let handle: OpaquePointer

    init(_ url: URL) throws {
        var pointer: OpaquePointer?
        guard sqlite3_open_v2(url.path, &pointer, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, let pointer else {
            throw Failure(message: "cannot open \(url.path)")
        }
        handle = pointer
        for name in [
            "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
        ] {
            _ = sqlite3_create_function_v2(
                pointer, name, -1, SQLITE_UTF8, nil, { context, _, _ in sqlite3_result_null(context) }, nil, nil, nil)
        }
    }

    deinit { _ = sqlite3_close_v2(handle) }

    func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(handle)) + " in " + sql.prefix(200))
        }
    }

    /// Runs a statement with one blob.
    func run(_ sql: String, _ blob: [UInt8]) throws {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v3(handle, sql, -1, 0, &statement, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(handle)))
        }
        defer { _ = sqlite3_finalize(statement) }
        let isBound = blob.withUnsafeBytes {
            sqlite3_bind_blob64(
                statement, 1, $0.baseAddress, UInt64($0.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        }
        guard isBound == SQLITE_OK, sqlite3_step(statement) == SQLITE_DONE else {
            throw Failure(message: String(cString: sqlite3_errmsg(handle)))
        }
    }

    /// Returns the first column of all rows.
    func texts(_ sql: String) throws -> [String] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v3(handle, sql, -1, 0, &statement, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(handle)))
        }
        defer { _ = sqlite3_finalize(statement) }
        var texts: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
        }
        return texts
    }

    /// Returns the first value as bytes.
    func bytes(_ sql: String) throws -> [UInt8]? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v3(handle, sql, -1, 0, &statement, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(handle)))
        }
        defer { _ = sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW, let bytes = sqlite3_column_blob(statement, 0) else { return nil }
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, 0))))
    }
}
