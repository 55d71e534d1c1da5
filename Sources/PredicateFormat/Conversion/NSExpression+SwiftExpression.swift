import Foundation

extension NSCopying where Self: NSExpression {
    /// Creates the equivalent of a Swift expression made with `#Expression`; nil when it has none.
    ///
    /// Key paths become strings by ``KeyPathNaming``. To learn why an expression cannot be converted, call
    /// `NSExpression.converting(_:)`.
    public init?<Input, Output>(_ expression: Foundation.Expression<Input, Output>) {
        guard let node = try? ExpressionNode(expression) else { return nil }
        self = ExpressionObjects.make(node, as: Self.self)
    }

    /// Returns the equivalent of a Swift expression made with `#Expression`.
    ///
    /// - Throws: ``PredicateConversionError``, which names the part that has no equivalent.
    public static func converting<Input, Output>(
        _ expression: Foundation.Expression<Input, Output>
    ) throws -> NSExpression {
        ExpressionObjects.make(try ExpressionNode(expression))
    }
}

extension ExpressionNode {
    /// Converts a Swift expression. A Boolean expression becomes `TERNARY(…, YES, NO)`.
    ///
    /// - Throws: ``PredicateConversionError``.
    public init<Input, Output>(_ expression: Foundation.Expression<Input, Output>) throws {
        var conversion = PredicateConversion(input: expression.variable.key)
        let node = try conversion.expression(expression.expression)
        self = conversion.missingValues.rewritten(node)
    }
}
