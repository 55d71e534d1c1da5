import Foundation

// Between decimals and doubles by way of their texts, which are exact: `NSDecimalNumber.doubleValue` may give a neighbour of
// the nearest double off Apple (19.990000000000002 for 19.99), and `Decimal(19.99)` is 19.98999999999999488 everywhere.
extension Decimal {
    /// The double that is nearest to the decimal.
    package var nearestDouble: Double { isNaN ? .nan : Double(description) ?? .nan }

    /// The decimal with the fewest digits that reads back as this double; nil for infinity.
    package init?(shortest value: Double) {
        if let integer = Int64(exactly: value) {
            self.init(integer)
        } else if value.isNaN {
            self = .nan
        } else {
            self.init(digits: value.description)
        }
    }

    /// As ``init(shortest:)-(Double)``, for a number with the precision of `Float`.
    package init?(shortest value: Float) {
        if value.isNaN {
            self = .nan
        } else {
            self.init(digits: value.description)
        }
    }

    /// The number in an `NSNumber`, a floating-point one as its shortest decimal; nil for infinity.
    package init?(shortest number: NSNumber) {
        if let decimal = number as? NSDecimalNumber {
            self = decimal.decimalValue
            return
        }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"): self.init(shortest: number.doubleValue)
        case UInt8(ascii: "f"): self.init(shortest: number.floatValue)
        case UInt8(ascii: "Q"), UInt8(ascii: "L"): self.init(number.uint64Value)
        default: self.init(number.int64Value)
        }
    }

    private init?(digits: String) {
        guard let decimal = Decimal(string: digits, locale: Locale(identifier: "en_US_POSIX")) else { return nil }
        self = decimal
    }
}

extension NSNumber {
    /// The number as a double; of a decimal number the nearest one.
    package var nearestDouble: Double { (self as? NSDecimalNumber)?.decimalValue.nearestDouble ?? doubleValue }
}
