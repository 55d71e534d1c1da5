import Foundation
import PredicateFormat

/// The type of a side of a comparison, as far as it determines the valid comparisons.
///
/// SQL and evaluation in memory follow the same rules, so that a fetch returns the same objects from every kind of store,
/// whether or not the context has unsaved changes.
package enum ConditionType: Equatable {
    case number
    case text
    case uri
    case date
    case uuid
    case data
    /// A transformable value, or one without a type.
    case opaque
    case object
    case entity
    /// A type that the model does not determine: any comparison is valid.
    case unknown

    package init(_ kind: CellKind?) {
        switch kind {
        case .int16, .int32, .int64, .boolean, .double, .float, .decimal: self = .number
        case .string: self = .text
        case .uri: self = .uri
        case .date: self = .date
        case .uuid: self = .uuid
        case .data: self = .data
        case .transformable, .boxed: self = .opaque
        case .reference: self = .object
        case nil: self = .unknown
        }
    }

    /// Whether an attribute of this type has a single value, never a collection.
    package var isSingle: Bool {
        switch self {
        case .number, .text, .uri, .date, .uuid, .data: true
        case .opaque, .object, .entity, .unknown: false
        }
    }

    /// The classes of types with values that can be compared with each other.
    private enum Measure { case number, text, uuid, data, opaque, object, entity, unknown }

    private var measure: Measure {
        switch self {
        case .number, .date: .number
        case .text, .uri: .text
        case .uuid: .uuid
        case .data: .data
        case .opaque: .opaque
        case .object: .object
        case .entity: .entity
        case .unknown: .unknown
        }
    }

    package var isText: Bool { measure == .text }

    /// Whether values of this type have an order.
    private var isOrdered: Bool {
        switch measure {
        case .number, .text, .uuid, .object, .unknown: true
        case .data, .opaque, .entity: false
        }
    }

    // MARK: Comparisons of two model values

    /// Checks a comparison of two values that are not constants.
    ///
    /// - Throws: An error of the Cocoa domain if the two types cannot be compared.
    package static func check(_ left: ConditionType, _ comparison: ComparisonOperator, _ right: ConditionType) throws {
        if comparison.isOrdering {
            try left.checkOrder(comparison)
            try right.checkOrder(comparison)
        }
        let (a, b) = (left.measure, right.measure)
        guard a != b, a != .unknown, b != .unknown else { return }
        throw ConditionError.make(
            "\(left.name) cannot be compared with \(right.name)",
            advice: "Compare properties of the same type, or filter the result of the fetch.")
    }

    /// Checks that values of this type have an order.
    ///
    /// - Throws: An error if they do not.
    package func checkOrder(_ comparison: ComparisonOperator) throws {
        guard !isOrdered else { return }
        throw ConditionError.make(
            "\(comparison.symbol) cannot compare \(name), which has no order", advice: "Use == or != with it.")
    }

    /// Checks that a string operator accepts values of this type, as it does text and numbers.
    ///
    /// - Throws: An error if it does not.
    package func checkText(_ comparison: ComparisonOperator) throws {
        switch self {
        case .text, .uri, .unknown, .number: return
        default:
            throw ConditionError.make(
                "\(comparison.symbol) cannot search in \(name)",
                advice: "Use it with text, URIs and numbers; compare other values with == or <.")
        }
    }

    /// The type's name in error messages.
    package var name: String {
        switch self {
        case .number: "a number"
        case .text: "text"
        case .uri: "a URI"
        case .date: "a date"
        case .uuid: "a UUID"
        case .data: "binary data"
        case .opaque: "a transformable value"
        case .object: "an object"
        case .entity: "an entity"
        case .unknown: "a value"
        }
    }
}

extension ComparisonOperator {
    /// Whether the operator compares by order.
    package var isOrdering: Bool {
        switch self {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .between: true
        default: false
        }
    }
}

/// The errors of invalid comparisons, with the form of Apple's exceptions.
package enum ConditionError {
    package static func make(_ text: String, advice: String) -> NSError {
        CoreDataError.make(
            NSCoreDataError, description: "Invalid predicate: \(text)", reason: text, advice: advice,
            userInfo: ["NSExceptionName": "NSInvalidArgumentException"])
    }

    /// Returns the error for compound predicates that are nested too deeply.
    package static func tooDeep() -> NSError {
        make(
            "its compounds are nested more than \(PredicateNode.deepestCompound) levels deep",
            advice: "Put many conditions side by side in one compound, or gather values and use IN.")
    }
}
