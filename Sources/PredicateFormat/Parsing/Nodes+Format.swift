extension PredicateNode {
    /// Parses a predicate format. See ``Foundation/NSPredicate/parse(_:arguments:)``.
    ///
    /// - Throws: ``PredicateFormatError``.
    public init(format: String, arguments: [Any?] = []) throws {
        try self.init(format, FormatArguments(arguments))
    }

    /// Parses the format of an archive, which may be longer than others, and whose compounds stay as they are nested.
    init(archived format: String, _ arguments: FormatArguments) throws {
        var parser = try Parser(format, arguments, maximumLength: Lexer.maximumArchivedLength)
        parser.flattens = false
        self = try parser.parseWholePredicate()
    }

    init(_ format: String, _ arguments: FormatArguments) throws {
        var parser = try Parser(format, arguments)
        self = try parser.parseWholePredicate()
    }
}

extension ExpressionNode {
    /// Parses an expression format. See `NSExpression.parse(_:arguments:)`.
    ///
    /// - Throws: ``PredicateFormatError``.
    public init(format: String, arguments: [Any?] = []) throws {
        var parser = try Parser(format, FormatArguments(arguments))
        self = try parser.parseWholeExpression()
    }
}
