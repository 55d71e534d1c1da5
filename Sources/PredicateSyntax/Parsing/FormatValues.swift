/// The arguments of a format, and what the parser asks of values.
///
/// The parser knows the language alone; which objects stand for trees, and which values for numbers and texts, is known
/// where trees are evaluated.
package protocol FormatValues {
    var count: Int { get }

    subscript(index: Int) -> Any? { get }

    /// The tree an argument of `%@` stands for.
    func term(_ argument: Any?) -> Parser.Term

    /// The dotted name of a key path, or nil.
    func name(of keyPath: AnyKeyPath) -> String?

    /// The number a constant is, or nil.
    func number(_ constant: Any?) -> Double?

    /// The text a constant is, or nil.
    func text(_ constant: Any?) -> String?
}
