import PredicateFormat

extension ExpressionNode {
    /// The value of a key path from a constant, such as `$FETCH_SOURCE.name` once the variable is substituted; otherwise the
    /// node itself.
    package var withKnownValue: ExpressionNode {
        guard case .keyPath(let keys, of: .constant(let object)) = self else { return self }
        do {
            return .constant(try CompiledKeyPath(keys: keys).value(of: object))
        } catch {
            return self
        }
    }
}
