/// Which tables of a file SQLite can read without computing anything that the file says.
struct SchemaTrust {
    /// The upper-case names of tables that are not read: those with generated columns, and virtual ones other than spatial
    /// indexes.
    private(set) var refused: Set<String> = []
    /// The upper-case names of tables with an index of expressions, which SQLite's own check computes.
    private(set) var computing: Set<String> = []

    /// The upper-case names of views and triggers, which are not used.
    private(set) var programs: Set<String> = []

    var isComplete: Bool { refused.isEmpty && computing.isEmpty }

    /// Adds a statement of the file's schema. SQLite runs it whatever the type of the entry is.
    mutating func add(_ sql: String) {
        guard let tokens = StatementTokens(sql)?.tokens else { return }
        var rest = tokens[...]
        guard rest.take("CREATE") else { return }
        if !rest.take("TEMP") { _ = rest.take("TEMPORARY") }
        if rest.take("UNIQUE") || rest.first?.keyword == "INDEX" { return addIndex(rest) }
        if rest.take("VIEW") || rest.take("TRIGGER") {
            if rest.take("IF") { rest = rest.dropFirst(2) }
            if let name = rest.first?.name { programs.insert(name.uppercased()) }
            return
        }
        let isVirtual = rest.take("VIRTUAL")
        guard rest.take("TABLE") else { return }
        if rest.take("IF") { rest = rest.dropFirst(2) }
        guard let name = rest.popFirst()?.name else { return }
        if isVirtual {
            guard !rest.take("USING") || rest.popFirst()?.name?.uppercased() != "RTREE" else { return }
        } else if let table = TableStatement(sql), !table.hasGeneratedColumns {
            return
        }
        refused.insert(name.uppercased())
    }

    private mutating func addIndex(_ statement: ArraySlice<StatementTokens.Token>) {
        guard let place = statement.firstIndex(where: { $0.keyword == "ON" }),
            let table = statement[(place + 1)...].first?.name
        else { return }
        let terms = statement[(place + 2)...]
        let isComputing = zip(terms, terms.dropFirst()).contains { token, next in
            guard next.is("("), let name = token.name?.uppercased() else { return false }
            return !["IFNULL", "AND", "OR", "NOT", "IN", "WHERE", "IS", "BETWEEN"].contains(name)
        }
        if isComputing { computing.insert(table.uppercased()) }
    }
}
