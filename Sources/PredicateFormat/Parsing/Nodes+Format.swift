extension PredicateNode {
    /// Parses a predicate format. See ``Foundation/NSPredicate/parse(_:arguments:)``.
    ///
    /// - Throws: ``PredicateFormatError``.
    public init(format: String, arguments: [Any?] = []) throws {
        try self.init(format, FormatArguments(arguments))
    }
}

extension ExpressionNode {
    /// Parses an expression format. See `NSExpression.parse(_:arguments:)`.
    ///
    /// - Throws: ``PredicateFormatError``.
    public init(format: String, arguments: [Any?] = []) throws {
        try self.init(format, FormatArguments(arguments))
    }
}
