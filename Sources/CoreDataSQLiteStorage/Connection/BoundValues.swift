import CCoreDataSQLite

/// The values bound to a statement, in the form SQLite expands them to.
package struct BoundValues {
    /// The values in the order of the parameters' numbers: numbers, `"text"`, `nil`, and the sizes of blobs.
    private(set) var all: [String] = []

    init(of statement: SQLiteStatement) {
        let count = Int(sqlite3_bind_parameter_count(statement.pointer))
        guard count > 0, let expanded = sqlite3_expanded_sql(statement.pointer) else { return }
        defer { sqlite3_free(expanded) }
        all = Self.values(count, in: Array(statement.sql.utf8), Array(String(cString: expanded).utf8))
    }

    /// Extracts the values by comparing a statement's text with its expanded text, in which values replace the parameters.
    package static func values(_ count: Int, in text: [UInt8], _ expanded: [UInt8]) -> [String] {
        var values = [String](repeating: "?", count: count)
        var (place, other, last) = (0, 0, 0)
        while place < text.count, other < expanded.count {
            let byte = text[place]
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
                let length = quotedLength(text, place)
                place += length
                other += length
            case UInt8(ascii: "?"):
                place += 1
                var number = 0
                while place < text.count, text[place] >= UInt8(ascii: "0"), text[place] <= UInt8(ascii: "9") {
                    number = number * 10 + Int(text[place] - UInt8(ascii: "0"))
                    place += 1
                }
                if number == 0 { number = last + 1 }
                last = max(last, number)
                let end = literalEnd(expanded, other)
                if number <= count { values[number - 1] = printed(expanded[other..<end]) }
                other = end
            default:
                // Between the parameters, both texts are the same.
                guard byte == expanded[other] else { return values }
                place += 1
                other += 1
            }
        }
        return values
    }

    /// Returns the number of bytes of the quoted text that begins at `start`, quotes included. A doubled quote inside is an
    /// escaped one.
    private static func quotedLength(_ text: [UInt8], _ start: Int) -> Int {
        let quote = text[start]
        var place = start + 1
        while place < text.count {
            if text[place] == quote {
                guard place + 1 < text.count, text[place + 1] == quote else { return place + 1 - start }
                place += 1
            }
            place += 1
        }
        return text.count - start
    }

    private static func literalEnd(_ text: [UInt8], _ start: Int) -> Int {
        if text[start] == UInt8(ascii: "'") { return start + quotedLength(text, start) }
        if text[start] == UInt8(ascii: "x"), start + 1 < text.count, text[start + 1] == UInt8(ascii: "'") {
            return start + 1 + quotedLength(text, start + 1)
        }
        var place = start
        var isNested = false
        while place < text.count {
            let byte = text[place]
            if byte == UInt8(ascii: "(") { isNested = true }
            if byte == UInt8(ascii: ")") {
                guard isNested else { return place }
                isNested = false
            } else if !isNested, byte == UInt8(ascii: ",") || byte == UInt8(ascii: " ") || byte == UInt8(ascii: ";") {
                return place
            }
            place += 1
        }
        return place
    }

    private static func printed(_ literal: ArraySlice<UInt8>) -> String {
        let text = String(decoding: literal, as: UTF8.self)
        if text == "NULL" { return "nil" }
        if text.hasPrefix("'") {
            return "\""
                + text.dropFirst().dropLast().split(separator: "''", omittingEmptySubsequences: false)
                .joined(separator: "'") + "\""
        }
        if text.hasPrefix("x'") { return "<\((literal.count - 3) / 2) bytes>" }
        return text
    }
}
