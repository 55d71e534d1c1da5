import Foundation

/// Foundation's `NSExpression` under a name that carries no deprecation.
///
/// Off Apple, Foundation declares the class but marks every mention of it as deprecated, because there it cannot
/// evaluate. PredicateFormat supplies what is missing, so declarations of this module name the class through an
/// associated type, which the compiler infers without the mark. It is the very same class.
public typealias ExpressionObject = FoundationExpression.Object

/// Carrier of the inferred name behind `ExpressionObject`; of no use by itself.
public enum FoundationExpression: ExpressionNaming {
    @available(*, deprecated)
    public static func none() -> NSExpression? { nil }
}

/// Lets the compiler infer the type `ExpressionObject` stands for; of no use by itself.
public protocol ExpressionNaming {
    /// The class of expressions.
    associatedtype Object
    /// Always nil; its type is what counts.
    static func none() -> Object?
}
