import CoreDataStoreFiles

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// Names in the statements of a schema. Core Data writes those of tables, columns and triggers without quotes.
enum SchemaName {
    /// Returns a name as it must appear in a statement: quoted if necessary.
    static func quoted(_ name: String) -> String {
        name.isPlainIdentifier() && !isKeyword(name) ? name : name.quotedIdentifier
    }

    private static func isKeyword(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { sqlite3_keyword_check($0.baseAddress, Int32($0.count)) != 0 }
        }
    }
}
