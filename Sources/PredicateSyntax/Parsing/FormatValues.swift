/// The arguments of a format, and the operations on values that the parser needs.
///
/// The parser knows the syntax only; the evaluating module knows which objects represent trees, and which values are numbers or
/// strings.
package protocol FormatValues {
    var count: Int { get }

    subscript(index: Int) -> Any? { get }

    /// Returns the tree for an argument of `%@`.
    func term(_ argument: Any?) -> Parser.Term

    /// Returns the dotted name of a key path, or nil.
    func name(of keyPath: AnyKeyPath) -> String?

    /// Returns the numeric value of a constant, or nil.
    func number(_ constant: Any?) -> Double?

    /// Returns the string value of a constant, or nil.
    func text(_ constant: Any?) -> String?
}
