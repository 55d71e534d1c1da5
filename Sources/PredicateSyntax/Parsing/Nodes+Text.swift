/// The format values of a text without arguments.
private struct NoArguments: FormatValues {
    var count: Int { 0 }

    subscript(index: Int) -> Any? { nil }

    func term(_ argument: Any?) -> Parser.Term { .expression(.constant(argument)) }

    func name(of keyPath: AnyKeyPath) -> String? { nil }

    func number(_ constant: Any?) -> Double? {
        switch constant {
        case let value as Bool: value ? 1 : 0
        case let value as Int: Double(value)
        case let value as UInt64: Double(value)
        case let value as Double: value
        default: nil
        }
    }

    func text(_ constant: Any?) -> String? { constant as? String }
}

extension PredicateNode {
    /// Parses a predicate format without arguments.
    ///
    /// - Throws: ``PredicateFormatError``.
    package init(text: String) throws { try self.init(text, NoArguments()) }
}

extension ExpressionNode {
    /// Parses an expression format without arguments.
    ///
    /// - Throws: ``PredicateFormatError``.
    package init(text: String) throws { try self.init(text, NoArguments()) }
}
