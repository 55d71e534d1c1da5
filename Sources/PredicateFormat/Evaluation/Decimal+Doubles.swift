import Foundation

// Decimals and doubles are converted through their exact texts: off Apple's platforms `NSDecimalNumber.doubleValue` may return
// a neighbor of the nearest double (19.990000000000002 for 19.99), and `Decimal(19.99)` is 19.98999999999999488 everywhere.
extension Decimal {
    /// The double that is nearest to the decimal.
    package var nearestDouble: Double { isNaN ? .nan : Double(description) ?? .nan }

    /// Creates the decimal with the fewest digits that converts back to this double; nil for infinity.
    package init?(shortest value: Double) {
        if let integer = Int64(exactly: value) {
            self.init(integer)
        } else if value.isNaN {
            self = .nan
        } else {
            self.init(digits: value.description)
        }
    }

    /// Creates the shortest decimal, as ``init(shortest:)-(Double)`` does, for a number with the precision of `Float`.
    package init?(shortest value: Float) {
        if value.isNaN {
            self = .nan
        } else {
            self.init(digits: value.description)
        }
    }

    /// Converts an `NSNumber`; a floating-point number becomes its shortest decimal, infinity nil.
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
