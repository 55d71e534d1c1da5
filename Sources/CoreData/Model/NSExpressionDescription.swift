import Foundation

/// A computed column of a fetch with dictionary results, for `NSFetchRequest.propertiesToFetch`.
///
/// The inherited `name` is the value's key in each dictionary.
open class NSExpressionDescription: NSPropertyDescription, @unchecked Sendable {
    /// The expression that computes the value.
    open var expression: NSExpression? { willSet { willEdit() } }

    /// The type of the result; the older form of `resultType`.
    open var expressionResultType = NSAttributeType.undefinedAttributeType { willSet { willEdit() } }

    /// The type of the result.
    open var resultType: NSAttributeDescription.AttributeType {
        get { NSAttributeDescription.AttributeType(rawValue: expressionResultType) }
        set { expressionResultType = newValue.rawValue }
    }

    override func makeEmpty() -> NSPropertyDescription { NSExpressionDescription() }

    override func assign(from other: NSPropertyDescription) {
        super.assign(from: other)
        guard let other = other as? NSExpressionDescription else { return }
        expression = other.expression
        expressionResultType = other.expressionResultType
    }

    override func isSame(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSExpressionDescription, super.isSame(as: other) else { return false }
        return expressionResultType == other.expressionResultType
            && expression?.description == other.expression?.description
    }
}
