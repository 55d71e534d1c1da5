@_exported import Foundation

/// A type that names another; see ``FoundationNames``.
public protocol FoundationNaming {
    /// The Foundation type that is named.
    associatedtype Named
    /// Declares the type; never called.
    @available(*, deprecated)
    static func name() -> Named
}

/// Names Foundation's expression classes without Foundation's deprecation warning.
///
/// Off Apple's platforms Foundation marks `NSExpression` and `NSComparisonPredicate` deprecated because it does not implement
/// them; this module does. The associated types below are inferred from deprecated functions, which silences the warning where
/// the inferred names are used.
public enum FoundationNames {
    /// Names `NSExpression`.
    public enum OfExpression: FoundationNaming {
        /// Declares the type; never called.
        @available(*, deprecated)
        public static func name() -> Foundation.NSExpression { fatalError("declares a type only") }
    }

    /// Names `NSComparisonPredicate`.
    public enum OfComparison: FoundationNaming {
        /// Declares the type; never called.
        @available(*, deprecated)
        public static func name() -> Foundation.NSComparisonPredicate { fatalError("declares a type only") }
    }

    /// Names `NSExpression.ExpressionType`.
    public enum OfExpressionType: FoundationNaming {
        /// Declares the type; never called.
        @available(*, deprecated)
        public static func name() -> Foundation.NSExpression.ExpressionType { fatalError("declares a type only") }
    }

    /// Foundation's `NSExpression.ExpressionType`.
    public typealias ExpressionType = OfExpressionType.Named
}

/// Foundation's `NSExpression`, implemented by this module.
///
/// The same type under the same name: a file that imports this module first (or alone) uses it without Foundation's
/// deprecation warning.
public typealias NSExpression = FoundationNames.OfExpression.Named

/// Foundation's `NSComparisonPredicate`, implemented by this module. See ``NSExpression``.
public typealias NSComparisonPredicate = FoundationNames.OfComparison.Named
