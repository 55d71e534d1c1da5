import Foundation

/// A number of any type, compared by value.
public enum PredicateNumber {
    /// A signed integer.
    case int(Int64)
    /// An unsigned integer, used only for values above `Int64.max`.
    case unsigned(UInt64)
    /// A floating-point number.
    case double(Double)
    /// A decimal number.
    case decimal(Decimal)

    /// Converts `value` if it is a number; `Bool` counts as 0 or 1.
    init?(_ value: Any?) {
        guard case .number(let number) = PredicateValue(value) else { return nil }
        self = number
    }

    /// Converts a value that is neither an object nor of a type for which ``PredicateValue`` has a fast path.
    init?(rare value: Any) {
        if let integer = value as? any FixedWidthInteger {
            self.init(integer)
        } else if let number = value as? any BinaryFloatingPoint {
            self = .double(Double(number))
        } else if let decimal = value as? Decimal {
            self = .decimal(decimal)
        } else if let flag = value as? Bool {
            self = .int(flag ? 1 : 0)
        } else {
            return nil
        }
    }

    private init?(_ integer: any FixedWidthInteger) {
        if let value = Int64(exactly: integer) {
            self = .int(value)
        } else if let value = UInt64(exactly: integer) {
            self = .unsigned(value)
        } else {
            return nil
        }
    }

    init(_ number: NSNumber) {
        if let decimal = number as? NSDecimalNumber {
            self = .decimal(decimal.decimalValue)
            return
        }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .double(number.doubleValue)
        case UInt8(ascii: "Q") where number.uint64Value > UInt64(Int64.max): self = .unsigned(number.uint64Value)
        default: self = .int(number.int64Value)
        }
    }

    package var double: Double {
        switch self {
        case .int(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): value.nearestDouble
        }
    }

    package var decimal: Decimal {
        switch self {
        case .int(let value): Decimal(value)
        case .unsigned(let value): Decimal(value)
        case .double(let value): Decimal(shortest: value) ?? .nan
        case .decimal(let value): value
        }
    }

    /// The value as an integer, truncated toward zero; nil if it does not fit.
    package var integer: Int64? {
        switch self {
        case .int(let value): value
        case .unsigned: nil
        case .double(let value): Int64(exactly: value.rounded(.towardZero))
        case .decimal(let value): Self.integer(value)
        }
    }

    private static func integer(_ decimal: Decimal) -> Int64? {
        var (value, whole) = (decimal, Decimal())
        NSDecimalRound(&whole, &value, 0, value.isSignMinus ? .up : .down)
        return Int64(whole.description)
    }

    /// The value as the closest Swift type.
    var value: Any {
        switch self {
        case .int(let value): Int(value)
        case .unsigned(let value): value
        case .double(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value)
        }
    }

    package var isInteger: Bool {
        switch self {
        case .int, .unsigned: true
        case .double, .decimal: false
        }
    }

    package var isDecimal: Bool {
        if case .decimal = self { return true }
        return false
    }

    /// Compares two numbers by value, without rounding integers to doubles; nil if either is NaN.
    func compare(_ other: PredicateNumber) -> ComparisonResult? {
        switch (self, other) {
        case (.int(let a), .int(let b)): Self.order(a, b)
        case (.double(let a), .double(let b)): a.isNaN || b.isNaN ? nil : Self.order(a, b)
        case (.int(let a), .double(let b)): Self.compare(a, b)
        case (.double(let a), .int(let b)): Self.compare(b, a)?.reversed
        case (.unsigned(let a), .unsigned(let b)): Self.order(a, b)
        case (.int, .unsigned): .orderedAscending
        case (.unsigned, .int): .orderedDescending
        case (.unsigned(let a), .double(let b)): b.isNaN ? nil : Self.order(Double(a), b)
        case (.double(let a), .unsigned(let b)): a.isNaN ? nil : Self.order(a, Double(b))
        case (.double(let a), .decimal(let b)):
            a.isNaN ? nil : b.isNaN ? .orderedAscending : Self.order(a, b.nearestDouble)
        case (.decimal(let a), .double(let b)):
            b.isNaN ? nil : a.isNaN ? .orderedDescending : Self.order(a.nearestDouble, b)
        case (.decimal(let a), _): Self.compare(a, other.decimal)
        case (_, .decimal(let b)): Self.compare(decimal, b)
        }
    }

    private static func order<T: Comparable>(_ a: T, _ b: T) -> ComparisonResult {
        a < b ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
    }

    /// Compares decimals. NaNs are equal and sort after all other decimals, as in SQLite, which stores decimals as text.
    private static func compare(_ a: Decimal, _ b: Decimal) -> ComparisonResult {
        if a.isNaN || b.isNaN {
            return a.isNaN == b.isNaN ? .orderedSame : a.isNaN ? .orderedDescending : .orderedAscending
        }
        return order(a, b)
    }

    private static func compare(_ a: Int64, _ b: Double) -> ComparisonResult? {
        if b.isNaN { return nil }
        // Every integer below 2^53 is exactly representable as a double.
        if a.magnitude < 1 << 53 { return order(Double(a), b) }
        if b >= 0x1p63 { return .orderedAscending }
        if b < -0x1p63 { return .orderedDescending }
        let whole = b.rounded(.down)
        let result = order(a, Int64(whole))
        return result == .orderedSame && b > whole ? .orderedAscending : result
    }
}

