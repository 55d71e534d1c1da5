import Foundation
import PredicateFormat

/// What a side of a comparison is, as far as that decides what it can be compared with.
///
/// SQL and evaluation in memory follow the same rules, so that a fetch finds the same in every kind of store, whether or not
/// the context has unsaved changes.
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
    /// Not known from the model: everything goes.
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

    /// Whether an attribute of this type has one value, never a collection.
    package var isSingle: Bool {
        switch self {
        case .number, .text, .uri, .date, .uuid, .data: true
        case .opaque, .object, .entity, .unknown: false
        }
    }

    /// The types whose values are equal, or before one another, by the same measure.
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

    /// Whether `<` and its kin mean something between values of this type.
    private var isOrdered: Bool {
        switch measure {
        case .number, .text, .uuid, .object, .unknown: true
        case .data, .opaque, .entity: false
        }
    }

    // MARK: Two values of the model

    /// - Throws: An error of the Cocoa domain where two sides that are no constants cannot be compared so.
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

    /// - Throws: An error for values without an order.
    package func checkOrder(_ comparison: ComparisonOperator) throws {
        guard !isOrdered else { return }
        throw ConditionError.make(
            "\(comparison.symbol) cannot compare \(name), which has no order", advice: "Use == or != with it.")
    }

    /// - Throws: An error for values a string operator cannot read as text. Numbers it can.
    package func checkText(_ comparison: ComparisonOperator) throws {
        switch self {
        case .text, .uri, .unknown, .number: return
        default:
            throw ConditionError.make(
                "\(comparison.symbol) cannot search in \(name)",
                advice: "Use it with text, URIs and numbers; compare other values with == or <.")
        }
    }

    /// The type in words.
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
    /// Whether it compares by order.
    package var isOrdering: Bool {
        switch self {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .between: true
        default: false
        }
    }
}

/// The errors of comparisons that mean nothing, in the form of Apple's exceptions.
package enum ConditionError {
    package static func make(_ text: String, advice: String) -> NSError {
        CoreDataError.make(
            NSCoreDataError, description: "Invalid predicate: \(text)", reason: text, advice: advice,
            userInfo: ["NSExceptionName": "NSInvalidArgumentException"])
    }

    /// The error for compounds that lie in each other without end.
    package static func tooDeep() -> NSError {
        make(
            "its compounds are nested more than \(PredicateNode.deepestCompound) levels deep",
            advice: "Put many conditions side by side in one compound, or gather values and use IN.")
    }
}
