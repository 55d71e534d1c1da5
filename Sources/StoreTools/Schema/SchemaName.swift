#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// Names in the statements of a schema. Core Data writes those of tables, columns and triggers without quotes.
enum SchemaName {
    /// Returns a name as it must appear in a statement: quoted if necessary.
    static func quoted(_ name: String) -> String {
        isPlain(name) && !isKeyword(name) ? name : name.quotedIdentifier
    }

    /// Returns true if SQLite parses an unquoted name as one identifier.
    ///
    /// - Parameter afterPrefix: whether the text follows other characters of the name.
    static func isPlain(_ name: String, afterPrefix: Bool = false) -> Bool {
        var isFirst = !afterPrefix
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                0x80...:
                break
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "$"): if isFirst { return false }
            default: return false
            }
            isFirst = false
        }
        return !name.isEmpty
    }

    private static func isKeyword(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { sqlite3_keyword_check($0.baseAddress, Int32($0.count)) != 0 }
        }
    }
}
