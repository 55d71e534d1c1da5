import CoreDataRowStorage
import CoreDataStoreFiles

/// Quoting and creation of PostgreSQL's names.
package enum PostgreSQLName {
    /// Returns a name as it must appear in a statement: quoted if necessary, and after the name of its schema if it is
    /// qualified.
    package static func quoted(_ name: String) -> String {
        if let schema = schema(of: name) { return "\(quoted(schema)).\(quoted(unqualified(name)))" }
        return isPlain(name) && !reserved.contains(name) ? name : "\"\(name.doubling("\""))\""
    }

    /// Returns a text as a literal, whichever `standard_conforming_strings` is set.
    package static func literal(_ text: String) -> String {
        let doubled = text.doubling("'")
        return text.utf8.contains(UInt8(ascii: "\\")) ? "E'\(doubled.doubling("\\"))'" : "'\(doubled)'"
    }

    // MARK: Schemas

    /// Separates the schema of a qualified name from the name. No identifier of the database contains it.
    private static let separator: Unicode.Scalar = "\0"

    /// Returns the name of a table or sequence in a schema; nil is the first schema of the search path.
    package static func qualified(_ name: String, schema: String?) -> String {
        schema.map { "\($0)\(separator)\(name)" } ?? name
    }

    /// Returns the schema of a qualified name; nil for other names.
    package static func schema(of name: String) -> String? {
        name.unicodeScalars.firstIndex(of: separator).map { String(name.unicodeScalars[..<$0]) }
    }

    /// Returns a name without its schema.
    package static func unqualified(_ name: String) -> String {
        let scalars = name.unicodeScalars
        return scalars.firstIndex(of: separator).map { String(scalars[scalars.index(after: $0)...]) } ?? name
    }

    /// Returns a name that is derived from that of a table, in the same schema.
    package static func name(_ suffix: String, of table: String) -> String {
        qualified(fitting("\(unqualified(table))_\(suffix)"), schema: schema(of: table))
    }

    /// Doubles a quotation mark. The server sees single code points: a mark with a combining character after it ends a name.
    private static func isPlain(_ name: String) -> Bool {
        var isFirst = true
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"): break
            case UInt8(ascii: "0")...UInt8(ascii: "9") where !isFirst: break
            default: return false
            }
            isFirst = false
        }
        return !isFirst
    }

    /// The keywords that cannot be unquoted names of tables or columns (`pg_get_keywords()`, categories R and T, PostgreSQL
    /// 15 and 18).
    private static let reserved = Set(
        """
        all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation \
        column concurrently constraint create cross current_catalog current_date current_role current_schema current_time \
        current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze \
        from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit \
        localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references \
        returning right select session_user similar some symmetric system_user table tablesample then to trailing true \
        union unique user using variadic verbose when where window with
        """.split(separator: " ").map(String.init))

    // MARK: Names of the model

    /// Returns a name of the model in snake case: `displayName` becomes `display_name`, `sourceURL` becomes `source_url`.
    package static func snakeCase(_ name: String) -> String {
        var result = ""
        let scalars = Array(name.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            if scalar.properties.isUppercase, index > 0 {
                let last = scalars[index - 1].properties
                let leads = index + 1 < scalars.count && scalars[index + 1].properties.isLowercase
                let isWord = last.isAlphabetic || last.numericType != nil
                if isWord, !last.isUppercase || leads { result += "_" }
            }
            result += scalar.properties.lowercaseMapping
        }
        return result
    }

    /// The maximum length of a name in bytes; the database truncates longer ones.
    package static let longest = 63

    /// Returns a name that the database can have: a longer name than ``longest`` is truncated, with a hash of the whole name
    /// appended, and U+0000 is replaced.
    package static func fitting(_ name: String) -> String {
        guard !name.isEmpty else { return "unnamed" }
        if name.utf8.contains(0) {
            let scalars = name.unicodeScalars.map { $0 == separator ? "_" : $0 }
            return fitting(String(String.UnicodeScalarView(scalars)))
        }
        guard name.utf8.count > longest else { return name }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 36)
        var beginning = name
        while beginning.utf8.count + 1 + digits.utf8.count > longest { beginning.removeLast() }
        return "\(beginning)_\(digits)"
    }

    /// Returns the type of the column of a value; nil for values that are not stored.
    package static func type(of kind: CellKind, in place: CellColumns) -> String? {
        place.isInSeconds ? DatabaseTraits.wholeDateType : type(of: kind)
    }

    /// Returns the usual type of the columns of a kind; nil for values that are not stored.
    package static func type(of kind: CellKind) -> String? {
        switch kind {
        case .int16: "smallint"
        case .int32: "integer"
        case .int64, .reference: "bigint"
        case .boolean: "boolean"
        case .double: "double precision"
        case .float: "real"
        case .date: "timestamptz"
        case .string, .uri: "text"
        case .data, .transformable: "bytea"
        case .uuid: "uuid"
        case .decimal: "numeric"
        case .boxed: nil
        }
    }
}
