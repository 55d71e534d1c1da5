import CoreDataRowStorage
import Foundation
import ModelFormat
import PredicateFormat

/// A number from a value expression of a mapping model, to be assigned to an attribute.
struct MappedNumber {
    private let number: NSNumber
    private let attribute: NSAttributeDescription

    init(_ number: NSNumber, attribute: NSAttributeDescription) {
        self.number = number
        self.attribute = attribute
    }

    /// The number as a decimal; nil if it has no decimal value, such as infinity.
    ///
    /// A floating-point number becomes the shortest decimal that converts back to the same number.
    var decimal: NSDecimalNumber? {
        if let decimal = number as? NSDecimalNumber { return decimal }
        if NumberKind(number).isFloatingPoint, number.doubleValue.isNaN { return nil }
        return Decimal(shortest: number).map(NSDecimalNumber.init(decimal:))
    }

    /// Returns the reason for which the attribute cannot store the number; nil if it can.
    ///
    /// A number copied from an attribute must fit exactly. A computed number is truncated if the attribute is an integer, as in
    /// Apple's framework; integers out of range are rejected in either case.
    ///
    /// - Parameter source: the type of the copied attribute; nil for a computed number.
    func problem(from source: AttributeType?) -> UnfitValue? {
        let type = attribute.plainType
        let isFine: Bool
        if let source, let conversion = NumericConversion(from: source, to: type) {
            isFine = conversion.fits(number)
        } else {
            switch type {
            case .integer16, .integer32, .integer64:
                isFine = integer.map(type.integers.contains) ?? false
            default: isFine = true
            }
        }
        guard !isFine else { return nil }
        return UnfitValue(
            entity: "", attribute: attribute.name, value: number, source: source ?? kind, destination: type)
    }

    /// The number truncated to an integer; nil if it does not fit into 64 bits.
    private var integer: Int64? {
        if let decimal = number as? NSDecimalNumber {
            return Int64(exactly: decimal.nearestDouble.rounded(.towardZero))
        }
        guard NumberKind(number).isFloatingPoint else {
            return NumberKind(number) == .unsigned && number.uint64Value > Int64.max ? nil : number.int64Value
        }
        return Int64(exactly: number.doubleValue.rounded(.towardZero))
    }

    private var kind: AttributeType {
        if number is NSDecimalNumber { return .decimal }
        return NumberKind(number).isFloatingPoint ? .double : .integer64
    }
}

/// The numeric type from which a number object was created.
enum NumberKind {
    case integer, unsigned, float, double

    init(_ number: NSNumber) {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "f"): self = .float
        case UInt8(ascii: "d"): self = .double
        case UInt8(ascii: "Q"), UInt8(ascii: "L"): self = .unsigned
        default: self = .integer
        }
    }

    var isFloatingPoint: Bool { self == .float || self == .double }
}

extension NSPropertyMapping {
    /// The key in `$source.key`, if the value expression copies one property, or a constant if the property is nil.
    var sourceKey: String? { valueExpression.flatMap { Self.sourceKey($0.node) } }

    private static func sourceKey(_ node: ExpressionNode) -> String? {
        switch node {
        case .keyPath(let keys, .variable(NSMigrationSourceObjectKey)), .keyPath(let keys, .evaluatedObject):
            keys.count == 1 ? keys[0] : nil
        case .conditional(_, .constant, let otherwise): sourceKey(otherwise)
        default: nil
        }
    }
}
