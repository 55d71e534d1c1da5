/// Comments of SQL scripts.
enum SQLComment {
    /// Returns a comment in one line: names of a model may contain line breaks.
    static func line(_ text: String) -> String {
        var line = String.UnicodeScalarView("-- ".unicodeScalars)
        for scalar in text.unicodeScalars {
            let breaks = scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
            line.append(breaks ? " " : scalar)
        }
        return String(line)
    }

    /// Returns a statement as comments: each of its lines is one.
    static func statement(_ sql: String) -> [String] {
        sql.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line(String($0)) }
    }
}
