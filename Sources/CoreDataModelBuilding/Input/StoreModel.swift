import CCoreDataSQLite
import Foundation
import ModelFormat

/// Reads the compiled model in a SQLite store.
enum StoreModel {
    static func isStore(_ url: URL) -> Bool {
        guard let handle = try? FileHandle(forReadingFrom: url) else { return false }
        defer { try? handle.close() }
        return ((try? handle.read(upToCount: 15)) ?? Data()) == Data("SQLite format 3".utf8)
    }

    /// Returns the archive of the model with which the store was last opened. Opens the store read-only; it may be in use.
    static func content(_ url: URL) throws -> Data {
        var database: OpaquePointer?
        defer { _ = sqlite3_close(database) }
        guard sqlite3_open_v2(url.path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
            throw failure(database, url)
        }
        var statement: OpaquePointer?
        defer { _ = sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(database, "SELECT Z_CONTENT FROM Z_MODELCACHE", -1, &statement, nil) == SQLITE_OK
        else {
            let message = String(cString: sqlite3_errmsg(database))
            guard message.contains("no such table") else { throw failure(database, url) }
            throw Diagnostic(
                message: "the database carries no model", file: url.path,
                advice: "It is no Core Data store, or one of before 2016: show the model it was made with instead")
        }
        guard sqlite3_step(statement) == SQLITE_ROW, let bytes = sqlite3_column_blob(statement, 0) else {
            throw Diagnostic(message: "the store's table of models is empty", file: url.path)
        }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, 0)))
    }

    /// Decodes the model in the archive of a store.
    static func read(_ content: Data, of url: URL) throws -> Model {
        do throws(ModelFormatError) {
            return try Model(cacheContent: content)
        } catch {
            throw error.inFile(url.path)
        }
    }

    private static func failure(_ database: OpaquePointer?, _ url: URL) -> Diagnostic {
        let reason = database.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
        return Diagnostic(message: "the store cannot be read: \(reason)", file: url.path)
    }
}
