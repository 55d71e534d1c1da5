/// Decides which statements of a file's schema may be run again in a new file: those of the forms that Core Data writes, which
/// compute nothing but comparisons of columns with constants.
enum StatementRules {
    private typealias Tokens = ArraySlice<StatementTokens.Token>

    /// The words of conditions and terms that are no names of columns.
    private static let words: Set<String> = [
        "AND", "OR", "NOT", "IS", "NULL", "NOTNULL", "ISNULL", "IN", "BETWEEN", "COLLATE", "BINARY", "NOCASE", "RTRIM",
        "ASC", "DESC", "TRUE", "FALSE", "IFNULL",
    ]
    /// The words that parentheses may follow. `IFNULL` is the only function.
    private static let opening: Set<String> = ["AND", "OR", "NOT", "IN", "IFNULL", "BETWEEN", "IS"]
    private static let symbols = Set("(),=<>!-+".utf8)
    private static let depthLimit = 50
    private static let tokenLimit = 5000

    /// Returns true for the creation of an index with a name on a table, with terms and a condition of the table's columns.
    ///
    /// - Parameter columns: The names of the table's columns.
    static func isIndex(_ sql: String, name: String, table: String, columns: [String]) -> Bool {
        guard let statement = StatementTokens(sql), !statement.hasComments, statement.tokens.count <= tokenLimit else {
            return false
        }
        var tokens = statement.tokens[...]
        guard tokens.take("CREATE") else { return false }
        _ = tokens.take("UNIQUE")
        guard tokens.take("INDEX") else { return false }
        if tokens.take("IF") { guard tokens.take("NOT"), tokens.take("EXISTS") else { return false } }
        guard isName(tokens.popFirst(), name), tokens.take("ON"), isName(tokens.popFirst(), table),
            let terms = tokens.parentheses()
        else { return false }
        let names = Set(columns.map { $0.uppercased() })
        guard computesNothing(terms, names) else { return false }
        if tokens.isEmpty { return true }
        return tokens.take("WHERE") && computesNothing(tokens, names)
    }

    /// Returns true for the creation of a spatial index: a virtual table of an R-tree with plain columns.
    static func isSpatialTable(_ sql: String, name: String) -> Bool {
        guard let statement = StatementTokens(sql), !statement.hasComments else { return false }
        var tokens = statement.tokens[...]
        guard tokens.take("CREATE"), tokens.take("VIRTUAL"), tokens.take("TABLE"), isName(tokens.popFirst(), name),
            tokens.take("USING"), tokens.take("RTREE"), let list = tokens.parentheses(), tokens.isEmpty
        else { return false }
        let parts = list.parts()
        return (3...11).contains(parts.count)
            && parts.allSatisfy { part in
                part.first?.name != nil
                    && part.dropFirst().allSatisfy { ["INTEGER", "PRIMARY", "KEY", "FLOAT"].contains($0.keyword) }
            }
    }

    /// Returns true if a statement is one of others, apart from spaces, quotes and case.
    static func isOne(_ sql: String, of others: [SchemaStatement]) -> Bool {
        guard let tokens = normalized(sql) else { return false }
        return others.contains { normalized($0.sql) == tokens }
    }

    private static func normalized(_ sql: String) -> [StatementTokens.Token]? {
        guard let statement = StatementTokens(sql), !statement.hasComments else { return nil }
        var tokens = statement.tokens.map { token in
            switch token {
            case .word(let name), .quoted(let name): StatementTokens.Token.word(name.uppercased())
            default: token
            }
        }
        if tokens.last?.is(";") == true { tokens.removeLast() }
        return tokens
    }

    private static func isName(_ token: StatementTokens.Token?, _ name: String) -> Bool {
        token?.name?.uppercased() == name.uppercased()
    }

    private static func computesNothing(_ tokens: Tokens, _ columns: Set<String>) -> Bool {
        var depth = 0
        var previous: StatementTokens.Token?
        for token in tokens {
            switch token {
            case .symbol(let symbol):
                guard symbols.contains(symbol) else { return false }
                if token.is("(") {
                    depth += 1
                    if let word = previous?.keyword, !opening.contains(word) { return false }
                    if case .quoted? = previous { return false }
                }
                if token.is(")") { depth -= 1 }
                guard (0...depthLimit).contains(depth) else { return false }
            case .word(let word):
                guard words.contains(word.uppercased()) || columns.contains(word.uppercased()) else { return false }
            case .quoted(let name):
                guard columns.contains(name.uppercased()) else { return false }
            case .text, .number, .blob: break
            }
            previous = token
        }
        return depth == 0
    }
}
