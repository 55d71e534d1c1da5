import CoreDataRuntimeSupport
import Foundation
import PredicateFormat

// Constants are converted to the type they are compared with: `age == '5'` finds the number 5.

extension ConditionType {
    /// Returns a constant in the form in which it is compared with values of this type. A constant without such a form is
    /// returned unchanged, and equals no value.
    ///
    /// - Parameter isOrdering: whether the comparison needs an order, and thus every constant must be convertible.
    /// - Throws: An error of the Cocoa domain that names the constant.
    package func constant(_ value: Any, isOrdering: Bool = false) throws -> Any {
        switch self {
        case .number:
            switch PredicateKind(value) {
            case .number: return value
            case .text(let text):
                if let number = Self.number(text) { return number }
            case .date(let date): return date.timeIntervalSinceReferenceDate
            case .other: break
            }
        case .date:
            switch PredicateKind(value) {
            case .number(let number): return Date(timeIntervalSinceReferenceDate: number.nearestDouble)
            case .date: return value
            case .text: throw unsuitable(value)
            case .other: break
            }
        case .text, .uri:
            switch PredicateKind(value) {
            case .number(let number): return Self.text(number)
            case .text(let text): return text
            case .date: throw unsuitable(value)
            case .other(let url as URL): return url.absoluteString
            case .other(let uuid as UUID): return uuid.uuidString
            case .other: break
            }
        case .uuid:
            switch PredicateKind(value) {
            case .other(is UUID): return value
            case .text(let text): if let uuid = UUID(uuidString: text) { return uuid }
            case .number, .date, .other: break
            }
        case .data, .opaque, .object, .entity, .unknown: return value
        }
        if isOrdering { throw unsuitable(value) }
        return value
    }

    /// Returns the text that a string operator searches for.
    package static func needle(_ value: Any, _ comparison: ComparisonOperator) throws -> String {
        switch PredicateKind(value) {
        case .text(let text): return text
        case .number(let number): return text(number)
        case .other(let url as URL): return url.absoluteString
        case .other(let uuid as UUID): return uuid.uuidString
        case .date, .other:
            throw ConditionError.make(
                "\(comparison.symbol) needs text on its right side, not \(value)", advice: "Give it a string.")
        }
    }

    private func unsuitable(_ value: Any) -> NSError {
        ConditionError.make(
            "\(name) cannot be compared with the constant \(ExpressionNode.constant(value).expressionFormat)",
            advice: "Give the constant the type of the property.")
    }

    /// Returns the number in a text; nil if the text contains anything else.
    private static func number(_ text: String) -> Any? {
        let digits = text.trimmingCharacters(in: .whitespaces)
        if let integer = Int64(digits) { return integer }
        guard let number = Double(digits), number.isFinite, !digits.lowercased().contains("x") else { return nil }
        return number
    }

    /// Returns a floating-point number as text, without a zero fraction, like key-value coding's `stringValue`.
    package static func text(_ number: Double) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func text(_ number: NSNumber) -> String {
        if let decimal = number as? NSDecimalNumber { return decimal.decimalValue.description }
        switch number.objCType.pointee {
        case CChar(bitPattern: UInt8(ascii: "d")), CChar(bitPattern: UInt8(ascii: "f")):
            return text(number.doubleValue)
        case CChar(bitPattern: UInt8(ascii: "Q")): return "\(number.uint64Value)"
        default: return "\(number.int64Value)"
        }
    }
}

/// The type of a constant.
private enum PredicateKind {
    case number(NSNumber)
    case text(String)
    case date(Date)
    case other(Any)

    init(_ value: Any) {
        // Casting a number object to a Swift number may round it.
        if let number = ClassInstance.of(value) as? NSNumber {
            self = .number(number)
            return
        }
        switch value {
        case let text as String: self = .text(text)
        case let number as Bool where type(of: value) == Bool.self: self = .number(NSNumber(value: number ? 1 : 0))
        case let number as Int: self = .number(NSNumber(value: number))
        case let number as Double: self = .number(NSNumber(value: number))
        case let date as Date: self = .date(date)
        case let number as Decimal: self = .number(NSDecimalNumber(decimal: number))
        case let number as Float: self = .number(NSNumber(value: number))
        case let number as UInt64: self = .number(NSNumber(value: number))
        case let number as any BinaryInteger: self = .number(NSNumber(value: Int64(clamping: number)))
        case let text as any StringProtocol: self = .text(String(text))
        case let text as Character: self = .text(String(text))
        case let url as URL: self = .other(url)
        case let uuid as UUID: self = .other(uuid)
        default: self = .other(value)
        }
    }
}
