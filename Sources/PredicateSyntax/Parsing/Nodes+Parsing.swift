extension PredicateNode {
    package init(_ format: String, _ values: any FormatValues) throws {
        var parser = try Parser(format, values)
        self = try parser.parseWholePredicate()
    }

    /// Parses the format of an archive, which may be longer than other formats and keeps the nesting of its compounds.
    package init(archived format: String, _ values: any FormatValues) throws {
        var parser = try Parser(format, values, maximumLength: Lexer.maximumArchivedLength)
        parser.flattens = false
        self = try parser.parseWholePredicate()
    }
}

extension ExpressionNode {
    package init(_ format: String, _ values: any FormatValues) throws {
        var parser = try Parser(format, values)
        self = try parser.parseWholeExpression()
    }
}
