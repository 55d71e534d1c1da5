import CCoreDataSQLite
import Foundation
import PredicateFormat

/// `CDSum`, the exact sum of stored decimals, in decimal and not in binary arithmetic; 0 for no values.
///
/// The result is an integer or a floating-point number if that represents the sum exactly, else the text of its digits.
final class DecimalSum {
    static func register(on handle: OpaquePointer) -> Int32 {
        sqlite3_create_function_v2(
            handle, "CDSum", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil, nil,
            { call, _, arguments in
                guard let value = arguments?[0], sqlite3_value_type(value) != SQLITE_NULL else { return }
                let size = Int32(MemoryLayout<Unmanaged<DecimalSum>?>.size)
                guard let memory = sqlite3_aggregate_context(call, size) else {
                    return sqlite3_result_error_nomem(call)
                }
                // SQLite zeroes the context of a new group.
                let place = memory.assumingMemoryBound(to: Unmanaged<DecimalSum>?.self)
                if place.pointee == nil { place.pointee = .passRetained(DecimalSum()) }
                place.pointee?._withUnsafeGuaranteedRef { $0.add(value) }
            },
            { call in
                guard let memory = sqlite3_aggregate_context(call, 0),
                    let sum = memory.assumingMemoryBound(to: Unmanaged<DecimalSum>?.self).pointee?.takeRetainedValue()
                else { return sqlite3_result_int64(call, 0) }
                DecimalSum.give(sum.total, to: call)
            }, nil)
    }

    /// The sums of values in scaled units, by number of fraction digits: hundredths at index 2, for example.
    private var units = [Int64](repeating: 0, count: powers.count)
    /// The sum of the values that no scaled unit can represent.
    private var rest: Decimal = 0

    private static let powers: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6]
    /// A double identifies a decimal of up to 15 digits.
    private static let largestUnits = 1e15

    private func add(_ value: OpaquePointer) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: add(sqlite3_value_int64(value), 0)
        case SQLITE_FLOAT:
            let real = sqlite3_value_double(value)
            for places in 1..<Self.powers.count {
                let scaled = (real * Self.powers[places]).rounded()
                guard abs(scaled) < Self.largestUnits else { break }
                if scaled / Self.powers[places] == real { return add(Int64(scaled), places) }
            }
            rest += Decimal(shortest: real) ?? .nan
        default: rest += Self.decimal(value) ?? 0
        }
    }

    private func add(_ value: Int64, _ places: Int) {
        let (sum, overflows) = units[places].addingReportingOverflow(value)
        if overflows { rest += Decimal(value) * Decimal(sign: .plus, exponent: -places, significand: 1) }
        if !overflows { units[places] = sum }
    }

    private var total: Decimal {
        units.indices.reduce(rest) { $0 + Decimal(units[$1]) * Decimal(sign: .plus, exponent: -$1, significand: 1) }
    }

    // MARK: Values

    /// Returns the decimal of a value that is stored or was passed by ``give(_:to:)``; nil for NULL and for values that are
    /// not decimals.
    static func decimal(_ value: OpaquePointer?) -> Decimal? {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: Decimal(sqlite3_value_int64(value))
        case SQLITE_FLOAT: Decimal(shortest: sqlite3_value_double(value))
        case SQLITE_TEXT: sqlite3_value_text(value).flatMap { DecimalCoding.decimal(String(cString: $0)) }
        default: nil
        }
    }

    /// Returns a decimal to SQLite with all its digits.
    static func give(_ decimal: Decimal, to call: OpaquePointer?) {
        switch DecimalCoding.stored(decimal) {
        case .integer(let integer): sqlite3_result_int64(call, integer)
        case .real(let real) where Decimal(shortest: real) == decimal: sqlite3_result_double(call, real)
        default:
            let text = decimal.isNaN ? DecimalCoding.notANumber : decimal.description
            sqlite3_result_text(call, text, -1, SQLiteStatement.copied)
        }
    }
}