// MARK: - Arithmetic

extension PredicateNumber {
    /// Adds, subtracts, multiplies or divides. Two integers yield an integer (division truncates, as in SQL); results that
    /// overflow are computed as doubles. Division by zero and NaN results yield nil, as in SQL.
    static func result(
        of function: PredicateFunction, _ a: PredicateNumber, _ b: PredicateNumber
    ) -> PredicateNumber? {
        if function == .divide, b.double == 0 { return nil }
        let result = compute(function, a, b)
        return result.isNaN ? nil : result
    }

    private var isNaN: Bool {
        switch self {
        case .int, .unsigned: false
        case .double(let value): value.isNaN
        case .decimal(let value): value.isNaN
        }
    }

    /// Computes a function as ``result(of:_:_:)`` does, without checking for division by zero and NaN.
    static func compute(_ function: PredicateFunction, _ a: PredicateNumber, _ b: PredicateNumber) -> PredicateNumber {
        if case .int(let x) = a, case .int(let y) = b {
            if let result = integerResult(function, x, y) { return .int(result) }
        } else if a.isDecimal || b.isDecimal, !a.isNaN, !b.isNaN {
            if let result = decimalResult(function, a.decimal, b.decimal) { return .decimal(result) }
        }
        switch function {
        case .add: return .double(a.double + b.double)
        case .subtract: return .double(a.double - b.double)
        case .multiply: return .double(a.double * b.double)
        default: return .double(a.double / b.double)
        }
    }

    private static func integerResult(_ function: PredicateFunction, _ x: Int64, _ y: Int64) -> Int64? {
        let (result, overflow): (Int64, Bool) =
            switch function {
            case .add: x.addingReportingOverflow(y)
            case .subtract: x.subtractingReportingOverflow(y)
            case .multiply: x.multipliedReportingOverflow(by: y)
            default: x.dividedReportingOverflow(by: y)
            }
        return overflow ? nil : result
    }

    private static func decimalResult(_ function: PredicateFunction, _ x: Decimal, _ y: Decimal) -> Decimal? {
        let result: Decimal
        switch function {
        case .add: result = x + y
        case .subtract: result = x - y
        case .multiply: result = x * y
        default:
            guard !y.isZero else { return nil }
            result = x / y
        }
        return result.isNaN ? nil : result
    }
}

extension PredicateNumber: Hashable {
    public static func == (left: PredicateNumber, right: PredicateNumber) -> Bool {
        left.compare(right) == .orderedSame
    }

    public func hash(into hasher: inout Hasher) {
        // Equal numbers round to the same double; -0.0 equals 0.
        hasher.combine(double == 0 ? 0 : double)
    }
}
