/// A statement that creates a table, as far as its columns go.
///
/// Statements of files are not run before they are read here: a damaged or hostile file may have others than its tables need,
/// such as queries without an end.
struct TableStatement {
    struct Column {
        var name: String
        /// The words of the declared type.
        var type: String
        /// True if the column is the table's only `PRIMARY KEY`, declared with the column.
        var isKey = false
        /// True if the value is computed by an expression.
        var isGenerated = false
        /// True if a generated value is in the file as well.
        var isStored = false
    }

    private(set) var name = ""
    private(set) var columns: [Column] = []
    /// The columns of a `PRIMARY KEY` that is declared with the table.
    private(set) var key: [String] = []
    private(set) var isWithoutRowID = false
    /// True if the statement consists of names, types, keys, literal default values and `NOT NULL` alone.
    private(set) var isPlain: Bool

    /// True if a column's values are computed by an expression.
    var hasGeneratedColumns: Bool { columns.contains(where: \.isGenerated) }
    /// The columns of the records in the file.
    var storedColumns: [Column] { columns.filter { !$0.isGenerated || $0.isStored } }

    private static let columnLimit = 2000
    private static let constraints: Set<String> = [
        "CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED",
        "AS",
        "ON", "DEFERRABLE",
    ]
    private static let tableConstraints: Set<String> = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"]
    private static let collations: Set<String> = ["BINARY", "NOCASE", "RTRIM"]
    private static let constants: Set<String> = ["NULL", "TRUE", "FALSE"]

    /// Reads a statement; returns nil for any other than the creation of a table with columns.
    init?(_ sql: String) {
        guard let statement = StatementTokens(sql) else { return nil }
        isPlain = !statement.hasComments
        var tokens = statement.tokens[...]
        guard tokens.take("CREATE"), tokens.take("TABLE") else { return nil }
        if tokens.take("IF") { guard tokens.take("NOT"), tokens.take("EXISTS") else { return nil } }
        guard let name = tokens.popFirst()?.name, let body = tokens.parentheses() else { return nil }
        self.name = name
        for part in body.parts() where !read(part) { return nil }
        guard !columns.isEmpty, columns.count <= Self.columnLimit, readOptions(tokens),
            Set(columns.map { $0.name.uppercased() }).count == columns.count
        else { return nil }
    }

    /// Returns the statement of a table of the same columns, keys and types, without anything that computes.
    var reduced: String {
        let stored = storedColumns
        var parts = stored.map { column in
            column.name.quotedIdentifier + (column.type.isEmpty ? "" : " " + column.type)
                + (column.isKey ? " PRIMARY KEY" : "")
        }
        let names = Set(stored.map { $0.name.uppercased() })
        let hasKey = !key.isEmpty && key.allSatisfy { names.contains($0.uppercased()) }
        if hasKey { parts.append("PRIMARY KEY (\(key.map(\.quotedIdentifier).joined(separator: ", ")))") }
        let isClustered = isWithoutRowID && (hasKey || stored.contains(where: \.isKey))
        return "CREATE TABLE \(name.quotedIdentifier) (\(parts.joined(separator: ", ")))"
            + (isClustered ? " WITHOUT ROWID" : "")
    }

    // MARK: Parts

    private mutating func read(_ part: ArraySlice<StatementTokens.Token>) -> Bool {
        if let keyword = part.first?.keyword, Self.tableConstraints.contains(keyword) {
            readTableConstraint(part)
            return true
        }
        return readColumn(part)
    }

    private mutating func readTableConstraint(_ part: ArraySlice<StatementTokens.Token>) {
        var tokens = part
        if tokens.take("CONSTRAINT") { _ = tokens.popFirst() }
        let isKey = tokens.take("PRIMARY") && tokens.take("KEY")
        guard isKey || tokens.take("UNIQUE"), let list = tokens.parentheses() else {
            isPlain = false
            return
        }
        var names: [String] = []
        for part in list.parts() {
            var term = part
            guard let name = term.popFirst()?.name else {
                isPlain = false
                return
            }
            names.append(name)
            if term.take("COLLATE"), term.popFirst()?.name.map({ Self.collations.contains($0.uppercased()) }) != true {
                isPlain = false
            }
            if !term.take("ASC") { _ = term.take("DESC") }
            if !term.isEmpty { isPlain = false }
        }
        if isKey { key = names }
        if !tokens.isEmpty { isPlain = false }
    }

