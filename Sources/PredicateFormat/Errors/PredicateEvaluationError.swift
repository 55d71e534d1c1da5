import Foundation

/// The error of a predicate or expression that cannot be evaluated on an object, where Apple's framework raises an exception.
public struct PredicateEvaluationError: Error, Hashable, Sendable {
    /// The kinds of errors.
    public enum Code: Int, Sendable {
        /// The left or right side has a type that the operator does not accept.
        case operandType = 1
        /// A malformed regular expression, pattern or range.
        case badPattern = 2
        /// A variable without a value.
        case unboundVariable = 3
        /// A key that the object does not have, or an unknown collection operator.
        case undefinedKey = 4
        /// A construct that is supported only in a store's query.
        case unsupported = 5
        /// The predicate was decoded securely and `allowEvaluation()` has not been called.
        case notAllowed = 6
        /// A regular expression exceeded its step limit.
        case tooExpensive = 7
    }

    /// The kind of error.
    public var code: Code
    /// The description of the error, with Apple's wording where it is known.
    public var message: String
}

extension PredicateEvaluationError: CustomStringConvertible, LocalizedError, CustomNSError {
    public static var errorDomain: String { "PredicateEvaluationErrorDomain" }
    public var errorCode: Int { code.rawValue }
    public var errorDescription: String? { message }
    public var description: String { message }
}

extension PredicateEvaluationError {
    /// Returns the error for a key that objects of a kind do not have, with the code ``Code/undefinedKey``.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - kind: the class of the object, or its entity.
    public static func undefinedKey(_ key: String, of kind: String) -> Self {
        Self(
            code: .undefinedKey,
            message:
                "[<\(kind)> valueForUndefinedKey:]: this class is not key value coding-compliant for the key \(key).")
    }

    static let evaluationNotAllowed = Self(
        code: .notAllowed,
        message: "This predicate has been decoded securely: call allowEvaluation() before evaluating it"
    )

    static func text(_ value: Any?) -> String {
        ValueText.description(of: value)
    }

    static func notACollection(_ value: Any?) -> Self {
        Self(
            code: .operandType,
            message: "Can't use in/contains operator with collection \(text(value)) (not a collection)")
    }

    static func needleNotAString(_ value: Any?, in string: String) -> Self {
        Self(
            code: .operandType,
            message: "Can't look for value (\(text(value))) in string (\(string)); value is not a string")
    }

    static func notStrings(_ left: Any?, _ right: Any?) -> Self {
        Self(
            code: .operandType,
            message: """
                Can't do a substring operation with something that isn't a string \
                (lhs = \(text(left)) rhs = \(text(right)))
                """)
    }

    static func notMatchable(_ value: Any?) -> Self {
        Self(code: .operandType, message: "Can't do regex matching on object \(text(value)).")
    }

    static func badRegularExpression(_ pattern: String) -> Self {
        Self(code: .badPattern, message: "Can't do regex matching, reason: Can't open pattern \(pattern)")
    }

    static func matchingTakesTooLong(_ pattern: String) -> Self {
        Self(
            code: .tooExpensive,
            message: """
                Can't do regex matching, reason: it takes too many steps with the pattern \(pattern). \
                Nested repetitions such as (a+)+ are the usual cause.
                """)
    }

    static func quantifierNeedsCollection(_ value: Any?) -> Self {
        Self(
            code: .operandType,
            message: """
                The left hand side for an ALL or ANY operator must be either an NSArray or an NSSet. \
                (It is \(text(value)).)
                """)
    }

    static func notAStringOperator(_ comparison: ComparisonOperator) -> Self {
        Self(code: .unsupported, message: "\(comparison.symbol) does not compare a string with a string")
    }

    static func notOrdered(_ left: Any?, _ right: Any?) -> Self {
        Self(code: .operandType, message: "Values without an order cannot be compared: \(text(left)), \(text(right))")
    }

    static func objectAndOther(_ left: Any?, _ right: Any?) -> Self {
        Self(
            code: .operandType,
            message: """
                An object has an order only among objects, and cannot be compared with a value: \
                \(text(left)), \(text(right)). Compare one of its properties.
                """)
    }

    static func badSelector(_ selector: Selector?) -> Self {
        Self(
            code: .unsupported,
            message: """
                The selector \(selector?.name ?? "nil") cannot be sent off Apple: only isKindOfClass: and \
                isMemberOfClass: compare.
                """)
    }

    static func notAClass(_ value: Any?, _ selector: Selector) -> Self {
        Self(
            code: .operandType,
            message: "\(selector.name) takes a class, such as NSString.self for %@, not \(text(value))")
    }

    static func badRange(_ value: Any?) -> Self {
        Self(
            code: .badPattern,
            message: "Invalid predicate: the right side of BETWEEN must hold two values, not \(text(value))")
    }

    static func unboundVariable(_ name: String, _ bindings: [String]) -> Self {
        Self(
            code: .unboundVariable,
            message: "Can't get value for '\(name)' in bindings {\(bindings.sorted().joined(separator: ", "))}.")
    }

    static func undefinedKey(_ key: String, _ object: Any) -> Self {
        undefinedKey(key, of: "\(type(of: object))")
    }

    static func unknownOperator(_ name: String) -> Self {
        Self(code: .undefinedKey, message: "\(name) is not a collection operator of key paths")
    }

    static func notANumber(_ value: Any?, _ function: String) -> Self {
        Self(code: .operandType, message: "\(function) needs numbers, not \(text(value))")
    }

    static func unsupported(_ message: String) -> Self {
        Self(code: .unsupported, message: message)
    }
}
