import PredicateFormat

extension ExpressionNode {
    /// A path from a constant, such as `$FETCH_SOURCE.name` once the variable is replaced, has a value of its own: that
    /// value; otherwise the node itself.
    package var withKnownValue: ExpressionNode {
        guard case .keyPath(let keys, of: .constant(let object)) = self else { return self }
        do {
            return .constant(try CompiledKeyPath(keys: keys).value(of: object))
        } catch {
            return self
        }
    }
}
