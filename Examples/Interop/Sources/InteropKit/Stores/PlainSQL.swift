import Foundation

#if canImport(Darwin)
import SQLite3
#else
import CInteropSQLite
#endif

/// The content of a store's file, read with SQLite instead of Core Data.
public enum PlainSQL {
    /// Returns all rows of all tables as INSERT statements, with large values abbreviated, and the files of external data. The
    /// text does not depend on the version of SQLite.
    ///
    /// - Throws: ``InteropError`` with SQLite's message.
    public static func listing(of store: URL) throws -> String {
        var text = ""
        try read(store) { database in
            for row in try database.rows("PRAGMA integrity_check") where row != ["'ok'"] {
                text += "-- damaged: \(row.joined(separator: ", "))\n"
            }
            let tables = try database.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            for table in tables.compactMap(\.first).map({ String($0.dropFirst().dropLast()) }) {
                let name = "\"\(table)\""
                let columns = try database.rows("SELECT name FROM pragma_table_info('\(table)')").compactMap(\.first)
                text += "-- \(table) (\(columns.map { $0.dropFirst().dropLast() }.joined(separator: ", ")))\n"
                for row in try database.rows("SELECT * FROM \(name) ORDER BY rowid") {
                    text += "INSERT INTO \(name) VALUES (\(row.joined(separator: ", ")));\n"
                }
            }
        }
        return text + (try externalFiles(of: store))
    }

    private static func externalFiles(of store: URL) throws -> String {
        let name = store.deletingPathExtension().lastPathComponent
        let folder = store.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT/_EXTERNAL_DATA")
        guard FileManager.default.fileExists(atPath: folder.path) else { return "" }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { file in
            let data = try Data(contentsOf: folder.appendingPathComponent(file))
            return "-- external file \(file): \(Value.summary(data))\n"
        }.joined()
    }

    private static func read(_ store: URL, _ body: (OpaquePointer) throws -> Void) throws {
        var handle: OpaquePointer?
        // Opened for writing because SQLite may have to create the `-shm` file. Nothing is written to the store.
        let code = sqlite3_open_v2(store.path, &handle, SQLITE_OPEN_READWRITE, nil)
        defer { _ = sqlite3_close_v2(handle) }
        guard code == SQLITE_OK, let handle else { throw InteropError("SQLite cannot open \(store.path)") }
        try body(handle)
    }
}

extension OpaquePointer {
    /// Returns the rows of a statement, with values as SQL literals.
    fileprivate func rows(_ sql: String) throws -> [[String]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(self, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
        defer { _ = sqlite3_finalize(statement) }
        var rows: [[String]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append((0..<sqlite3_column_count(statement)).map { literal(statement, $0) })
            case SQLITE_DONE: return rows
            default: throw failure
            }
        }
    }

    private var failure: InteropError { InteropError("SQLite: \(String(cString: sqlite3_errmsg(self)))") }

    private func literal(_ statement: OpaquePointer?, _ column: Int32) -> String {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return "\(sqlite3_column_int64(statement, column))"
        case SQLITE_FLOAT:
            let number = sqlite3_column_double(statement, column)
            return number.isInfinite ? (number < 0 ? "-9e999" : "9e999") : "\(number)"
        case SQLITE_TEXT:
            let bytes = bytes(statement, column)
            return bytes.count <= 400 ? Self.quoted(bytes) : "'' /* text of \(Value.summary(bytes)) */"
        case SQLITE_BLOB:
            let bytes = bytes(statement, column)
            guard bytes.count <= 64 else { return "X'' /* \(Value.summary(bytes)) */" }
            return "X'" + bytes.map { Value.hexadecimal(UInt64($0), digits: 2) }.joined() + "'"
        default: return "NULL"
        }
    }

    private func bytes(_ statement: OpaquePointer?, _ column: Int32) -> Data {
        guard let start = sqlite3_column_blob(statement, column) else { return Data() }
        return Data(bytes: start, count: Int(sqlite3_column_bytes(statement, column)))
    }

    /// Returns a text as a SQL literal on one line, with control characters as numbers.
    private static func quoted(_ bytes: Data) -> String {
        var text = "'"
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "'": text += "''"
            case "\0"..<" ", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}": text += "' || char(\(scalar.value)) || '"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "'"
    }
}
