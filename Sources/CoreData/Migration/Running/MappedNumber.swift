import CoreDataRowStorage
import Foundation
import ModelFormat
import PredicateFormat

/// A number that a value expression of a mapping model gave, on its way into an attribute.
struct MappedNumber {
    private let number: NSNumber
    private let attribute: NSAttributeDescription

    init(_ number: NSNumber, attribute: NSAttributeDescription) {
        self.number = number
        self.attribute = attribute
    }

    /// The number as a decimal; nil for one that is none, such as infinity.
    ///
    /// A floating-point number becomes the shortest decimal that reads back as that number.
    var decimal: NSDecimalNumber? {
        if let decimal = number as? NSDecimalNumber { return decimal }
        if NumberKind(number).isFloatingPoint, number.doubleValue.isNaN { return nil }
        return Decimal(shortest: number).map(NSDecimalNumber.init(decimal:))
    }

    /// Why the attribute cannot hold the number; nil when it can.
    ///
    /// What is merely copied from an attribute must fit exactly. Of a computed number the fraction is dropped where the
    /// attribute is an integer, as Apple's framework drops it; integers out of range are refused in either case.
    ///
    /// - Parameter source: The type of the attribute that is copied.
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

    /// The number without its fraction, if it is an integer of 64 bits then.
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

/// What a number object was made from.
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
    /// The key of `$source.key`, where the value expression copies one property, or a constant where that is nil.
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