    private mutating func readColumn(_ part: ArraySlice<StatementTokens.Token>) -> Bool {
        var tokens = part
        guard let name = tokens.popFirst()?.name else { return false }
        var column = Column(name: name, type: "")
        column.type = Self.readType(&tokens)
        while let token = tokens.popFirst() {
            switch token.keyword {
            case "NULL"?: break
            case "NOT"?: if !tokens.take("NULL") { isPlain = false }
            case "UNIQUE"?: break
            case "CONSTRAINT"?: _ = tokens.popFirst()
            case "PRIMARY"?:
                guard tokens.take("KEY") else { return false }
                column.isKey = true
                if !tokens.take("ASC") { _ = tokens.take("DESC") }
                _ = tokens.take("AUTOINCREMENT")
            case "COLLATE"?:
                let collation = tokens.popFirst()?.name?.uppercased()
                if collation.map(Self.collations.contains) != true { isPlain = false }
            case "DEFAULT"?: if !Self.skipLiteral(&tokens) { isPlain = false }
            case "GENERATED"?, "AS"?:
                column.isGenerated = true
                column.isStored = tokens.contains { $0.keyword == "STORED" }
                isPlain = false
            default: isPlain = false
            }
        }
        columns.append(column)
        return true
    }

    /// Returns the words of a type, with the numbers in parentheses.
    private static func readType(_ tokens: inout ArraySlice<StatementTokens.Token>) -> String {
        var words: [String] = []
        while let word = tokens.first?.name, tokens.first?.keyword.map(constraints.contains) != true {
            words.append(word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } ? word : word.quotedIdentifier)
            tokens.removeFirst()
        }
        guard !words.isEmpty, tokens.first?.is("(") == true else { return words.joined(separator: " ") }
        var rest = tokens
        if let numbers = rest.parentheses(), numbers.count <= 3 {
            let isNumeric = numbers.allSatisfy { if case .number = $0 { true } else { $0.is(",") } }
            if isNumeric { tokens = rest }
        }
        return words.joined(separator: " ")
    }

    private static func skipLiteral(_ tokens: inout ArraySlice<StatementTokens.Token>) -> Bool {
        if tokens.first?.is("-") == true || tokens.first?.is("+") == true {
            tokens.removeFirst()
            if case .number? = tokens.popFirst() { return true }
            return false
        }
        switch tokens.popFirst() {
        case .number?, .text?, .blob?: return true
        case .word(let word)?: return constants.contains(word.uppercased())
        default: return false
        }
    }

    private mutating func readOptions(_ tokens: ArraySlice<StatementTokens.Token>) -> Bool {
        for part in tokens.parts() where !part.isEmpty {
            switch part.map(\.keyword) {
            case ["WITHOUT", "ROWID"]: isWithoutRowID = true
            case ["STRICT"]: isPlain = false
            default: return false
            }
        }
        return true
    }
}

extension ArraySlice<StatementTokens.Token> {
    /// Removes a keyword at the beginning; returns false if there is another token.
    mutating func take(_ keyword: String) -> Bool {
        guard first?.keyword == keyword else { return false }
        removeFirst()
        return true
    }

    /// Removes parentheses at the beginning and returns their content; nil if there are none, or they are not closed.
    mutating func parentheses() -> ArraySlice<StatementTokens.Token>? {
        guard first?.is("(") == true else { return nil }
        var depth = 0
        for index in indices {
            if self[index].is("(") { depth += 1 }
            if self[index].is(")") { depth -= 1 }
            guard depth == 0 else { continue }
            let content = self[startIndex + 1..<index]
            self = self[(index + 1)...]
            return content
        }
        return nil
    }

    /// Returns the parts between the commas outside of parentheses.
    func parts() -> [ArraySlice<StatementTokens.Token>] {
        var parts: [ArraySlice<StatementTokens.Token>] = []
        var depth = 0
        var start = startIndex
        for index in indices {
            if self[index].is("(") { depth += 1 }
            if self[index].is(")") { depth -= 1 }
            guard depth == 0, self[index].is(",") else { continue }
            parts.append(self[start..<index])
            start = index + 1
        }
        parts.append(self[start...])
        return parts
    }
}
